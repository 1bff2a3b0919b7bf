//! Routed experts: how many there are, how many a token takes, and the bytes that are present against the bytes
//! that one token addresses.

use std::collections::BTreeSet;

use super::{Anatomy, Place, parameter, role};
use crate::derive::sum::Sum;
use crate::derive::weight_bytes::{self, WeightBytes};
use crate::fact::{Fact, Missing, Quantity, Reading};
use crate::model::Run;

/// The bytes of one layer, parted by whether every token reads them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpertLayer {
    /// The layer.
    pub layer: u32,
    /// Bytes that every token reads: mixer, norms, router, shared expert.
    pub always: Sum,
    /// Of these, bytes of the mixer and its norms.
    pub mixer: Sum,
    /// Bytes of all routed experts.
    pub experts: Sum,
    /// Distinct experts that the chosen pass addressed, where choices were recorded.
    pub chosen: Option<u32>,
}

impl ExpertLayer {
    /// Bytes of the layer.
    pub fn bytes(&self) -> i64 {
        self.always.known.saturating_add(self.experts.known)
    }
}

/// What the routed experts of a model hold and address.
#[derive(Clone, Debug, PartialEq)]
pub struct Experts {
    /// Experts of a layer.
    pub total: Reading,
    /// Experts that a token takes.
    pub used: Reading,
    /// Layers that have experts.
    pub layers: Vec<ExpertLayer>,
    /// Bytes that one token addresses, by the stated counts.
    pub addressed: Reading,
    /// The pass whose choices were counted, with the tokens it took in.
    pub chosen_pass: Option<(u32, u32)>,
    /// Bytes that the nodes of the chosen pass name and address, where a graph was recorded.
    pub in_pass: Option<WeightBytes>,
}

/// The experts; `None` when no tensor is an expert's.
pub fn experts(run: &Run, anatomy: &Anatomy, pass: Option<u32>) -> Option<Experts> {
    let chosen = pass.map(|pass| choices(run, pass)).filter(|(tokens, _)| *tokens > 0);
    let mut layers = Vec::new();
    for component in &anatomy.components {
        let Place::Layer(layer) = component.place else { continue };
        let mut row = ExpertLayer {
            layer,
            always: Sum::default(),
            mixer: Sum::default(),
            experts: Sum::default(),
            chosen: chosen.as_ref().and_then(|(_, sets)| {
                sets.iter().find(|(known, _)| *known == layer).and_then(|(_, set)| u32::try_from(set.len()).ok())
            }),
        };
        for band in &component.bands {
            match band.role.as_deref() {
                Some(role) if role::is_expert(role) => row.experts.merge(band.bytes),
                role => {
                    row.always.merge(band.bytes);
                    let feeds =
                        |role| role::is_feed_forward(role) || role::is_router(role) || role::is_shared_expert(role);
                    if !role.is_some_and(feeds) {
                        row.mixer.merge(band.bytes);
                    }
                }
            }
        }
        if row.experts.cells > 0 {
            layers.push(row);
        }
    }
    if layers.is_empty() {
        return None;
    }
    let parameters = || run.missing("/model/parameters");
    let total = parameter(run, "expert_count").ok_or_else(parameters);
    let used = parameter(run, "expert_used_count").ok_or_else(parameters);
    let addressed = addressed(run, anatomy, &layers, &used);
    let chosen_pass = pass.zip(chosen.as_ref().map(|(tokens, _)| *tokens));
    let in_pass = pass.filter(|_| run.graph.nodes.given).map(|pass| weight_bytes::of_pass(run, pass));
    Some(Experts { total, used, layers, addressed, chosen_pass, in_pass })
}

/// By the stated counts: what every token reads, the stated number of experts of each layer, one row of the embedding
/// (all of it where it serves as the head), the head.
fn addressed(run: &Run, anatomy: &Anatomy, layers: &[ExpertLayer], used: &Reading) -> Reading {
    let by = used.clone()?;
    let lacking = |what: &str| Missing { pointer: "/model/parameters".to_owned(), reason: what.to_owned() };
    let total = parameter(run, "expert_count").ok_or_else(|| run.missing("/model/parameters"))?;
    let experts = match total.quantity {
        Quantity::Count(count) if count > 0 => count,
        _ => return Err(lacking("The stated number of experts is not a number above zero.")),
    };
    let used = match by.quantity {
        Quantity::Count(used) if (0..=experts).contains(&used) => used,
        _ => return Err(lacking("The stated number of experts that a token takes is not one of those there are.")),
    };
    let all = super::tensor_bytes(run, anatomy.bytes, "all tensors")?;
    let mut bytes = 0_i64;
    for component in &anatomy.components {
        let plain = component.bytes.known;
        bytes = bytes.saturating_add(match component.place {
            Place::Layer(layer) => match layers.iter().find(|row| row.layer == layer) {
                Some(row) => {
                    if row.experts.known % experts != 0 {
                        return Err(lacking("The experts' bytes do not divide evenly by their stated number."));
                    }
                    row.always.known.saturating_add((row.experts.known / experts).saturating_mul(used))
                }
                None => plain,
            },
            Place::Embedding if run.model.tied_embedding != Some(true) => {
                embedding_row(run, component.component, plain)?
            }
            _ => plain,
        });
    }
    let text = "bytes of what every token reads + experts taken × bytes of one expert + one row of the embedding";
    let inputs = vec![
        ("all tensors".to_owned(), all),
        ("experts of a layer".to_owned(), total),
        ("experts taken".to_owned(), by),
    ];
    Ok(Fact::derived(Quantity::Bytes(bytes), text, inputs))
}

/// What one token reads of the embedding component: one row of the matrix, whose rows are its second size, and
/// whatever else the component holds.
fn embedding_row(run: &Run, component: Option<u32>, bytes: i64) -> Result<i64, Missing> {
    let tensors = &run.model.tensors;
    let row = (0..tensors.rows())
        .find(|row| tensors.component.get(*row) == component && tensors.role.get(*row).is_some_and(role::is_embedding));
    let matrix = row.and_then(|row| Some((*tensors.shape.get(row)?.get(1)?, tensors.bytes.get(row)?)));
    match matrix {
        Some((rows, matrix)) if rows > 0 && matrix % rows == 0 => Ok(bytes - matrix + matrix / rows),
        _ => Err(Missing {
            pointer: "/model/tensors/shape".to_owned(),
            reason: "The embedding's bytes cannot be parted into rows.".to_owned(),
        }),
    }
}

/// The experts chosen in a pass: the number of tokens seen, and for each layer the distinct experts.
fn choices(run: &Run, pass: u32) -> (u32, Vec<(u32, BTreeSet<i64>)>) {
    let choices = &run.graph.choices;
    let mut sets: Vec<(u32, BTreeSet<i64>)> = Vec::new();
    let mut tokens = BTreeSet::new();
    for row in 0..choices.rows() {
        if choices.pass.get(row) != Some(pass) {
            continue;
        }
        let layer = choices
            .node
            .get(row)
            .and_then(|node| run.graph.nodes.layer.get(node as usize))
            .and_then(|layer| u32::try_from(layer).ok());
        let (Some(layer), Some(chosen)) = (layer, choices.experts.get(row)) else { continue };
        tokens.insert(choices.token.get(row));
        match sets.iter_mut().find(|(known, _)| *known == layer) {
            Some((_, set)) => set.extend(chosen),
            None => sets.push((layer, chosen.iter().copied().collect())),
        }
    }
    (u32::try_from(tokens.len()).unwrap_or(u32::MAX), sets)
}
