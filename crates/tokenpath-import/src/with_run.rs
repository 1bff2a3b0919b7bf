//! Joining a finished run with a model file: rule `model-of-the-run`.
//!
//! A run that states the digest of its model is joined with the file that has it, and with no other. Without one, a run that
//! names tensors is joined when every one of them is in the file with the sizes, type and bytes that the run states; a run
//! that names none is joined when it names the model. The file's section then stands in place of the
//! run's, and what reads a tensor reads the file's.

use std::collections::HashMap;

use tokenpath_core::column::RefLists;
use tokenpath_core::model::{Tensors, Weights};
use tokenpath_core::{Label, Labels, ReasonCode, Run};

use crate::absent::Absences;
use crate::alone::NO_DIGEST;
use crate::gguf;
use crate::llamacpp::ends::End;
use crate::safetensors::{self, Set};

/// The rule's name.
pub(crate) const RULE: &str = "model-of-the-run";

/// A model file that holds tensors.
pub(crate) enum Source<'a> {
    /// A GGUF file.
    Gguf(&'a str, &'a gguf::Model),
    /// safetensors.
    Safetensors(&'a Set),
}

impl Source<'_> {
    fn file(&self) -> &str {
        match self {
            Source::Gguf(name, _) => name,
            Source::Safetensors(set) => set.files.first().map_or("the index", |(name, _)| name.as_str()),
        }
    }

    fn states(&self) -> Option<&str> {
        match self {
            Source::Gguf(_, model) => model.text("general.name"),
            Source::Safetensors(_) => None,
        }
    }

    fn section(&self, absent: &mut Absences, end: &mut dyn FnMut(End) -> u32) -> Weights {
        match self {
            Source::Gguf(name, model) => gguf::section(model, name, absent, end),
            Source::Safetensors(set) => safetensors::section(set, None, absent, end),
        }
    }
}

/// Puts the file's model in place of the run's.
///
/// `digest` is the file's, where it was computed. Returns what the join rests on, in words.
///
/// # Errors
/// The reason why the file is not the run's model, or why that cannot be told; the run is then as it was.
pub(crate) fn join(run: &mut Run, source: &Source<'_>, digest: Option<&str>) -> Result<String, String> {
    let by_digest = by_digest(run, source, digest)?;
    let mut absent = Absences::default();
    let mut ends = run.traversal.ends.clone();
    let mut end = |end: End| {
        let known = (0..ends.rows()).find(|row| ends.code.get(*row) == Some(end.code));
        let row = known.unwrap_or_else(|| {
            ends.code.push(Some(end.code));
            ends.text.push(Some(end.text));
            ends.rows() - 1
        });
        u32::try_from(row).unwrap_or(u32::MAX)
    };
    let mut section = source.section(&mut absent, &mut end);
    let (map, said) = if run.model.tensors.rows() == 0 {
        (Vec::new(), by_digest.map_or_else(|| by_name(run, source), Ok)?)
    } else {
        let (map, said) = by_tensors(&run.model.tensors, &section.tensors, source.file())?;
        // What was compared beside the digest is said too.
        (map, by_digest.map_or_else(|| format!("{said} {UNREAD}"), |digest| format!("{digest} {said}")))
    };
    if let (Some(stated), Some(held)) = (run.model.layers, section.layers)
        && stated != held
    {
        return Err(format!("the run has {stated} layers, the file {held}"));
    }
    keep_buffers(&mut section, &run.model.tensors, &map);
    if section.architecture.is_none() {
        section.architecture = run.model.architecture.take();
        absent.remove("/model/architecture");
    }
    if section.layers.is_none() {
        section.layers = run.model.layers;
        absent.remove("/model/layers");
    }
    run.graph.nodes.tensors = moved(&run.graph.nodes.tensors, run.graph.nodes.rows(), &map);
    if !ends.given && ends.rows() > 0 {
        ends.given = true;
        ends.labels = Labels::all(Label::inferred("the importer's rules"));
        run.traversal.given = true;
    }
    run.traversal.ends = ends;
    run.absent.retain(|absence| absence.pointer != "/model" && !absence.pointer.starts_with("/model/"));
    run.absent.extend(absent.into_list());
    if let Some(absence) = run.absent.iter_mut().find(|absence| absence.pointer == "/identity/model/digest") {
        absence.code = ReasonCode::NotSupplied;
        absence.reason = NO_DIGEST.to_owned();
    }
    run.model = section;
    Ok(said)
}

/// Said where names and sizes decided.
const UNREAD: &str = "Names and sizes decided; no digest of the whole file was computed.";

/// Compares digests, where the run states one and the file's was computed.
fn by_digest(run: &Run, source: &Source<'_>, digest: Option<&str>) -> Result<Option<String>, String> {
    let (Some(stated), Some(found)) = (run.identity.model.digest.as_deref(), digest) else { return Ok(None) };
    if stated.eq_ignore_ascii_case(found) {
        return Ok(Some(format!("{} has the SHA-256 that the run states of its model.", source.file())));
    }
    Err(format!("the run states that its model's SHA-256 is {stated}, the file's is {found}"))
}

/// Compares the tensors that the run names with those of the file; where each of them is in the file.
fn by_tensors(run: &Tensors, file: &Tensors, name: &str) -> Result<(Vec<u32>, String), String> {
    let rows: HashMap<&str, u32> =
        (0..file.rows()).filter_map(|row| Some((file.name.get(row)?, u32::try_from(row).ok()?))).collect();
    let mut map = Vec::with_capacity(run.rows());
    let (mut sized, mut missing) = (0_usize, Vec::new());
    for row in 0..run.rows() {
        let tensor = run.name.get(row).unwrap_or("");
        let Some(at) = rows.get(tensor) else {
            missing.push(tensor);
            continue;
        };
        let other = *at as usize;
        if let (Some(sizes), Some(held)) = (run.shape.get(row), file.shape.get(other)) {
            if trimmed(sizes) != trimmed(held) {
                return Err(format!("{tensor:?} has sizes {sizes:?} in the run and {held:?} in the file"));
            }
            sized += 1;
        }
        if let (Some(dtype), Some(held)) = (run.dtype.get(row), file.dtype.get(other))
            && dtype != held
        {
            return Err(format!("{tensor:?} is {dtype} in the run and {held} in the file"));
        }
        if let (Some(bytes), Some(held)) = (run.bytes.get(row), file.bytes.get(other))
            && bytes != held
        {
            return Err(format!("{tensor:?} has {bytes} bytes in the run and {held} in the file"));
        }
        map.push(*at);
    }
    let count = run.rows();
    match missing.first() {
        Some(_) if missing.len() == count => Err(format!("none of the {count} tensors that the run names is in it")),
        Some(first) => Err(format!(
            "{} of the {count} tensors that the run names are not in it, {first:?} the first",
            missing.len()
        )),
        None => Ok((
            map,
            format!(
                "All {count} tensors that the run names are among the {} of {name}, {sized} of them with sizes to compare, \
                 and none differs.",
                file.rows()
            ),
        )),
    }
}

/// Sizes without the ones at the end, which some writers add and some do not.
fn trimmed(sizes: &[i64]) -> &[i64] {
    let length = sizes.iter().rposition(|size| *size != 1).map_or(0, |last| last + 1);
    sizes.get(..length).unwrap_or(sizes)
}

/// Compares the model's name, where the run names no tensor.
fn by_name(run: &Run, source: &Source<'_>) -> Result<String, String> {
    let last = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
    let Some(stated) = run.identity.model.name.as_deref() else {
        return Err("the run names neither a tensor nor its model, so nothing can be compared".to_owned());
    };
    let file = last(source.file());
    if last(stated) == file || Some(stated) == source.states() {
        return Ok(format!("The run names the model {stated}, and no tensor that could be compared."));
    }
    Err(format!(
        "the run names the model {stated}, the file is called {file} and names itself {}",
        source.states().unwrap_or("nothing")
    ))
}

/// Keeps where the runtime kept each tensor, which no file says.
fn keep_buffers(section: &mut Weights, run: &Tensors, map: &[u32]) {
    let mut buffers: Vec<Option<&str>> = vec![None; section.tensors.rows()];
    for (row, at) in map.iter().enumerate() {
        if let Some(slot) = buffers.get_mut(*at as usize) {
            *slot = run.buffer.get(row);
        }
    }
    if buffers.iter().any(Option::is_some) {
        // Labels by row would have to move with the rows; a run's buffers have one reporter.
        let label = run.labels.cell("buffer", 0).cloned();
        section.tensors.buffer = buffers.into_iter().collect();
        if let Some(label) = label {
            section.tensors.labels = std::mem::take(&mut section.tensors.labels).with("buffer", label);
        }
    }
}

/// The references of nodes to tensors, as rows of the file.
fn moved(lists: &RefLists, rows: usize, map: &[u32]) -> RefLists {
    let mut out = RefLists::default();
    for row in 0..rows {
        let list = lists
            .get(row)
            .map(|list| list.iter().filter_map(|tensor| map.get(*tensor as usize).copied()).collect::<Vec<u32>>());
        out.push(list.as_deref());
    }
    out
}
