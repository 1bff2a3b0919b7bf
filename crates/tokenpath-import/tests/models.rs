//! Model files against independent readers: the figures of `tests/oracle/expected/model-files.json` are what the packages
//! `gguf` and `safetensors` read.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails loudly and says what it skips")]

mod support;

#[path = "../../../fuzz/properties/model_files.rs"]
mod property;

use std::cell::Cell;

use serde_json::Value;
use support::{expected, extra, file, open_all, opened};
use tokenpath_core::Run;
use tokenpath_import::gguf::{self, types::TYPES};
use tokenpath_import::{Continue, OpenError, OpenOptions, ReadAt, ReadFailed, open, safetensors};

type Files = Vec<(String, Vec<u8>)>;

fn row(run: &Run, at: usize) -> (String, String, Vec<i64>, i64) {
    let tensors = &run.model.tensors;
    (
        tensors.name.get(at).unwrap().to_owned(),
        tensors.dtype.get(at).unwrap().to_owned(),
        tensors.shape.get(at).unwrap().to_vec(),
        tensors.bytes.get(at).unwrap(),
    )
}

fn stated(row: &Value) -> (String, String, Vec<i64>, i64) {
    let text = |at: usize| row[at].as_str().unwrap().to_owned();
    let shape = row[2].as_array().unwrap().iter().map(|size| size.as_i64().unwrap()).collect();
    (text(0), text(1), shape, row[3].as_i64().unwrap())
}

#[test]
fn every_type_has_the_block_of_the_package() {
    let oracle = expected("model-files");
    let of_package: Vec<(u64, String, u64, u64)> = oracle["ggml_types"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let number = |at: usize| row[at].as_u64().unwrap();
            (number(0), row[1].as_str().unwrap().to_owned(), number(2), number(3))
        })
        .collect();
    let ours: Vec<(u64, String, u64, u64)> =
        TYPES.iter().map(|known| (u64::from(known.id), known.name.to_lowercase(), known.block, known.bytes)).collect();
    assert_eq!(ours, of_package);
}

#[test]
fn every_gguf_tensor_is_what_the_package_reads() {
    let Some(data) = extra("gguf") else { return };
    let oracle = expected("model-files");
    for (name, rows) in oracle["gguf"].as_object().unwrap() {
        let (_, bytes) = file(&data, name);
        let model = gguf::read(&bytes).unwrap();
        let run = opened(&[(name.clone(), bytes)]).run;
        assert_eq!(model.tensors.len(), rows.as_array().unwrap().len(), "{name}");
        for (at, known) in rows.as_array().unwrap().iter().enumerate() {
            let (tensor, dtype, shape, size) = row(&run, at);
            assert_eq!((tensor, dtype.to_lowercase(), shape, size), stated(known), "{name}");
            assert_eq!(model.data_offset + model.tensors[at].offset, known[4].as_u64().unwrap(), "{name}");
        }
    }
}

#[test]
fn every_safetensors_tensor_is_what_the_package_reads() {
    let Some(data) = extra("safetensors") else { return };
    let oracle = expected("model-files");
    for (name, rows) in oracle["safetensors"].as_object().unwrap() {
        let (_, bytes) = file(&data, name);
        let header = safetensors::read(&bytes).unwrap();
        assert_eq!(header.remarks, Vec::<String>::new(), "{name}");
        let run = opened(&[(name.clone(), bytes)]).run;
        assert_eq!(header.tensors.len(), rows.as_array().unwrap().len(), "{name}");
        for (at, known) in rows.as_array().unwrap().iter().enumerate() {
            assert_eq!(row(&run, at), stated(known), "{name}");
            assert_eq!(header.tensors[at].offsets.unwrap().0, known[4].as_u64().unwrap(), "{name}");
        }
    }
}

/// What is said of each broken file: by hand from what the inventory says is broken in it.
#[test]
fn broken_safetensors_say_what_is_wrong() {
    let Some(data) = extra("safetensors") else { return };
    let said = |name: &str| match open_all(&[file(&data, &format!("broken__{name}.safetensors"))]) {
        Ok(imported) => imported.remarks.iter().map(|remark| remark.text.clone()).collect::<Vec<_>>().join(" "),
        Err(error) => error.to_string(),
    };
    for (name, words) in [
        ("duplicate-keys", "1 keys of the header stand twice, the first at /a"),
        ("empty", "is empty: it has no bytes"),
        ("header-len-101MB", "stated to be 101000000 bytes long; the format allows 100000000"),
        ("header-len-2^63", "stated to be 9223372036854775808 bytes long; the format allows 100000000"),
        ("non-utf8-header", "the header is no JSON: line 1, column 4: invalid unicode"),
        ("not-json", "the header is no JSON: line 1, column 56: the document ends too early"),
        ("overlapping-offsets", "1 of 3 tensors begin inside the one before them"),
        ("shape-overflow", "1 of 3 tensors have other bytes by their offsets than by type and shape"),
        ("trailing-garbage", "bytes behind the last tensor belong to none"),
        ("truncated-data", "3 of 3 tensors reach past the end of the file, which has 404 bytes"),
        ("truncated-header", "the header is stated to be 296 bytes long, and only 148 bytes follow"),
        ("unknown-dtype", "1 of 3 tensors have an element type that the format does not know"),
    ] {
        assert!(said(name).contains(words), "{name}: {}", said(name));
    }
}

/// Claims a length and hands out zeros behind a head, counting the largest piece asked for.
struct Claims {
    head: Vec<u8>,
    length: u64,
    asked: Cell<usize>,
}

impl ReadAt for Claims {
    fn len(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadFailed> {
        self.asked.set(self.asked.get().max(buffer.len()));
        buffer.fill(0);
        let from = usize::try_from(offset).unwrap();
        if let Some(rest) = self.head.get(from..) {
            let count = rest.len().min(buffer.len());
            buffer[..count].copy_from_slice(&rest[..count]);
        }
        Ok(())
    }
}

/// A file of 70 GB costs its header; a hostile length costs nothing. 70 GB and the pieces are this test's own numbers.
#[test]
fn only_headers_are_read() {
    let text =
        br#"{"model.embed_tokens.weight":{"dtype":"BF16","shape":[1000000,35000],"data_offsets":[0,70000000000]}}"#;
    let mut head = (text.len() as u64).to_le_bytes().to_vec();
    head.extend_from_slice(text);
    let length = head.len() as u64 + 70_000_000_000;
    let large = Claims { head, length, asked: Cell::new(0) };
    let files = vec![("m.safetensors".to_owned(), &large as &dyn ReadAt)];
    let run = open(files, &OpenOptions::default(), &mut |_| Continue::Yes).unwrap().run;
    assert_eq!(row(&run, 0).3, 70_000_000_000);
    assert!(large.asked.get() <= 64 * 1024, "{} bytes in one piece", large.asked.get());

    for stated in [u64::MAX >> 8, 1 << 40, 101_000_000] {
        let mut head = stated.to_le_bytes().to_vec();
        head.push(b'{');
        let hostile = Claims { head, length: 1 << 50, asked: Cell::new(0) };
        let files = vec![("m".to_owned(), &hostile as &dyn ReadAt)];
        let error = open(files, &OpenOptions::default(), &mut |_| Continue::Yes).unwrap_err();
        assert!(matches!(error, OpenError::Safetensors { .. }), "{error}");
        assert!(hostile.asked.get() <= 64 * 1024, "{} bytes for {stated}", hostile.asked.get());
    }
}

/// A safetensors file of tensors of two bytes each.
fn shard(names: &[&str]) -> Vec<u8> {
    let entry = |(at, name): (usize, &&str)| {
        format!(r#""{name}":{{"dtype":"F16","shape":[1,1],"data_offsets":[{},{}]}}"#, at * 2, at * 2 + 2)
    };
    let text = format!("{{{}}}", names.iter().enumerate().map(entry).collect::<Vec<_>>().join(","));
    let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(text.as_bytes());
    bytes.resize(bytes.len() + names.len() * 2, 0);
    bytes
}

fn shards() -> Files {
    vec![
        (
            "model-00002-of-00002.safetensors".to_owned(),
            shard(&["model.layers.1.self_attn.q_proj.weight", "lm_head.weight"]),
        ),
        (
            "model-00001-of-00002.safetensors".to_owned(),
            shard(&["model.embed_tokens.weight", "model.layers.0.mlp.up_proj.weight"]),
        ),
    ]
}

const INDEX: &str = r#"{"metadata":{"total_size":8},"weight_map":{
    "model.embed_tokens.weight":"model-00001-of-00002.safetensors","model.layers.0.mlp.up_proj.weight":"model-00001-of-00002.safetensors",
    "model.layers.1.self_attn.q_proj.weight":"model-00002-of-00002.safetensors","lm_head.weight":"model-00002-of-00002.safetensors"}}"#;
const CONFIG: &str = r#"{"model_type":"llama","num_hidden_layers":2,"hidden_size":1,"num_attention_heads":1,
    "intermediate_size":1,"vocab_size":1,"tie_word_embeddings":false,"time_step_limit":[0.0,Infinity]}"#;

fn text(name: &str, text: &str) -> (String, Vec<u8>) {
    (name.to_owned(), text.as_bytes().to_vec())
}

#[test]
fn shards_index_and_configuration_become_one_run() {
    let mut files = shards();
    let run = opened(&files).run;
    assert_eq!(run.model.tensors.name.get(0), Some("model.embed_tokens.weight"), "in the order of the shards");
    let whole: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
    assert_eq!(run.model.file_bytes, i64::try_from(whole).ok());
    assert!(run.reason("/model/architecture").contains("config.json"));

    files.push(text("model.safetensors.index.json", INDEX));
    files.push(text("config.json", CONFIG));
    let imported = opened(&files);
    let rules: Vec<&str> = imported.joins.iter().map(|note| note.rule).collect();
    assert_eq!(rules, ["shards-of-the-index", "layers-of-the-configuration"]);
    let run = imported.run;
    assert_eq!(run.model.architecture.as_deref(), Some("llama"));
    assert_eq!(run.model.tied_embedding, Some(false));
    // Each value keeps the file it came from.
    let label = |row: usize| run.model.tensors.labels.cell("bytes", row).unwrap().to_string();
    assert_eq!(label(0), "read:model-00001-of-00002.safetensors");
    assert_eq!(label(3), "read:model-00002-of-00002.safetensors");
    assert_eq!(run.model.parameters.labels.cell("value", 0).unwrap().to_string(), "read:config.json");
    assert_eq!(run.model.components.mixer.get(1), Some("full_attention"));
    assert!(imported.remarks.iter().any(|remark| remark.text.contains("NaN or Infinity")));
}

#[test]
fn an_index_alone_names_tensors_and_says_what_it_lacks() {
    let imported = opened(&[text("index.json", INDEX)]);
    let run = imported.run;
    assert_eq!(run.model.tensors.name.iter().count(), 4);
    assert_eq!(run.model.tensors.role.get(2), Some("attention_query"));
    assert!(run.reason("/model/tensors/bytes/0").contains("headers of the shards"));
    assert!(run.reason("/model/file_bytes").contains("The index states 8 bytes"));
    assert_eq!(imported.left_out.iter().filter(|note| note.what == "a shard of the model").count(), 2);

    let mut one = shards();
    one.truncate(1);
    one.push(text("index.json", INDEX));
    let run = opened(&one).run;
    assert_eq!(run.model.file_bytes, None);
    assert_eq!((0..4).filter_map(|row| run.model.tensors.bytes.get(row)).count(), 2);
}

#[test]
fn what_is_ambiguous_is_refused() {
    let refused = |files: &[(String, Vec<u8>)]| match open_all(files) {
        Err(error @ OpenError::DoNotBelong { .. }) => error.to_string(),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("joined"),
    };
    let named = |names: [&str; 2]| -> Files {
        names.into_iter().zip(shards()).map(|(name, (_, bytes))| (name.to_owned(), bytes)).collect()
    };
    assert!(refused(&named(["a.safetensors", "b.safetensors"])).contains("give model.safetensors.index.json"));
    assert!(
        refused(&named(["a-00001-of-00002.safetensors", "b-00002-of-00002.safetensors"])).contains("different models")
    );
    let same = vec![shards().remove(0), ("model-00001-of-00002.safetensors".to_owned(), shards().remove(0).1)];
    assert!(refused(&same).contains("both hold the tensor"));
    let mut foreign = shards();
    foreign.push(text("config.json", &CONFIG.replace("\"num_hidden_layers\":2", "\"num_hidden_layers\":1")));
    assert!(refused(&foreign).contains("the configuration has 1 layers"));
    let mut other = vec![("x.safetensors".to_owned(), shard(&["model.layers.0.other.weight"]))];
    other.push(text("index.json", INDEX));
    assert!(refused(&other).contains("not in the index"));
}

/// Every configuration handed over gives a model, or the field it lacks is named.
#[test]
fn every_configuration_gives_a_model_or_names_the_field() {
    let Some(data) = extra("hfconfig") else { return };
    let mut models = 0;
    for entry in std::fs::read_dir(&data).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let files = [file(&data, &name)];
        if name.ends_with("hf_quant_config.json") {
            assert!(open_all(&files).unwrap_err().to_string().contains("lacks the field model_type"), "{name}");
            continue;
        }
        let run = opened(&files).run;
        let parameter = |known: &str| {
            (0..run.model.parameters.name.iter().count()).find(|row| run.model.parameters.name.get(*row) == Some(known))
        };
        assert!(run.model.layers.is_some() && parameter("embedding_length").is_some(), "{name}");
        assert!(run.reason("/model/tensors").contains("holds no tensors"), "{name}");
        models += 1;
    }
    println!("{models} configurations");
    // By hand from the files: the list of layer_types, the pattern M/E/*, the interval of 4, first_k_dense_replace 3.
    let kinds = |name: &str, kind: &str| {
        let run = opened(&[file(&data, name)]).run;
        let components = &run.model.components;
        components.mixer.iter().chain(components.network.iter()).filter(|found| *found == Some(kind)).count()
    };
    assert_eq!(kinds("ai-dynamo__aiconfigurator-core__openai--gpt-oss-20b_config.json", "sliding_attention"), 12);
    assert_eq!(kinds("huggingface__transformers-5.24.0-DEFAULTS__gemma3_text_config.json", "sliding_attention"), 22);
    let nemotron = "ai-dynamo__aiconfigurator-core__nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16_config.json";
    assert_eq!(
        (kinds(nemotron, "state_space"), kinds(nemotron, "full_attention"), kinds(nemotron, "experts")),
        (23, 6, 23)
    );
    let next = "ai-dynamo__aiconfigurator__Qwen--Qwen3-Next-80B-A3B-Thinking_config.json";
    assert_eq!((kinds(next, "full_attention"), kinds(next, "linear_attention")), (12, 36));
    assert_eq!(kinds("ai-dynamo__aiconfigurator-core__deepseek-ai--DeepSeek-V3_config.json", "experts"), 58);
}

/// A GGUF of version 3 with the keys of a split model and one F32 tensor of one element.
fn part(number: u16, count: u16, tensor: &str) -> Vec<u8> {
    let text = |out: &mut Vec<u8>, text: &str| {
        out.extend((text.len() as u64).to_le_bytes());
        out.extend(text.as_bytes());
    };
    let mut out = b"GGUF\x03\0\0\0".to_vec();
    out.extend(1_u64.to_le_bytes());
    out.extend(2_u64.to_le_bytes());
    for (key, value) in [("split.no", number), ("split.count", count)] {
        text(&mut out, key);
        out.extend(2_u32.to_le_bytes());
        out.extend(value.to_le_bytes());
    }
    text(&mut out, tensor);
    out.extend(1_u32.to_le_bytes());
    out.extend(1_u64.to_le_bytes());
    out.extend(0_u32.to_le_bytes());
    out.extend(0_u64.to_le_bytes());
    out.resize(out.len().next_multiple_of(32) + 4, 0);
    out
}

#[test]
fn parts_of_a_split_model() {
    let two = [("b".to_owned(), part(1, 2, "output.weight")), ("a".to_owned(), part(0, 2, "token_embd.weight"))];
    let imported = opened(&two);
    assert_eq!(imported.joins[0].rule, "split-parts");
    assert_eq!(imported.run.model.tensors.name.get(1), Some("output.weight"));
    assert_eq!(imported.run.model.file_bytes, i64::try_from(two[0].1.len() + two[1].1.len()).ok());
    let one = opened(&two[..1]);
    assert_eq!(one.run.model.file_bytes, None);
    assert!(one.remarks.iter().any(|remark| remark.text.contains("Of 2 parts these are not given: 1.")));
    let twice = [("b".to_owned(), part(1, 2, "output.weight")), ("c".to_owned(), part(1, 2, "x"))];
    assert!(open_all(&twice).unwrap_err().to_string().contains("both are part 2 of 2"));
}

/// Seeds, and every seed with each of its bytes changed: what the fuzz target checks, without a fuzzer.
#[test]
fn seeds_and_their_neighbours_get_an_answer() {
    for entry in std::fs::read_dir(support::root().join("fuzz/seeds/model_files")).unwrap() {
        let mut bytes = std::fs::read(entry.unwrap().path()).unwrap();
        property::holds(&bytes);
        for at in 0..bytes.len() {
            let known = bytes[at];
            for other in [0, 0xff, b'"', b'9', b'{'] {
                bytes[at] = other;
                property::holds(&bytes);
            }
            bytes[at] = known;
            property::holds(&bytes[..at]);
        }
    }
}
