//! Any bytes as a bundle.

#![no_main]

#[path = "../properties/bundle_read.rs"]
mod property;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| property::holds(bytes));
