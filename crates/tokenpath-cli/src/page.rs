//! The page inside this program.

use include_dir::{Dir, DirEntry, include_dir};

use crate::output::Failure;

static SITE: Dir<'_> = include_dir!("$OUT_DIR/site");

/// The content of one of the page's files.
pub(crate) fn file(path: &str) -> Option<&'static [u8]> {
    SITE.get_file(path).map(include_dir::File::contents)
}

/// Every file of the page: path and content. The sample captures are left out.
pub(crate) fn files() -> Vec<(String, &'static [u8])> {
    let mut found = Vec::new();
    collect(&SITE, &mut found);
    found
}

fn collect(dir: &Dir<'static>, found: &mut Vec<(String, &'static [u8])>) {
    for entry in dir.entries() {
        match entry {
            DirEntry::Dir(dir) if dir.path().starts_with("samples") => {}
            DirEntry::Dir(dir) => collect(dir, found),
            DirEntry::File(file) => found.push((file.path().to_string_lossy().replace('\\', "/"), file.contents())),
        }
    }
}

/// Whether this build has the page in it.
///
/// # Errors
/// When it has not, with the way to get it.
pub(crate) fn present() -> Result<(), Failure> {
    if file("index.html").is_some() {
        return Ok(());
    }
    Err(Failure::new("this build of tokenpath has no page in it")
        .advise("Run `cargo xtask web` and build again, or install with `cargo install --path`."))
}

/// The media type of a file, by its extension.
pub(crate) fn media_type(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or("") {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "json" => "application/json",
        _ => "application/octet-stream",
    }
}
