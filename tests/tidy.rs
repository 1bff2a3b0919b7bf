//! The repository's habits, for its text files: what each Rust file opens with, how long it may be,
//! which names and words it may not have, and that documents name files that exist.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say so at once")]

use tokenpath_tests::repository;

/// The most lines that a Rust file may have.
const MOST_LINES: usize = 600;

/// Rust files that may be longer, each with the reason.
const LONGER: &[(&str, &str)] = &[
    (
        "crates/tokenpath-core/tests/properties/recipe.rs",
        "one recipe per table of the format, which read best beside each other",
    ),
    (
        "crates/tokenpath-import/examples/make_synthetic.rs",
        "one made-up recording, told from its first row to its last",
    ),
];

/// Names that say nothing about what a module holds.
const EMPTY_NAMES: [&str; 7] = ["common", "helper", "helpers", "misc", "shared", "util", "utils"];

/// Where documents name files from the top of the repository.
const TOP_FOLDERS: [&str; 8] = [".cargo/", ".ci/", "crates/", "docs/", "fixtures/", "spec/", "tests/", "www/"];

/// Words of unfinished work. They are put together here so that this file does not hold them.
const UNFINISHED: [&str; 4] =
    [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("todo", "!("), concat!("unimplemented", "!(")];

/// What git leaves at the beginning of lines that it could not merge.
const CONFLICT: [&str; 2] = [concat!("<<<<", "<<< "), concat!(">>>>", ">>> ")];

/// Beginnings of paths that exist on somebody's machine only.
const MACHINE_PATHS: [&str; 3] = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")];

fn fails(broken: &[String]) {
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

fn files_ending(endings: &[&str]) -> Vec<(String, String)> {
    let files = repository::files().unwrap().into_iter();
    files
        .filter(|file| endings.iter().any(|ending| file.ends_with(ending)))
        .map(|file| {
            let text = repository::text(&file).unwrap();
            (file, text)
        })
        .collect()
}

#[test]
fn every_rust_file_opens_with_what_it_is_for() {
    let opens =
        |text: &str| text.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| line.starts_with("//! "));
    let files = files_ending(&[".rs"]);
    assert!(files.len() > 20, "only {} Rust files were found", files.len());
    let broken: Vec<String> = files
        .into_iter()
        .filter(|(_, text)| !opens(text))
        .map(|(file, _)| format!("{file} does not open with //! and what it is for"))
        .collect();
    fails(&broken);
}

#[test]
fn no_rust_file_is_too_long() {
    let mut broken = Vec::new();
    for (file, text) in files_ending(&[".rs"]) {
        let lines = text.lines().count();
        match (MOST_LINES < lines, LONGER.iter().any(|(longer, _)| *longer == file)) {
            (true, false) => broken.push(format!("{file} has {lines} lines, more than {MOST_LINES}")),
            (false, true) => broken.push(format!("{file} has {lines} lines: it need not be in LONGER")),
            _ => {}
        }
    }
    for (file, reason) in LONGER {
        if reason.len() < 20 || !repository::root().join(file).is_file() {
            broken.push(format!("LONGER names {file}, which is not there or has no reason"));
        }
    }
    fails(&broken);
}

#[test]
fn module_names_say_what_a_module_holds() {
    let mut broken = Vec::new();
    for file in repository::files().unwrap() {
        let parts = file.trim_end_matches(".rs").split('/');
        if file.ends_with(".rs") && parts.clone().any(|part| EMPTY_NAMES.contains(&part)) {
            broken.push(format!("{file}: name it for what it holds"));
        }
    }
    fails(&broken);
}

#[test]
fn nothing_is_left_unfinished_and_no_machine_is_named() {
    let mut broken = Vec::new();
    let endings =
        [".rs", ".md", ".mjs", ".js", ".css", ".html", ".toml", ".py", ".sh", ".yml", ".yaml", ".ci/run", ".gitignore"];
    for (file, text) in files_ending(&endings) {
        for (index, line) in text.lines().enumerate() {
            if CONFLICT.iter().any(|mark| line.starts_with(mark)) {
                broken.push(format!("{file}:{}: a merge was not finished", index + 1));
            }
            for word in UNFINISHED.iter().filter(|word| line.contains(**word)) {
                broken.push(format!("{file}:{}: {word}", index + 1));
            }
            for path in MACHINE_PATHS.iter().filter(|path| names_path(line, path)) {
                broken.push(format!("{file}:{}: {path} is a path of one machine", index + 1));
            }
        }
    }
    fails(&broken);
}

/// Whether `path` begins a path in the line, rather than going on one (as in `a/work/b`).
fn names_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "_-.~}".contains(c))
    })
}

#[test]
fn documents_name_files_that_exist() {
    let mut broken = Vec::new();
    for (file, text) in files_ending(&[".md"]) {
        for (index, line) in text.lines().enumerate() {
            for named in named_files(&file, line) {
                if !repository::root().join(&named).exists() {
                    broken.push(format!("{file}:{}: there is no {named}", index + 1));
                }
            }
        }
    }
    fails(&broken);
}

/// The files of the repository that a line of a document names: words that begin with a top folder,
/// and the targets of links, which count from the document's own folder.
fn named_files(document: &str, line: &str) -> Vec<String> {
    let is_plain = |path: &&str| path.chars().all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c));
    let is_placeholder = |part: &str| 1 < part.len() && part.chars().all(|c| c.is_ascii_uppercase());
    let words = line
        .split(|c: char| c.is_whitespace() || "`'\"()[]<>,;|".contains(c))
        .map(|word| word.trim_end_matches(['.', ':', '/']))
        .filter(|word| TOP_FOLDERS.iter().any(|folder| word.starts_with(folder)))
        .map(str::to_owned);
    let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
    let links = line
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split([')', '#']).next())
        .filter(|target| !target.is_empty() && !target.contains(':') && !target.starts_with("dist/"))
        .map(|target| format!("{folder}/{target}").trim_start_matches('/').to_owned());
    words.chain(links).filter(|path| is_plain(&path.as_str()) && !path.split('/').any(is_placeholder)).collect()
}

#[test]
fn the_module_and_what_binds_it_have_one_version() {
    let lock = repository::text("Cargo.lock").unwrap();
    let version_of = |package: &str| {
        let (_, after) = lock.split_once(&format!("name = \"{package}\"\nversion = \"")).unwrap();
        after.split('"').next().unwrap().to_owned()
    };
    let version = version_of("wasm-bindgen");
    for package in ["wasm-bindgen-cli-support", "wasm-bindgen-cli", "wasm-bindgen-shared"] {
        assert_eq!(version_of(package), version, "{package} and wasm-bindgen share a private format");
    }
}

#[test]
fn the_checks_of_lines_find_what_they_are_about() {
    let machine = concat!("/wo", "rk/");
    assert!(names_path(&format!("see {machine}a"), machine));
    assert!(names_path(&format!("`{machine}a`"), machine));
    assert!(!names_path(&format!("https://example.org{machine}a"), machine));

    let line =
        "See `crates/x/src/lib.rs`, [the spec](../spec/bundle.md#units), [site](https://a.b/c) and fixtures/NAME/a.";
    assert_eq!(named_files("docs/guide.md", line), ["crates/x/src/lib.rs", "docs/../spec/bundle.md"]);
    assert_eq!(named_files("README.md", "[a](ARCHITECTURE.md), `crates/*/src`"), ["ARCHITECTURE.md"]);
}
