//! What a visitor downloads, before a file is opened, for opening one and for opening a trace: sizes and limits.
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

/// The page with its styles, scripts and module, compressed: what opens within a second or two on a slow line.
const FIRST_LOAD_LIMIT: usize = 400_000;

/// The name of the module that loads when a file is opened: the engine with its readers and lenses.
pub(crate) const ENGINE: &str = "engine";

/// What the engine may not exceed, compressed; a little above what it is, so that it grows only on purpose.
const ENGINE_LIMIT: usize = 875_000;

/// The name of the module that loads when a trace is opened: SQLite and what reads it.
pub(crate) const TRACE: &str = "trace";

/// What that may not exceed, compressed: it loads in the time in which a large trace is read.
const TRACE_LIMIT: usize = 500_000;

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

/// The sizes as lines of text, with the sum of each load.
pub(crate) fn table(payloads: &[Payload]) -> String {
    let mut text = String::new();
    for load in Load::ALL {
        let _ = writeln!(text, "    {:<28}{:>12}{:>12}", load.name(), "bytes", "gzip");
        for payload in load.of(payloads) {
            let _ = writeln!(text, "    {:<28}{:>12}{:>12}", payload.name, payload.raw, payload.gzip);
        }
        let raw: usize = load.of(payloads).map(|payload| payload.raw).sum();
        let _ =
            writeln!(text, "    {:<28}{raw:>12}{:>12}  of at most {}", "together", load.gzip(payloads), load.limit());
    }
    text
}

/// Fails when a load is over its limit.
pub(crate) fn within_budget(payloads: &[Payload]) -> Result<()> {
    for load in Load::ALL {
        let sum = load.gzip(payloads);
        if load.limit() < sum {
            bail!("{}: {sum} bytes after gzip; the limit is {}", load.name(), load.limit());
        }
    }
    Ok(())
}

/// When files are downloaded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Load {
    /// With the page, before any file is opened.
    First,
    /// When a file is opened.
    Engine,
    /// When a trace is opened.
    Trace,
}

impl Load {
    const ALL: [Load; 3] = [Load::First, Load::Engine, Load::Trace];

    fn name(self) -> &'static str {
        match self {
            Self::First => "first load",
            Self::Engine => "when a file is opened",
            Self::Trace => "when a trace is opened",
        }
    }

    fn limit(self) -> usize {
        match self {
            Self::First => FIRST_LOAD_LIMIT,
            Self::Engine => ENGINE_LIMIT,
            Self::Trace => TRACE_LIMIT,
        }
    }

    fn of_file(name: &str) -> Load {
        let of_module = |module: &str| name == format!("{module}.js") || name == format!("{module}_bg.wasm");
        if of_module(ENGINE) {
            Load::Engine
        } else if of_module(TRACE) {
            Load::Trace
        } else {
            Load::First
        }
    }

    fn of(self, payloads: &[Payload]) -> impl Iterator<Item = &Payload> {
        payloads.iter().filter(move |payload| Load::of_file(&payload.name) == self)
    }

    fn gzip(self, payloads: &[Payload]) -> usize {
        self.of(payloads).map(|payload| payload.gzip).sum()
    }
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
    fn each_load_is_held_to_its_limit() {
        let under = [payload("a.wasm", 399_999), payload("b.js", 1), payload("engine_bg.wasm", 700_000)];
        assert!(within_budget(&under).is_ok());
        assert!(table(&under).contains("400000  of at most 400000"));
        let over = [payload("a.wasm", 399_999), payload("b.js", 2)];
        let error = within_budget(&over).unwrap_err().to_string();
        assert!(error.contains("first load: 400001"), "{error}");
        let heavy = [payload("engine.js", 1), payload("engine_bg.wasm", ENGINE_LIMIT)];
        assert!(within_budget(&heavy).unwrap_err().to_string().contains("when a file is opened"));
        let heavy = [payload("trace.js", 1), payload("trace_bg.wasm", TRACE_LIMIT), payload("traces.html", 1)];
        let error = within_budget(&heavy).unwrap_err().to_string();
        assert!(error.contains("when a trace is opened: 500001"), "{error}");
    }

    #[test]
    fn gzip_sizes_are_close_to_those_of_the_gzip_program() {
        // `gzip -9nc LICENSE-APACHE | wc -c` (gzip 1.12) prints GZIP_PROGRAM.
        const GZIP_PROGRAM: usize = 3968;
        let ours = gzipped_len(include_bytes!("../../../LICENSE-APACHE")).unwrap();
        assert!(ours.abs_diff(GZIP_PROGRAM) * 50 < GZIP_PROGRAM, "{ours} is 2 % or more off");
    }
}
