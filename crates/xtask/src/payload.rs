//! What a visitor downloads before a file is opened: its sizes and its limit.
//!
//! Sizes are bytes; "gzip" is what gzip's best level leaves, which static servers send.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Result, bail};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::web::files_below;

/// The page with its styles, scripts and module, compressed: what it is to come down to, so that it
/// opens within a second or two on a slow line. Not met yet; the table says so at every build.
const FIRST_LOAD_TARGET: usize = 400_000;

/// What a build may not exceed meanwhile, a little above what it is, so that it only ever shrinks.
const FIRST_LOAD_LIMIT: usize = 800_000;

/// One file of the site.
#[derive(Debug)]
pub(crate) struct Payload {
    /// Relative to the site, with `/` between folders.
    name: String,
    /// Bytes on disk.
    raw: usize,
    /// Bytes after gzip.
    gzip: usize,
}

/// Measures all files of the site but the sample captures, which load when asked for.
pub(crate) fn measure(site: &Path) -> Result<Vec<Payload>> {
    let mut payloads = Vec::new();
    for file in files_below(site)? {
        let relative = file.strip_prefix(site)?;
        if relative.starts_with("samples") {
            continue;
        }
        let bytes = fs::read(&file)?;
        payloads.push(Payload {
            name: relative.to_string_lossy().replace('\\', "/"),
            raw: bytes.len(),
            gzip: gzipped_len(&bytes)?,
        });
    }
    Ok(payloads)
}

/// The sizes as lines of text, the sum last.
pub(crate) fn table(payloads: &[Payload]) -> String {
    let mut text = format!("    {:<28}{:>12}{:>12}\n", "first load", "bytes", "gzip");
    for payload in payloads {
        let _ = writeln!(text, "    {:<28}{:>12}{:>12}", payload.name, payload.raw, payload.gzip);
    }
    let raw: usize = payloads.iter().map(|payload| payload.raw).sum();
    let _ = writeln!(
        text,
        "    {:<28}{raw:>12}{:>12}  of at most {FIRST_LOAD_LIMIT}, aim {FIRST_LOAD_TARGET}",
        "together",
        gzip_sum(payloads)
    );
    text
}

/// Fails when the first load is over its limit.
pub(crate) fn within_budget(payloads: &[Payload]) -> Result<()> {
    let sum = gzip_sum(payloads);
    if FIRST_LOAD_LIMIT < sum {
        bail!("the first load is {sum} bytes after gzip; the limit is {FIRST_LOAD_LIMIT}");
    }
    Ok(())
}

fn gzip_sum(payloads: &[Payload]) -> usize {
    payloads.iter().map(|payload| payload.gzip).sum()
}

fn gzipped_len(bytes: &[u8]) -> Result<usize> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload(name: &str, gzip: usize) -> Payload {
        Payload { name: name.to_owned(), raw: gzip * 3, gzip }
    }

    #[test]
    fn the_sum_of_all_files_is_held_to_the_limit() {
        let under = [payload("a.wasm", 799_999), payload("b.js", 1)];
        assert!(within_budget(&under).is_ok());
        assert!(table(&under).contains("800000  of at most 800000, aim 400000"));
        let over = [payload("a.wasm", 799_999), payload("b.js", 2)];
        let error = within_budget(&over).unwrap_err().to_string();
        assert!(error.contains("800001"), "{error}");
    }

    #[test]
    fn gzip_sizes_are_close_to_those_of_the_gzip_program() {
        // `gzip -9nc LICENSE-APACHE | wc -c` (gzip 1.12) prints GZIP_PROGRAM.
        const GZIP_PROGRAM: usize = 3968;
        let ours = gzipped_len(include_bytes!("../../../LICENSE-APACHE")).unwrap();
        assert!(ours.abs_diff(GZIP_PROGRAM) * 50 < GZIP_PROGRAM, "{ours} is 2 % or more off");
    }
}
