//! How many numbers the tensors hold, by place.
//!
//! Must never contain: a parameter count of tensors in which several parameters are packed into one whole number.

use super::Place;
use crate::derive::sum::{Sum, input};
use crate::fact::{Fact, Missing, Quantity, Reading};
use crate::model::Run;

/// Elements of the tensors of one place of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Elements {
    /// The place; all layers stand under the first of them.
    pub place: Place,
    /// Their elements: the sum over tensors of the product of their sizes.
    pub sum: Sum,
    /// Tensors of whole-number types among them.
    pub whole_numbers: u32,
}

/// Elements by place, from input to output; layers together. Cost: linear in tensors.
pub fn elements(run: &Run) -> Vec<Elements> {
    let (tensors, components) = (&run.model.tensors, &run.model.components);
    let places = [Place::Embedding, Place::Layer(0), Place::Head, Place::Other, Place::Unknown];
    let mut out: Vec<Elements> =
        places.into_iter().map(|place| Elements { place, sum: Sum::default(), whole_numbers: 0 }).collect();
    for row in 0..tensors.rows() {
        let kind = tensors.component.get(row).map(|component| components.kind.get(component as usize));
        let place = match kind {
            Some(Some("token_embedding")) => Place::Embedding,
            Some(Some("decoder_layer")) => Place::Layer(0),
            Some(Some("output_head")) => Place::Head,
            Some(_) => Place::Other,
            None => Place::Unknown,
        };
        let Some(entry) = out.iter_mut().find(|entry| entry.place == place) else { continue };
        let sizes = tensors.shape.get(row);
        entry.sum.add(sizes.and_then(|sizes| sizes.iter().try_fold(1_i64, |product, size| product.checked_mul(*size))));
        entry.whole_numbers += u32::from(tensors.dtype.get(row).is_some_and(is_whole));
    }
    out.retain(|entry| entry.sum.cells > 0);
    out
}

/// Whether an element type is that of whole numbers or flags, which weights are packed into and are not themselves.
fn is_whole(dtype: &str) -> bool {
    matches!(dtype, "bool" | "u8" | "i8" | "u16" | "i16" | "u32" | "i32" | "u64" | "i64")
}

/// A sum of elements as a reading, where every tensor's sizes are known and none is of a whole-number type.
pub fn parameters(run: &Run, elements: &[Elements], what: &str) -> Reading {
    let mut sum = Sum::default();
    let mut whole_numbers = 0;
    for entry in elements {
        sum.merge(entry.sum);
        whole_numbers += entry.whole_numbers;
    }
    let tensors = &run.model.tensors;
    let pointer = "/model/tensors/shape";
    if whole_numbers > 0 {
        return Err(Missing {
            pointer: "/model/tensors/dtype".to_owned(),
            reason: format!(
                "{whole_numbers} of {} tensors hold whole numbers, into which a quantiser packs several weights each; \
                 how many, the file does not state.",
                sum.cells
            ),
        });
    }
    match sum.exact() {
        Some(count) if sum.cells > 0 => Ok(Fact::derived(
            Quantity::Count(count),
            "sum over tensors of the product of their sizes",
            vec![(format!("sizes of {what}"), input(Quantity::Count(count), &tensors.labels, "shape", pointer))],
        )),
        Some(_) => Err(run.missing("/model/tensors")),
        None => Err(Missing {
            pointer: pointer.to_owned(),
            reason: format!("The sizes of {} of {} tensors are not known.", sum.unknown, sum.cells),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Components, Tensors, Weights};

    fn run(dtypes: [&str; 3]) -> Run {
        Run {
            model: Weights {
                given: true,
                components: Components {
                    given: true,
                    kind: ["token_embedding", "decoder_layer"].into_iter().map(Some).collect(),
                    name: ["Embedding", "0"].into_iter().map(Some).collect(),
                    layer: [None, Some(0)].into_iter().collect(),
                    ..Components::default()
                },
                tensors: Tensors {
                    given: true,
                    name: ["e", "a", "b"].into_iter().map(Some).collect(),
                    component: [Some(0), Some(1), Some(1)].into_iter().collect(),
                    dtype: dtypes.into_iter().map(Some).collect(),
                    shape: [Some(vec![4, 10]), Some(vec![4, 6]), Some(vec![6])].into_iter().collect(),
                    ..Tensors::default()
                },
                ..Weights::default()
            },
            ..Run::default()
        }
    }

    // By hand: 4 × 10 in the embedding; 4 × 6 + 6 in the layer; 70 in all.
    #[test]
    fn elements_are_products_of_sizes_by_place() {
        let run = run(["q4_k", "f16", "f32"]);
        let elements = elements(&run);
        let sums: Vec<_> = elements.iter().map(|entry| (entry.place, entry.sum.known)).collect();
        assert_eq!(sums, [(Place::Embedding, 40), (Place::Layer(0), 30)]);
        assert_eq!(parameters(&run, &elements, "all tensors").unwrap().quantity, Quantity::Count(70));
    }

    #[test]
    fn packed_weights_are_not_counted_as_parameters() {
        let run = run(["bf16", "i32", "bf16"]);
        let missing = parameters(&run, &elements(&run), "all tensors").unwrap_err();
        assert!(missing.reason.starts_with("1 of 3 tensors hold whole numbers"), "{}", missing.reason);
    }
}
