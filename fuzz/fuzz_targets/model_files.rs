//! Any bytes as a model file: GGUF, safetensors, their index, a configuration.

#![no_main]

#[path = "../properties/model_files.rs"]
mod property;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| property::holds(bytes));
