//! `tokenpath publish`: recordings as a static site.
//!
//! A folder per recording with a file per lens, complete without scripts; the page's assets once, under a name made
//! from their content, so that they can be cached for ever; an index. Nothing is deleted that was not written here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::ExitCode;

use tokenpath_core::bundle;
use tokenpath_core::traverse::{ComputedBy, verdict};
use tokenpath_pages::lens::Lens;
use tokenpath_pages::page::Context;
use tokenpath_pages::shell::{self, Assets};
use tokenpath_pages::site::{self, Entry};
use tokenpath_pages::view::{Links, View};

use crate::args::Publish;
use crate::output::{Failure, note, write_file};
use crate::run::{Opened, open};
use crate::{Done, files, page};

/// The recording's own file in its folder.
const BUNDLE: &str = "run.json.gz";

/// Writes the site and says what it wrote.
pub(crate) fn run(publish: &Publish) -> Done {
    page::present()?;
    if let Some(base) = &publish.base_url
        && !(base.starts_with("https://") || base.starts_with("http://"))
    {
        return Err(
            Failure::new(format!("{base:?} is no address of a site")).advise("It begins with https:// or http://.")
        );
    }
    // Every recording is opened before anything is written: a bad one leaves the folder as it was.
    let mut recordings = Vec::new();
    let mut taken = BTreeSet::new();
    for path in &publish.runs {
        let opened = open(std::slice::from_ref(path), true)?;
        let slug = unique(slug(path, &opened), &mut taken);
        recordings.push((slug, opened));
    }
    let assets = write_assets(&publish.output)?;
    let mut entries = Vec::new();
    for (slug, opened) in &recordings {
        let entry = write_recording(publish, slug, opened, &assets)?;
        note(format!("Wrote {}/{slug}: {}, verdict {}.", publish.output.display(), entry.title, entry.verdict));
        entries.push(entry);
    }
    let style = format!("{assets}/style.css");
    let index = site::index(&publish.title, &entries, &Assets { style: &style, script: None, bundle: None });
    write(&publish.output.join("index.html"), index.as_bytes())?;
    note(format!(
        "Wrote {}: {}.",
        publish.output.join("index.html").display(),
        files::plural(entries.len(), "recording", "recordings")
    ));
    Ok(ExitCode::SUCCESS)
}

fn write_recording(publish: &Publish, slug: &str, opened: &Opened, assets: &str) -> Result<Entry, Failure> {
    let folder = publish.output.join(slug);
    let verdict = verdict(&opened.run, None, ComputedBy::Generator);
    write(&folder.join(BUNDLE), &bundle::write_gzip(&opened.run))?;
    let style = format!("../{assets}/style.css");
    let script = format!("../{assets}/boot.js");
    let document = Assets { style: &style, script: Some(&script), bundle: Some(BUNDLE) };
    for lens in Lens::ALL {
        let view = View::of(lens);
        let cx = Context {
            run: &opened.run,
            problems: &opened.problems,
            view: &view,
            links: Links::Files,
            verdict: Some(&verdict),
            timeline: None,
        };
        let html = shell::document(&cx, &document);
        let html = match &publish.base_url {
            None => html,
            Some(base) => site::with_canonical(&html, &format!("{}/{slug}/{}", base.trim_end_matches('/'), file(lens))),
        };
        write(&folder.join(file(lens)), html.as_bytes())?;
    }
    Ok(Entry::of(slug, &opened.run, &verdict))
}

fn file(lens: Lens) -> String {
    if lens == Lens::Run { "index.html".to_owned() } else { format!("{}.html", lens.slug()) }
}

/// Writes the page's files under `assets/<hash>` and returns that path.
fn write_assets(output: &Path) -> Result<String, Failure> {
    let assets: BTreeMap<String, &[u8]> = page::files().into_iter().filter(|(path, _)| path != "index.html").collect();
    let mut hasher = DefaultHasher::new();
    assets.hash(&mut hasher);
    let folder = format!("assets/{:016x}", hasher.finish());
    for (path, content) in assets {
        write(&output.join(&folder).join(path), content)?;
    }
    Ok(folder)
}

fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|error| Failure::io("creating", parent, &error))?;
    }
    write_file(path, content)
}

/// The name of a recording's folder: the file's, or its folder's when the file is called `run`; else the run's id.
fn slug(path: &Path, opened: &Opened) -> String {
    let name = files::name(path);
    let stem = name.trim_end_matches(".gz").trim_end_matches(".json");
    let parent = path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let chosen = match (stem, parent) {
        ("run", Some(parent)) => parent,
        ("run" | "", None) => opened.run.identity.id.clone().unwrap_or_default(),
        (stem, _) => stem.to_owned(),
    };
    let mut slug = String::new();
    for c in chosen.to_lowercase().chars() {
        match c {
            'a'..='z' | '0'..='9' | '.' | '_' => slug.push(c),
            _ if slug.ends_with('-') || slug.is_empty() => {}
            _ => slug.push('-'),
        }
    }
    let slug = slug.trim_matches(['-', '.']).to_owned();
    if slug.is_empty() || slug == "assets" { "recording".to_owned() } else { slug }
}

fn unique(slug: String, taken: &mut BTreeSet<String>) -> String {
    let mut candidate = slug.clone();
    let mut number = 2;
    while !taken.insert(candidate.clone()) {
        candidate = format!("{slug}-{number}");
        number += 1;
    }
    candidate
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_apart() {
        let mut taken = BTreeSet::new();
        assert_eq!(unique("a".to_owned(), &mut taken), "a");
        assert_eq!(unique("a".to_owned(), &mut taken), "a-2");
        assert_eq!(unique("a".to_owned(), &mut taken), "a-3");
    }
}
