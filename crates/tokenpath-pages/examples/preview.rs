//! Draws the lenses of a bundle into one HTML file each, to look at them without the web shell.
//!
//! `cargo run -p tokenpath-pages --example preview -- RUN.json OUT_DIR VIEW...`, a view being a fragment such as
//! `model?sel=layer:0`. Must never contain: anything that the product needs.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use tokenpath_core::bundle;
use tokenpath_pages::html::{DOCTYPE, PreEscaped, html};
use tokenpath_pages::lenses;
use tokenpath_pages::page::{Context, symbols};
use tokenpath_pages::view::{Links, View};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let bundle = arguments.next().ok_or("which bundle?")?;
    let out = PathBuf::from(arguments.next().ok_or("which folder to write to?")?);
    let opened = bundle::read(&fs::read(&bundle)?)?;
    for problem in &opened.problems {
        eprintln!("{problem}");
    }
    fs::create_dir_all(&out)?;
    let css = style(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../www/style"))?;
    for (number, fragment) in arguments.enumerate() {
        let view = View::parse(&fragment);
        let context = Context {
            run: &opened.run,
            problems: &opened.problems,
            view: &view,
            links: Links::Fragment,
            verdict: None,
            timeline: None,
            model: None,
        };
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (fragment) }
                    style { (PreEscaped(css.clone())) }
                }
                body {
                    (symbols())
                    div class="frame" { nav class="rail" {} main class="lens" { (lenses::render(view.lens, &context)) } aside class="insp" { (tokenpath_pages::inspector::content(&context)) } }
                }
            }
        };
        let file = out.join(format!("{number:02}-{}.html", view.lens.slug()));
        fs::write(&file, page.into_string())?;
        eprintln!("{}", file.display());
    }
    Ok(())
}

fn style(folder: &Path) -> Result<String, Box<dyn Error>> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?.filter_map(Result::ok).map(|entry| entry.path()).collect();
    files.sort();
    let mut css = String::new();
    for file in files {
        css.push_str(&fs::read_to_string(file)?);
    }
    Ok(css)
}
