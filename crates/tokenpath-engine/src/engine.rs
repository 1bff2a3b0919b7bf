//! The engine: what is open, what is shown, and what changes when something happens.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use tokenpath_import::{Continue, Imported, OpenOptions, ReadAt};
use tokenpath_pages::errors::{self, Failure};
use tokenpath_pages::html::Markup;
use tokenpath_pages::page::Context;
use tokenpath_pages::shell::{self, Chip};
use tokenpath_pages::view::{Links, View};

use crate::failure;
use crate::message::{Effect, Message, Opening, Progress, Region};

/// A file to open: its name, for messages only, and its bytes.
pub struct File<'a> {
    /// The name.
    pub name: String,
    /// The bytes.
    pub bytes: &'a dyn ReadAt,
}

/// The session: at most one run, and a view of it.
#[derive(Debug)]
pub struct Engine {
    session: Option<Session>,
    view: View,
    /// What each region was last given, so that only what changed is sent.
    shown: BTreeMap<Region, u64>,
    title: String,
}

/// What is open.
#[derive(Debug)]
struct Session {
    imported: Imported,
    verdict: Option<Chip>,
}

impl Default for Engine {
    fn default() -> Engine {
        Engine { session: None, view: View::parse(""), shown: BTreeMap::new(), title: String::new() }
    }
}

impl Engine {
    /// Opens files as one run.
    ///
    /// # Errors
    /// When nothing can be shown of them: the effects then say what was wrong, and everything else stays.
    pub fn open(
        &mut self,
        files: &[File<'_>],
        opening: &Opening,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<Effect>, Vec<Effect>> {
        let files = files.iter().map(|file| (file.name.clone(), file.bytes)).collect();
        // Text stays: who opens a file here sees what is in it, and nothing leaves the page.
        let options = OpenOptions { keep_text: true };
        let imported = tokenpath_import::open(files, &options, &mut |at| {
            progress(Progress {
                stage: format!("Reading {}", at.file),
                done: at.bytes,
                total: at.total,
                unit: "bytes".to_owned(),
            });
            Continue::Yes
        });
        match imported {
            Ok(imported) => {
                self.session = Some(Session { imported, verdict: None });
                self.view = View::parse(&opening.fragment);
                self.shown.clear();
                self.title.clear();
                let mut effects = self.render(true);
                effects.push(notice(String::new()));
                Ok(effects)
            }
            Err(error) => Err(vec![notice(errors::panel(&failure::of(&error), opening.keeps).into_string())]),
        }
    }

    /// What to show when a bundle could not be fetched from an address.
    pub fn refuse_address(address: &str, what: &str, opening: &Opening) -> Vec<Effect> {
        let failure = Failure {
            what: format!("{address} was not read: {what}."),
            advice: "The address may be mistyped, or the file is no longer there. Open the file itself.".to_owned(),
        };
        vec![notice(errors::panel(&failure, opening.keeps).into_string())]
    }

    /// Handles a message. Without an open run nothing happens.
    pub fn update(&mut self, message: &Message) -> Vec<Effect> {
        if self.session.is_none() {
            return Vec::new();
        }
        match message {
            Message::Navigate { fragment } => {
                let view = View::parse(fragment);
                let fresh = view.lens != self.view.lens;
                self.view = view;
                self.render(fresh)
            }
            Message::SetParam { name, value } => {
                // Another filter or order is another list: it is read from its first row.
                let view = if name == "from" { self.view.clone() } else { self.view.with("from", "") };
                self.view = view.with(name, value);
                let mut effects = vec![self.fragment(false)];
                effects.extend(self.render(false));
                effects
            }
            Message::Act { act, .. } if act == "clear" => {
                if self.view.item.is_none() {
                    return Vec::new();
                }
                self.view.item = None;
                let mut effects = vec![self.fragment(true)];
                effects.extend(self.render(false));
                effects
            }
            Message::Act { .. } => Vec::new(),
        }
    }

    fn fragment(&self, push: bool) -> Effect {
        Effect::Fragment { text: self.view.fragment(), push }
    }

    /// The regions that changed, and the title if it did.
    fn render(&mut self, fresh: bool) -> Vec<Effect> {
        let Some(session) = &self.session else { return Vec::new() };
        let cx = Context {
            run: &session.imported.run,
            problems: &session.imported.problems,
            view: &self.view,
            links: Links::Fragment,
            verdict: None,
        };
        let regions: [(Region, Markup); 5] = [
            (Region::Lens, shell::lens(&cx)),
            (Region::Inspector, shell::inspector(&cx)),
            (Region::Rail, shell::rail(&cx)),
            (Region::Picker, shell::picker(&cx)),
            (Region::Header, shell::header(Some(&cx), session.verdict.as_ref())),
        ];
        let mut effects = Vec::new();
        let title = shell::title(&cx);
        if title != self.title {
            self.title.clone_from(&title);
            effects.push(Effect::Title { text: title });
        }
        for (region, markup) in regions {
            let html = markup.into_string();
            let mut hasher = DefaultHasher::new();
            html.hash(&mut hasher);
            let hash = hasher.finish();
            if self.shown.insert(region, hash) != Some(hash) {
                effects.push(Effect::Region { region, html, fresh });
            }
        }
        effects
    }
}

fn notice(html: String) -> Effect {
    Effect::Region { region: Region::Notice, html, fresh: true }
}
