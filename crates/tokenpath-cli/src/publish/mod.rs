//! `tokenpath publish`: recordings as a static site.
//!
//! A folder per recording with a file per lens, complete without scripts; the page's assets once, under a name made
//! from their content, so that they can be cached for ever; an index.

mod site_files;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;

use sha2::{Digest as _, Sha256};
use tokenpath_core::bundle::{self, Removed};
use tokenpath_core::traverse::{ComputedBy, verdict};
use tokenpath_pages::lens::Lens;
use tokenpath_pages::page::Context;
use tokenpath_pages::shell::{self, Assets};
use tokenpath_pages::site::{self, Entry};
use tokenpath_pages::view::{Links, View};
use url::Url;

use crate::args::Publish;
use crate::output::{Failure, note};
use crate::run::{Opened, open};
use crate::{Done, files, page};

use site_files::{Site, hex};

/// The recording's own file in its folder.
const BUNDLE: &str = "run.json.gz";

/// Writes the site and says what it wrote.
pub(crate) fn run(publish: &Publish) -> Done {
    page::present()?;
    let base = publish.base_url.as_deref().map(base_address).transpose()?;
    // Every recording is opened before anything is written: a bad one leaves the folder as it was.
    let mut recordings = Vec::new();
    let mut taken = BTreeSet::new();
    for path in &publish.runs {
        let mut opened = open(std::slice::from_ref(path), true, publish.of)?;
        refuse_errors(path, &opened)?;
        if !publish.keep_text {
            say_removed(path, &bundle::redact(&mut opened.run));
        }
        let slug = unique(slug(path, &opened), &mut taken);
        recordings.push((slug, opened));
    }
    let mut site = Site::default();
    let assets = add_assets(&mut site);
    let mut entries = Vec::new();
    for (slug, opened) in &recordings {
        entries.push(add_recording(&mut site, base.as_deref(), slug, opened, &assets));
    }
    let style = format!("{assets}/style.css");
    let index = site::index(&publish.title, &entries, &Assets { style: &style, script: None, bundle: None });
    site.add("index.html", index.into_bytes());
    let stayed = site.write(&publish.output)?;
    for (entry, (slug, _)) in entries.iter().zip(&recordings) {
        note(format!("Wrote {}/{slug}: {}, verdict {}.", publish.output.display(), entry.title, entry.verdict));
    }
    note(format!(
        "Wrote {}: {}.",
        publish.output.join("index.html").display(),
        files::plural(entries.len(), "recording", "recordings")
    ));
    if stayed > 0 {
        note(format!("{} of an earlier publication stay; nothing is deleted.", files::plural(stayed, "file", "files")));
    }
    Ok(ExitCode::SUCCESS)
}

/// A recording with errors would look sound to whoever reads the site.
fn refuse_errors(path: &Path, opened: &Opened) -> Result<(), Failure> {
    let errors: Vec<_> = opened.problems.iter().filter(|problem| !problem.rule.is_notice()).collect();
    if errors.is_empty() {
        return Ok(());
    }
    for error in &errors {
        note(format!("  error: {error}"));
    }
    Err(Failure::new(format!("{} has {}", path.display(), files::plural(errors.len(), "error", "errors")))
        .advise("Nothing was written. `tokenpath check` lists them; mend the producer, then publish."))
}

fn say_removed(path: &Path, removed: &[Removed]) {
    if !removed.is_empty() {
        let list: Vec<String> =
            removed.iter().map(|removed| format!("{} ({})", removed.pointer, removed.values)).collect();
        note(format!("Removed private text of {}: {}. --keep-text keeps it.", path.display(), list.join(", ")));
    }
}

/// The address of a site, without a slash at its end.
fn base_address(text: &str) -> Result<String, Failure> {
    let refused = |why: &str| {
        Failure::new(format!("{text:?} is no address of a site: {why}"))
            .advise("It looks like https://example.org/runs, without a query or a fragment.")
    };
    let address = Url::parse(text).map_err(|error| refused(&error.to_string()))?;
    if !matches!(address.scheme(), "https" | "http") {
        return Err(refused("it begins with neither https:// nor http://"));
    }
    if address.query().is_some() || address.fragment().is_some() {
        return Err(refused("it has a query or a fragment"));
    }
    if !address.username().is_empty() || address.password().is_some() {
        return Err(refused("it has a user or a password, which would be published"));
    }
    Ok(address.as_str().trim_end_matches('/').to_owned())
}

fn add_recording(site: &mut Site, base: Option<&str>, slug: &str, opened: &Opened, assets: &str) -> Entry {
    let verdict = verdict(&opened.run, None, ComputedBy::Generator);
    site.add(format!("{slug}/{BUNDLE}"), bundle::write_gzip(&opened.run));
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
            model: None,
        };
        let html = shell::document(&cx, &document);
        let html = match base {
            None => html,
            Some(base) => site::with_canonical(&html, &format!("{base}/{slug}/{}", file(lens))),
        };
        site.add(format!("{slug}/{}", file(lens)), html.into_bytes());
    }
    Entry::of(slug, &opened.run, &verdict)
}

fn file(lens: Lens) -> String {
    if lens == Lens::Run { "index.html".to_owned() } else { format!("{}.html", lens.slug()) }
}

/// Adds the page's files under `assets/<digest>` and returns that path.
fn add_assets(site: &mut Site) -> String {
    let assets: BTreeMap<String, &[u8]> = page::files().into_iter().filter(|(path, _)| path != "index.html").collect();
    let mut hasher = Sha256::new();
    for (path, content) in &assets {
        hasher.update((path.len() as u64).to_le_bytes());
        hasher.update(path);
        hasher.update((content.len() as u64).to_le_bytes());
        hasher.update(content);
    }
    let digest = hex(&hasher.finalize());
    // Sixty-four bits tell the few versions of one site apart.
    let folder = format!("assets/{}", digest.get(..16).unwrap_or(&digest));
    for (path, content) in assets {
        site.add(format!("{folder}/{path}"), content.to_vec());
    }
    folder
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
    if slug.is_empty() || slug == "assets" || slug == site_files::MANIFEST { "recording".to_owned() } else { slug }
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
#[allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_a_site_has_no_more_than_a_path() {
        for (text, address) in [
            ("https://example.org", "https://example.org"),
            ("https://example.org/runs/", "https://example.org/runs"),
            ("http://[::1]:8080/a b/", "http://[::1]:8080/a%20b"),
        ] {
            assert_eq!(base_address(text).unwrap(), address);
        }
        for text in [
            "example.org",
            "ftp://example.org",
            "https://",
            "https://example.org/?a=1",
            "https://example.org/#run",
            "https://me:secret@example.org",
            "javascript:alert(1)",
            "",
        ] {
            assert!(base_address(text).is_err(), "{text}");
        }
    }

    #[test]
    fn names_stay_apart() {
        let mut taken = BTreeSet::new();
        assert_eq!(unique("a".to_owned(), &mut taken), "a");
        assert_eq!(unique("a".to_owned(), &mut taken), "a-2");
        assert_eq!(unique("a".to_owned(), &mut taken), "a-3");
    }
}
