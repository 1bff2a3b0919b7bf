//! The engine: what is open, what is shown, and what changes when something happens.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use tokenpath_core::bundle::{self, Opened};
use tokenpath_pages::errors::{self, Failure};
use tokenpath_pages::html::Markup;
use tokenpath_pages::page::Context;
use tokenpath_pages::shell::{self, Chip};
use tokenpath_pages::view::{Links, View};

use crate::failure;
use crate::message::{Effect, Message, Opening, Progress, Region};
use crate::source::ReadAt;

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
    opened: Opened,
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
        match read(files, progress) {
            Ok(opened) => {
                self.session = Some(Session { opened, verdict: None });
                self.view = View::parse(&opening.fragment);
                self.shown.clear();
                self.title.clear();
                let mut effects = self.render(true);
                effects.push(notice(String::new()));
                Ok(effects)
            }
            Err(failure) => Err(vec![notice(errors::panel(&failure, opening.keeps).into_string())]),
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
            run: &session.opened.run,
            problems: &session.opened.problems,
            view: &self.view,
            links: Links::Fragment,
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

fn read(files: &[File<'_>], progress: &mut dyn FnMut(Progress)) -> Result<Opened, Failure> {
    /// How much is read at once: large enough that the call costs nothing, small enough for progress.
    const SLICE: u64 = 4 << 20;
    let [file] = files else {
        return Err(Failure { what: "No file was given.".to_owned(), advice: "Open one file.".to_owned() });
    };
    let total = file.bytes.len();
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < total {
        let from = bytes.len();
        let wanted = SLICE.min(total - from as u64) as usize;
        bytes.resize(from + wanted, 0);
        let read = bytes.get_mut(from..).map(|buffer| file.bytes.read_at(from as u64, buffer));
        if let Some(Err(failed)) = read {
            return Err(Failure {
                what: format!("{}: {}.", file.name, failed.message),
                advice: "Open the file again.".to_owned(),
            });
        }
        progress(Progress {
            stage: "Reading".to_owned(),
            done: bytes.len() as u64,
            total,
            unit: "bytes".to_owned(),
        });
    }
    bundle::read(&bytes).map_err(|error| failure::of_bundle(&file.name, &error))
}
