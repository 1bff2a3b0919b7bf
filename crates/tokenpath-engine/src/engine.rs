//! The engine: what is open, what is shown, and what changes when something happens.

use tokenpath_core::Run;
use tokenpath_core::derive::coverage::LensStates;
use tokenpath_core::traverse::{self, ComputedBy, Verdict};
use tokenpath_import::read_at::head;
use tokenpath_import::sniff::HEAD;
use tokenpath_import::{Continue, Imported, OpenError, OpenOptions, ReadAt, Remark, sniff};
use tokenpath_pages::errors::{self, Failure};
use tokenpath_pages::html::Markup;
use tokenpath_pages::inspector;
use tokenpath_pages::lens::Lens;
use tokenpath_pages::lenses::ModelFacts;
use tokenpath_pages::page::Context;
use tokenpath_pages::shell;
use tokenpath_pages::view::{Links, View};

use crate::failure;
use crate::message::{Effect, Hand, Message, Opening, Progress, Region};
use crate::shown::Shown;
use crate::timeline::{Leads, Timeline};
use crate::told;

/// A file to open: its name, for messages only, and its bytes.
pub struct File<'a> {
    /// The name.
    pub name: String,
    /// The bytes.
    pub bytes: &'a dyn ReadAt,
    /// What was found odd about it before it came here, in sentences.
    pub remarks: Vec<String>,
    /// Of a trace, the devices whose run it could have been.
    pub other_devices: Vec<i64>,
}

impl<'a> File<'a> {
    /// A file as it is.
    pub fn new(name: impl Into<String>, bytes: &'a dyn ReadAt) -> File<'a> {
        File { name: name.into(), bytes, remarks: Vec::new(), other_devices: Vec::new() }
    }
}

/// Files that were opened.
#[derive(Debug)]
pub struct Opened {
    /// What to show.
    pub effects: Vec<Effect>,
    /// Whether the files of the run that was open are part of the new one.
    pub joined: bool,
}

/// Reads files as one run.
fn read(files: &[File<'_>], progress: &mut dyn FnMut(Progress)) -> Result<Imported, OpenError> {
    let remarks = files
        .iter()
        .flat_map(|file| file.remarks.iter().map(|text| Remark { file: file.name.clone(), text: text.clone() }));
    let remarks: Vec<Remark> = remarks.collect();
    let files = files.iter().map(|file| (file.name.clone(), file.bytes)).collect();
    // Text stays: who opens a file here sees what is in it, and nothing leaves the page.
    let options = OpenOptions { keep_text: true };
    let mut imported = tokenpath_import::open(files, &options, &mut |at| {
        progress(Progress {
            stage: format!("Reading {}", at.file),
            done: at.bytes,
            total: at.total,
            unit: "bytes".to_owned(),
        });
        if at.bytes == at.total {
            progress(stage(format!("Checking {}", at.file)));
        }
        Continue::Yes
    })?;
    imported.remarks.extend(remarks);
    Ok(imported)
}

/// Whether a file of the open run is a model file rather than a recording.
fn holds_model(file: &File<'_>) -> bool {
    head(file.bytes, HEAD).is_ok_and(|head| sniff(&head, Some(file.bytes.len())).is_model())
}

/// The session: at most one run, and a view of it.
#[derive(Debug)]
pub struct Engine {
    session: Option<Session>,
    view: View,
    shown: Shown,
    title: String,
}

/// What is open.
#[derive(Debug)]
struct Session {
    imported: Imported,
    verdict: Verdict,
    states: LensStates,
    /// The pass of the token under test, where the timeline starts.
    token: Option<u32>,
    timeline: Option<Timeline>,
    /// Kept from the first time the lens Model anatomy is shown.
    model: Option<ModelFacts>,
}

impl Session {
    fn new(imported: Imported) -> Session {
        let verdict = traverse::verdict(&imported.run, None, ComputedBy::Page);
        let states = shell::states(&imported.run, Some(&verdict));
        let token = traverse::token_under_test(&imported.run).ok().map(|token| token.pass);
        Session { imported, verdict, states, token, timeline: None, model: None }
    }
}

impl Default for Engine {
    fn default() -> Engine {
        Engine { session: None, view: View::parse(""), shown: Shown::default(), title: String::new() }
    }
}

impl Engine {
    /// Opens files as one run. Model files that come after those of the open run join it; a model beside an open model
    /// takes its place.
    ///
    /// # Errors
    /// When nothing can be shown of them: the effects then say what was wrong, and everything else stays.
    pub fn open(
        &mut self,
        files: &[File<'_>],
        opening: &Opening,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Opened, Vec<Effect>> {
        let (earlier, new) = files.split_at(opening.earlier.min(files.len()));
        let refused = |error: &OpenError, alone: bool| {
            vec![notice(errors::panel(&failure::of(error), opening.keeps, alone).into_string())]
        };
        let fresh = read(new, progress).map_err(|error| refused(&error, false))?;
        let joins = !earlier.is_empty() && fresh.formats.iter().all(|format| format.is_model());
        let devices = |files: &[File<'_>]| files.iter().flat_map(|file| file.other_devices.clone()).collect();
        if !joins {
            return Ok(self.show(fresh, devices(new), false, opening, progress));
        }
        match read(files, progress) {
            Ok(joined) => Ok(self.show(joined, devices(files), true, opening, progress)),
            Err(_) if earlier.iter().all(|file| holds_model(file)) => {
                Ok(self.show(fresh, devices(new), false, opening, progress))
            }
            Err(error) => Err(refused(&error, true)),
        }
    }

    fn show(
        &mut self,
        imported: Imported,
        other_devices: Vec<i64>,
        joined: bool,
        opening: &Opening,
        progress: &mut dyn FnMut(Progress),
    ) -> Opened {
        progress(stage("Walking the token under test".to_owned()));
        let said = told::panel(&imported, other_devices).map_or_else(String::new, Markup::into_string);
        self.session = Some(Session::new(imported));
        self.view = View::parse(&opening.fragment);
        self.shown.clear();
        self.title.clear();
        let mut effects = self.render(true);
        effects.push(notice(said));
        Opened { effects, joined }
    }

    /// What to show when a bundle could not be fetched from an address.
    pub fn refuse_address(address: &str, what: &str, opening: &Opening) -> Vec<Effect> {
        let failure = Failure {
            what: format!("{address} was not read: {what}."),
            advice: "The address may be mistyped, or the file is no longer there. Open the file itself.".to_owned(),
        };
        Engine::refuse(&failure, opening)
    }

    /// What to show when files could not be opened for a reason that is known before the engine sees them.
    pub fn refuse(failure: &Failure, opening: &Opening) -> Vec<Effect> {
        vec![notice(errors::panel(failure, opening.keeps, false).into_string())]
    }

    /// Handles a message. Without an open run nothing happens.
    pub fn update(&mut self, message: &Message) -> Vec<Effect> {
        if self.session.is_none() {
            return Vec::new();
        }
        match message {
            Message::Navigate { fragment } => self.navigate(View::parse(fragment)),
            Message::SetParam { name, value } => {
                // Another filter or order is another list: it is read from its first row.
                let view = if name == "from" { self.view.clone() } else { self.view.with("from", "") };
                self.view = view.with(name, value);
                let mut effects = vec![self.fragment(false)];
                effects.extend(self.render(false));
                effects
            }
            Message::Timeline { hand } => self.hand(hand),
            Message::Find { query, again, backward } => self.find(query, *again, *backward),
            Message::Settle => self.settle(),
            Message::Act { act, .. } => self.act(act),
        }
    }

    /// The pixels that belong to the last [`Effect::Frame`].
    pub fn pixels(&self) -> &[u8] {
        self.session.as_ref().and_then(|session| session.timeline.as_ref()).map_or(&[], Timeline::pixels)
    }

    fn navigate(&mut self, view: View) -> Vec<Effect> {
        let fresh = view.lens != self.view.lens;
        let (selected, ranged) = (view.item != self.view.item, view.param("range") != self.view.param("range"));
        self.view = view;
        if let Some(Session { imported, token, timeline: Some(timeline), .. }) = &mut self.session {
            if self.view.lens != Lens::Timeline {
                timeline.leave();
            }
            timeline.select(&imported.run, self.view.item, *token, selected && !ranged);
            if ranged {
                timeline.show_range(&imported.run, self.view.param("range"));
            }
        }
        let mut effects = self.render(fresh);
        effects.extend(self.frame());
        effects
    }

    fn act(&mut self, act: &str) -> Vec<Effect> {
        if act == "clear" {
            let timeline = self.session.as_mut().and_then(|session| session.timeline.as_mut());
            if timeline.is_some_and(Timeline::give_up) {
                return self.frame();
            }
            if self.view.item.is_none() {
                return Vec::new();
            }
            let view = View { item: None, ..self.view.clone() };
            return self.go(view);
        }
        match self.timeline().and_then(|(run, timeline)| timeline.act(run, act)) {
            Some(leads) => self.led(leads),
            None => Vec::new(),
        }
    }

    fn hand(&mut self, hand: &Hand) -> Vec<Effect> {
        let view = self.view.clone();
        let Some((run, timeline)) = self.timeline() else { return Vec::new() };
        match *hand {
            Hand::Hover { x, y } => return vec![Effect::Tip { html: timeline.tip(run, x, y).into_string() }],
            Hand::Leave => return vec![Effect::Tip { html: String::new() }],
            _ => {}
        }
        let leads = timeline.hand(run, &view, hand);
        self.led(leads)
    }

    fn led(&mut self, leads: Leads) -> Vec<Effect> {
        match leads {
            Leads::Select(item) => {
                let view = self.with_range(self.view.select(item));
                self.go(view)
            }
            Leads::Nowhere | Leads::Settled => self.frame(),
        }
    }

    fn find(&mut self, query: &str, again: bool, backward: bool) -> Vec<Effect> {
        let Some((run, timeline)) = self.timeline() else { return Vec::new() };
        let found = timeline.find(run, query, again, backward);
        let text = match &found {
            Some(found) => format!("{} of {}", found.before + 1, found.total),
            None if query.trim().is_empty() => String::new(),
            None => "nothing has this name".to_owned(),
        };
        let said = Effect::Text { id: "timeline-said".to_owned(), text };
        let mut view = self.view.with("find", query);
        let mut effects = Vec::new();
        if let Some(found) = found {
            view = view.with("range", "").select(found.item);
        }
        self.view = view.clone();
        effects.push(self.fragment(false));
        if let Some(Session { imported, token, timeline: Some(timeline), .. }) = &mut self.session {
            timeline.select(&imported.run, view.item, *token, true);
        }
        self.view = self.with_range(view);
        effects.extend(self.render(false));
        effects.extend(self.frame());
        effects.push(said);
        effects
    }

    /// The address and the table beneath the drawing follow the viewport, once it rests.
    fn settle(&mut self) -> Vec<Effect> {
        let view = self.with_range(self.view.clone());
        if view == self.view {
            return Vec::new();
        }
        self.view = view;
        let mut effects = vec![self.fragment(false)];
        effects.extend(self.render(false));
        effects
    }

    fn with_range(&self, view: View) -> View {
        let timeline = self.session.as_ref().and_then(|session| session.timeline.as_ref());
        match timeline.and_then(Timeline::range) {
            Some(range) if view.lens == Lens::Timeline => view.with("range", &range),
            _ => view,
        }
    }

    /// To another view, as if its address had been followed: Back returns.
    fn go(&mut self, view: View) -> Vec<Effect> {
        let mut effects = self.navigate(view);
        effects.insert(0, self.fragment(true));
        effects
    }

    /// The timeline, made on first use; only while its lens is shown and the run has one.
    fn timeline(&mut self) -> Option<(&Run, &mut Timeline)> {
        let session = self.session.as_mut().filter(|_| self.view.lens == Lens::Timeline)?;
        let run = &session.imported.run;
        let timeline = session.timeline.get_or_insert_with(|| {
            let mut timeline = Timeline::new(run, self.view.item, session.token);
            timeline.select(run, self.view.item, session.token, false);
            timeline
        });
        Some((run, timeline))
    }

    /// The next frame, if the timeline is on a surface.
    fn frame(&mut self) -> Vec<Effect> {
        match &mut self.session {
            Some(Session { imported, timeline: Some(timeline), .. }) => timeline.frame(&imported.run),
            _ => Vec::new(),
        }
    }

    fn fragment(&self, push: bool) -> Effect {
        Effect::Fragment { text: self.view.fragment(), push }
    }

    /// The regions that changed, and the title if it did.
    fn render(&mut self, fresh: bool) -> Vec<Effect> {
        // The lens draws the rows that the surface draws, so they are laid out once.
        let _ = self.timeline();
        let Some(session) = &mut self.session else { return Vec::new() };
        let run = &session.imported.run;
        if self.view.lens == Lens::Model && session.model.is_none() && run.model.given {
            session.model = Some(ModelFacts::new(run));
        }
        let cx = Context {
            run,
            problems: &session.imported.problems,
            view: &self.view,
            links: Links::Fragment,
            verdict: Some(&session.verdict),
            timeline: session.timeline.as_ref().map(Timeline::rows),
            model: session.model.as_ref(),
        };
        let regions: [(Region, Markup); 5] = [
            (Region::Lens, shell::lens(&cx)),
            (Region::Inspector, inspector::content(&cx)),
            (Region::Rail, shell::rail(&cx, &session.states)),
            (Region::Picker, shell::picker(&cx, &session.states)),
            (Region::Header, shell::header(Some(&cx))),
        ];
        let mut effects = Vec::new();
        let title = shell::title(&cx);
        if title != self.title {
            self.title.clone_from(&title);
            effects.push(Effect::Title { text: title });
        }
        let ending = self.view.ending();
        for (region, markup) in regions {
            if let Some(html) = self.shown.change(region, markup.into_string(), &ending, fresh) {
                effects.push(Effect::Region { region, html, fresh });
            }
        }
        effects
    }
}

/// A stage of which nothing is counted.
fn stage(stage: String) -> Progress {
    Progress { stage, done: 0, total: 0, unit: String::new() }
}

fn notice(html: String) -> Effect {
    Effect::Region { region: Region::Notice, html, fresh: true }
}
