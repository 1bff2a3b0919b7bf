//! Joining a recording with the model file: rule `tensor-names-and-shapes`.

use std::collections::BTreeMap;

use super::join::Refusal;
use super::model::weights;
use super::recording::Recording;
use super::topology::trimmed;
use crate::gguf::{Model, Tensor};

/// The rule's name.
pub(crate) const RULE: &str = "tensor-names-and-shapes";

/// Checks that every weight the graph names is a tensor of the file, of the same type, sizes and bytes.
pub(crate) fn check(recording: &Recording, file: &Model) -> Result<String, Refusal> {
    let tensors: BTreeMap<&str, &Tensor> = file.tensors.iter().map(|tensor| (tensor.name.as_str(), tensor)).collect();
    let (list, _) = weights(recording);
    if list.is_empty() {
        return Err((RULE, "the recording names no weights to compare with the file's tensors".to_owned()));
    }
    for weight in &list {
        let Some(tensor) = tensors.get(weight.name.as_str()) else {
            return Err((RULE, format!("the graph reads {:?}, and the file has no such tensor", weight.name)));
        };
        let dtype = tensor.dtype.map_or("an unknown type", |dtype| dtype.name);
        if dtype != weight.dtype {
            return Err((RULE, format!("{:?} is {} in the graph and {dtype} in the file", weight.name, weight.dtype)));
        }
        let sizes: Vec<i64> = tensor.sizes.iter().map(|size| i64::try_from(*size).unwrap_or(i64::MAX)).collect();
        if !weight.shape.is_empty() && trimmed(&sizes) != trimmed(&weight.shape) {
            return Err((
                RULE,
                format!("{:?} has sizes {:?} in the graph and {sizes:?} in the file", weight.name, weight.shape),
            ));
        }
        let bytes = tensor.bytes.and_then(|bytes| i64::try_from(bytes).ok());
        if let (Some(stated), Some(bytes)) = (weight.bytes, bytes)
            && stated != bytes
        {
            return Err((RULE, format!("{:?} has {stated} bytes in the graph and {bytes} in the file", weight.name)));
        }
    }
    Ok(format!(
        "All {} weights that the graph names are among the file's {} tensors, with the same types, sizes and bytes.",
        list.len(),
        file.tensors.len()
    ))
}
