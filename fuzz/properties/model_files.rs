//! What holds for any bytes that are read as a model file. The fuzz target and an ordinary test both check it.

use tokenpath_core::bundle::validate;
use tokenpath_import::{Continue, OpenOptions, ReadAt, config, gguf, open, safetensors};

/// Panics when it does not hold.
pub(crate) fn holds(bytes: &[u8]) {
    // Each reader by itself: sniffing would keep most bytes from most readers.
    let _ = gguf::read(&bytes);
    let _ = safetensors::read(&bytes);
    let _ = safetensors::read_index(bytes);
    let _ = config::read(bytes);
    // What opens has no problem.
    let files = vec![("model".to_owned(), &bytes as &dyn ReadAt)];
    if let Ok(imported) = open(files, &OpenOptions::default(), &mut |_| Continue::Yes) {
        for problem in validate(&imported.run) {
            assert!(problem.rule.is_notice(), "{problem}");
        }
    }
}
