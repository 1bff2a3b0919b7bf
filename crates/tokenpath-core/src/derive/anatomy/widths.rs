//! Projection widths: how many numbers each matrix of a layer puts out, on one scale.

use super::role;
use crate::derive::part::{Part, of_role};
use crate::fact::{Fact, Quantity, Reading};
use crate::model::Run;

/// One projection.
#[derive(Clone, Debug, PartialEq)]
pub struct Width<'a> {
    /// The tensor.
    pub tensor: u32,
    /// Its role.
    pub role: &'a str,
    /// Its part.
    pub part: Part,
    /// Its output width, as read from its shape.
    pub width: i64,
    /// How many such matrices the tensor stacks (experts), when its shape has a third size.
    pub stacked: Option<i64>,
    /// The width with its label.
    pub fact: Fact,
}

/// The projections of a component, attention first, in the order in which a token meets them.
///
/// The width is the second size of a shape: shapes list the fastest-moving size first, which is the input.
pub fn widths(run: &Run, component: u32) -> Vec<Width<'_>> {
    let tensors = &run.model.tensors;
    let mut out: Vec<Width<'_>> = Vec::new();
    for row in 0..tensors.rows() {
        if tensors.component.get(row) != Some(component) {
            continue;
        }
        let (Some(name), Some(shape)) = (tensors.role.get(row), tensors.shape.get(row)) else { continue };
        let [_, width, rest @ ..] = shape else { continue };
        let matrix = *width > 1 && !role::is_norm(name) && !role::is_convolution(name) && !role::is_bias(name);
        // Experts that are stored one by one repeat a role; one bar stands for all of them.
        let again = out.iter_mut().find(|known| known.role == name && known.width == *width);
        match again {
            _ if !matrix || name == "other" => {}
            Some(known) => known.stacked = Some(known.stacked.unwrap_or(1) + 1),
            None => {
                let pointer = format!("/model/tensors/shape/{row}");
                out.push(Width {
                    tensor: u32::try_from(row).unwrap_or(u32::MAX),
                    role: name,
                    part: of_role(name),
                    width: *width,
                    stacked: rest.first().copied().filter(|count| *count > 1),
                    fact: Fact::stored(Quantity::Count(*width), tensors.label("shape", row), pointer),
                });
            }
        }
    }
    out.sort_by_key(|width| (width.part, role::is_shared_expert(width.role), role::rank(width.role)));
    out
}

/// The model's width as the source states it.
pub fn model_width(run: &Run) -> Reading {
    super::parameter(run, "embedding_length").ok_or_else(|| run.missing("/model/parameters"))
}

/// The output head's width: the vocabulary it scores, read from the shape of the matrix that serves as head.
pub fn head_width(run: &Run) -> Option<Fact> {
    let tensors = &run.model.tensors;
    let find =
        |wanted: &dyn Fn(&str) -> bool| (0..tensors.rows()).find(|row| tensors.role.get(*row).is_some_and(wanted));
    let tied = run.model.tied_embedding == Some(true);
    let row = find(&|role| role.starts_with("output") && !role::is_norm(role) && !role::is_bias(role))
        .or_else(|| find(&role::is_embedding).filter(|_| tied))?;
    let width = *tensors.shape.get(row)?.get(1)?;
    let pointer = format!("/model/tensors/shape/{row}");
    Some(Fact::stored(Quantity::Count(width), tensors.label("shape", row), pointer))
}
