//! What a published site has beside its recordings: the index.

use tokenpath_core::Run;
use tokenpath_core::traverse::{Outcome, Verdict};

use crate::format;
use crate::html::{DOCTYPE, Markup, html};
use crate::page::symbols;
use crate::shell::{Assets, CONTENT_SECURITY_POLICY, run_name};

/// A recording as the index lists it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its folder.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// The capture mode.
    pub mode: String,
    /// Model, runtime and device in a line.
    pub about: String,
    /// How many passes and intervals it holds.
    pub size: String,
    /// The verdict, computed by the generator.
    pub verdict: String,
}

impl Entry {
    /// The entry of a run in the folder `slug`.
    pub fn of(slug: &str, run: &Run, verdict: &Verdict) -> Entry {
        let identity = &run.identity;
        let about = [Some(run_name(run)), identity.runtime.name.as_deref(), identity.device.name.as_deref()];
        let passes = run.passes.rows.rows() as i64;
        let intervals = run.timeline.intervals.rows() as i64;
        let chunks = run.request.chunks.rows() as i64;
        let mut size = Vec::new();
        for (count, one, many) in
            [(chunks, "chunk", "chunks"), (passes, "pass", "passes"), (intervals, "interval", "intervals")]
        {
            if count > 0 {
                size.push(format::plural(count, one, many));
            }
        }
        Entry {
            slug: slug.to_owned(),
            title: identity.title.clone().unwrap_or_else(|| run_name(run).to_owned()),
            mode: identity.capture_mode.clone().unwrap_or_default(),
            about: about.into_iter().flatten().collect::<Vec<_>>().join(", "),
            size: size.join(", "),
            verdict: match &verdict.outcome {
                Outcome::Pass => "pass".to_owned(),
                Outcome::Fail => format!("fail, {}", format::plural(verdict.gap_count() as i64, "gap", "gaps")),
                Outcome::NotApplicable { .. } => "not applicable".to_owned(),
            },
        }
    }
}

/// The index page.
pub fn index(title: &str, entries: &[Entry], assets: &Assets<'_>) -> String {
    let page: Markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(CONTENT_SECURITY_POLICY);
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) ", Tokenpath" }
                meta name="description" content={ (title) ": " (format::plural(entries.len() as i64, "recorded run", "recorded runs")) " of LLM inference, each followed from the request to the weight tensor." };
                link rel="icon" href="data:,";
                link rel="stylesheet" href=(assets.style);
            }
            body class="empty" {
                (symbols())
                header class="top" { a class="brand" href="./" { "Tokenpath" } }
                div class="frame" {
                    main class="lens" {
                        header {
                            h1 { (title) }
                            p { "Each recording opens lens by lens, and reads without scripts. The verdicts were computed by the generator of this site." }
                        }
                        div class="tw txt" {
                            table {
                                thead { tr {
                                    th scope="col" { "Recording" }
                                    th scope="col" { "Mode" }
                                    th scope="col" { "Holds" }
                                    th scope="col" { "Verdict" }
                                    th scope="col" { "Of" }
                                } }
                                tbody {
                                    @for entry in entries {
                                        tr {
                                            td { a href={ (entry.slug) "/index.html" } { (entry.title) } }
                                            td { (entry.mode) }
                                            td { (entry.size) }
                                            td { (entry.verdict) }
                                            td { (entry.about) }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    };
    page.into_string()
}

/// The document with the address at which it stands.
pub fn with_canonical(document: &str, address: &str) -> String {
    let link = html! { link rel="canonical" href=(address); }.into_string();
    document.replacen("</head>", &format!("{link}</head>"), 1)
}
