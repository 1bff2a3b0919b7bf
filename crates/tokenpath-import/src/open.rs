//! Opening one file, or several that belong together, as one run.

use tokenpath_core::bundle;
use tokenpath_core::{Problem, Run};

use crate::error::OpenError;
use crate::llamacpp::recording::{Recording, Timing};
use crate::llamacpp::{self, recorders};
use crate::load::{Content, Loaded, load};
use crate::read_at::ReadAt;
use crate::request;
use crate::sniff::Format;
use crate::{alone, config, digest, gguf, safetensors, with_run};

/// How to open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// Whether prompt, answer and sampled tokens go into the run's private columns. Without it they are dropped.
    pub keep_text: bool,
}

/// How far reading has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The file being read.
    pub file: String,
    /// Bytes read of it.
    pub bytes: u64,
    /// Its length.
    pub total: u64,
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Continue {
    /// Go on.
    Yes,
    /// Stop; [`open`] ends with [`OpenError::Stopped`].
    Stop,
}

/// Why files were taken to belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinNote {
    /// The rule.
    pub rule: &'static str,
    /// What it found, a sentence.
    pub text: String,
}

/// What a file held and the run leaves out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOutNote {
    /// The file.
    pub file: String,
    /// What, in words.
    pub what: String,
    /// How many; 0 where it is not a matter of number.
    pub count: u64,
    /// Why, in words.
    pub reason: String,
}

/// Something odd about a file that was read all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The file.
    pub file: String,
    /// What is odd, a sentence.
    pub text: String,
}

/// What was opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The run.
    pub run: Run,
    /// The formats of the files, in their order.
    pub formats: Vec<Format>,
    /// By which rules several files became one run.
    pub joins: Vec<JoinNote>,
    /// What the files held and the run leaves out.
    pub left_out: Vec<LeftOutNote>,
    /// What is odd about the files.
    pub remarks: Vec<Remark>,
    /// What is wrong with the run: of a bundle what its reader found, of an import nothing.
    pub problems: Vec<Problem>,
    /// Sections of a bundle that were set aside.
    pub set_aside: Vec<&'static str>,
}

/// Opens one file or several that belong together. Names are for messages and labels only.
///
/// # Errors
/// When a file is of no format that is read, cannot be read as what it is, or the files do not belong together; nothing
/// is opened then.
pub fn open(
    files: Vec<(String, &dyn ReadAt)>,
    options: &OpenOptions,
    progress: &mut dyn FnMut(Progress) -> Continue,
) -> Result<Imported, OpenError> {
    let mut loaded: Vec<Loaded> = Vec::new();
    for (name, source) in &files {
        loaded.push(load(name.clone(), *source, progress)?);
    }
    let formats = loaded.iter().map(|file| file.format).collect();
    let digest = stated_digest(&loaded, &files, progress)?;
    let mut imported = assemble(loaded, digest, options)?;
    imported.formats = formats;
    Ok(imported)
}

/// The digest of the one whole model file, where a finished run beside it states its model's.
fn stated_digest(
    loaded: &[Loaded],
    files: &[(String, &dyn ReadAt)],
    progress: &mut dyn FnMut(Progress) -> Continue,
) -> Result<Option<String>, OpenError> {
    let states =
        |file: &Loaded| matches!(&file.content, Content::Bundle(opened) if opened.run.identity.model.digest.is_some());
    if !loaded.iter().any(states) {
        return Ok(None);
    }
    let mut models = loaded.iter().zip(files).filter(|(file, _)| match &file.content {
        Content::Gguf(model) => model.split().is_none(),
        Content::Safetensors(_) => true,
        _ => false,
    });
    match (models.next(), models.next()) {
        (Some((file, (_, source))), None) => digest::of(&file.name, *source, progress).map(Some),
        _ => Ok(None),
    }
}

/// At most one file of each role.
#[derive(Default)]
struct Roles {
    bundle: Option<(String, Box<bundle::Opened>)>,
    capture: Option<(String, Box<Recording>)>,
    stamps: Option<(String, Box<Recording>)>,
    preload: Option<(String, Box<Recording>)>,
    request: Option<(String, Box<request::Capture>)>,
    gguf: Option<(String, Box<gguf::Model>)>,
    /// Further parts of a split GGUF model.
    parts: Vec<(String, gguf::Model)>,
    shards: Vec<(String, safetensors::Header)>,
    index: Option<(String, Box<safetensors::Index>)>,
    config: Option<(String, Box<config::Config>)>,
    /// The digest of the one model file, where one is stated to compare it with.
    digest: Option<String>,
}

impl Roles {
    /// The names of the files of a Hugging Face checkpoint.
    fn hugging_face(&self) -> impl Iterator<Item = &str> {
        let shards = self.shards.iter().map(|(name, _)| name.as_str());
        let index = self.index.as_ref().map(|(name, _)| name.as_str());
        shards.chain(index).chain(self.config.as_ref().map(|(name, _)| name.as_str()))
    }

    /// The name of a recording or request, if there is one.
    fn recorded(&self) -> Option<&str> {
        let llama = self.capture.as_ref().or(self.stamps.as_ref()).or(self.preload.as_ref());
        llama.map(|(name, _)| name.as_str()).or(self.request.as_ref().map(|(name, _)| name.as_str()))
    }

    /// The names of all files but the bundle.
    fn others(&self) -> Vec<&str> {
        [
            self.capture.as_ref().map(|(name, _)| name.as_str()),
            self.stamps.as_ref().map(|(name, _)| name.as_str()),
            self.preload.as_ref().map(|(name, _)| name.as_str()),
            self.request.as_ref().map(|(name, _)| name.as_str()),
            self.gguf.as_ref().map(|(name, _)| name.as_str()),
        ]
        .into_iter()
        .flatten()
        .chain(self.hugging_face())
        .collect()
    }
}

/// Rule that a run has one source of each kind.
const ONE_OF_EACH: &str = "one-of-each";

fn assemble(loaded: Vec<Loaded>, digest: Option<String>, options: &OpenOptions) -> Result<Imported, OpenError> {
    let count = loaded.len();
    let mut roles = Roles { digest, ..Roles::default() };
    for Loaded { name, format, content } in loaded {
        let known = match content {
            Content::Bundle(opened) => take_role(&mut roles.bundle, name.clone(), opened),
            Content::Capture(recording) => take_role(&mut roles.capture, name.clone(), recording),
            Content::Stamps(recording) => take_role(&mut roles.stamps, name.clone(), recording),
            Content::Preload(recording) => take_role(&mut roles.preload, name.clone(), recording),
            Content::Request(capture) => take_role(&mut roles.request, name.clone(), capture),
            // Parts of one split model are put together below.
            Content::Gguf(model) if model.split().is_some() => {
                roles.parts.push((name.clone(), *model));
                None
            }
            Content::Gguf(model) => take_role(&mut roles.gguf, name.clone(), model),
            Content::Safetensors(header) => {
                roles.shards.push((name.clone(), *header));
                None
            }
            Content::Index(index) => take_role(&mut roles.index, name.clone(), index),
            Content::Config(config) => take_role(&mut roles.config, name.clone(), config),
        };
        if let Some(first) = known {
            let reason = format!("both are {}; a run has one of each kind", format.noun().trim_start_matches("a "));
            return Err(OpenError::DoNotBelong { first, second: name, rule: ONE_OF_EACH, reason });
        }
    }
    let mut imported = Imported {
        run: Run::default(),
        formats: Vec::new(),
        joins: Vec::new(),
        left_out: Vec::new(),
        remarks: Vec::new(),
        problems: Vec::new(),
        set_aside: Vec::new(),
    };
    if !roles.parts.is_empty() {
        let parts = std::mem::take(&mut roles.parts);
        let (name, model, note) = gguf::merge(parts).map_err(|(first, second, reason)| OpenError::DoNotBelong {
            first,
            second,
            rule: gguf::SPLIT,
            reason,
        })?;
        imported.joins.extend(note.map(|text| JoinNote { rule: gguf::SPLIT, text }));
        if let Some(first) = take_role(&mut roles.gguf, name.clone(), Box::new(model)) {
            let reason = "one is a model in parts, the other a whole one".to_owned();
            return Err(OpenError::DoNotBelong { first, second: name, rule: ONE_OF_EACH, reason });
        }
    }
    if let Some((name, opened)) = roles.bundle.take() {
        imported.run = opened.run;
        imported.problems = opened.problems;
        imported.set_aside = opened.set_aside;
        return if count > 1 { finished(&name, roles, imported) } else { Ok(imported) };
    }
    if let (Some(second), Some(first)) = (roles.hugging_face().next(), roles.recorded()) {
        let reason =
            "a recording is joined with a GGUF file, whose tensor names and shapes can be compared with its own; \
                      the names of a Hugging Face checkpoint are others"
                .to_owned();
        let (first, second) = (first.to_owned(), second.to_owned());
        return Err(OpenError::DoNotBelong { first, second, rule: llamacpp::with_model::RULE, reason });
    }
    if roles.capture.is_some() || roles.stamps.is_some() || roles.preload.is_some() {
        return llama(roles, options, imported);
    }
    if let Some((name, capture)) = roles.request {
        return user(&name, &capture, roles.gguf, options, imported);
    }
    model_files(roles, imported)
}

/// A finished run and what was given with it: the model that it read, or nothing that could belong to it.
fn finished(name: &str, roles: Roles, mut imported: Imported) -> Result<Imported, OpenError> {
    let apart = |second: &str, rule, reason: String| OpenError::DoNotBelong {
        first: name.to_owned(),
        second: second.to_owned(),
        rule,
        reason,
    };
    if let Some(second) = roles.recorded() {
        let reason = "a bundle is a whole recording already; two recordings are compared, not joined".to_owned();
        return Err(apart(second, ONE_OF_EACH, reason));
    }
    if !imported.problems.is_empty() {
        let second = roles.others().first().map_or_else(String::new, |other| (*other).to_owned());
        let reason = "the bundle has errors, so its references cannot be followed".to_owned();
        return Err(apart(&second, with_run::RULE, reason));
    }
    if let Some((file, model)) = &roles.gguf {
        if let Some(second) = roles.hugging_face().next() {
            let reason = "a GGUF file is a whole model already, with its own metadata".to_owned();
            return Err(apart(second, ONE_OF_EACH, reason));
        }
        let text = with_run::join(&mut imported.run, &with_run::Source::Gguf(file, model), roles.digest.as_deref())
            .map_err(|reason| apart(file, with_run::RULE, reason))?;
        imported.joins.push(JoinNote { rule: with_run::RULE, text });
        remark(&mut imported, file, model);
        return Ok(imported);
    }
    if roles.shards.is_empty() && roles.index.is_none() {
        let second = roles.config.as_ref().map_or("", |(file, _)| file.as_str());
        let reason = "a configuration names no tensor that could be compared with the run's".to_owned();
        return Err(apart(second, with_run::RULE, reason));
    }
    let (set, note) =
        safetensors::join(roles.shards, roles.index.map(|(file, index)| (file, *index))).map_err(|refused| {
            OpenError::DoNotBelong {
                first: refused.first,
                second: refused.second,
                rule: refused.rule,
                reason: refused.reason,
            }
        })?;
    imported.joins.extend(note.map(|(rule, text)| JoinNote { rule, text }));
    let file = set.files.first().map(|(file, _)| file.clone()).or(set.index.as_ref().map(|(file, _)| file.clone()));
    let text = with_run::join(&mut imported.run, &with_run::Source::Safetensors(&set), roles.digest.as_deref())
        .map_err(|reason| apart(file.as_deref().unwrap_or("the index"), with_run::RULE, reason))?;
    imported.joins.push(JoinNote { rule: with_run::RULE, text });
    Ok(imported)
}

/// Rule that a configuration and tensors belong together.
const CONFIG_AND_TENSORS: &str = "layers-of-the-configuration";

/// A run of model files alone.
fn model_files(roles: Roles, mut imported: Imported) -> Result<Imported, OpenError> {
    let apart = |first: &str, second: &str, rule, reason: String| OpenError::DoNotBelong {
        first: first.to_owned(),
        second: second.to_owned(),
        rule,
        reason,
    };
    if let Some((name, model)) = &roles.gguf {
        if let Some(second) = roles.hugging_face().next() {
            let reason = "a GGUF file is a whole model already, with its own metadata".to_owned();
            return Err(apart(name, second, ONE_OF_EACH, reason));
        }
        imported.run = alone::run(&alone::Source::Gguf(name, model));
        remark(&mut imported, name, model);
        return Ok(imported);
    }
    let config = roles.config.as_ref().map(|(name, config)| (name.as_str(), &**config));
    if let Some((name, config)) = config {
        oddities(&mut imported, name, &config.remarks);
    }
    if roles.shards.is_empty() && roles.index.is_none() {
        let Some((name, config)) = config else { return Err(OpenError::Nothing) };
        imported.run = alone::run(&alone::Source::Config(name, config));
        return Ok(imported);
    }
    for (name, header) in &roles.shards {
        oddities(&mut imported, name, &header.remarks);
    }
    if let Some((name, index)) = &roles.index {
        oddities(&mut imported, name, &index.remarks);
    }
    let (set, note) = safetensors::join(roles.shards, roles.index.map(|(name, index)| (name, *index)))
        .map_err(|refused| apart(&refused.first, &refused.second, refused.rule, refused.reason))?;
    imported.joins.extend(note.map(|(rule, text)| JoinNote { rule, text }));
    for missing in &set.missing {
        imported.left_out.push(LeftOutNote {
            file: missing.clone(),
            what: "a shard of the model".to_owned(),
            count: 0,
            reason: "It was not given.".to_owned(),
        });
    }
    if let Some((name, config)) = config {
        let text = safetensors::belongs(&set, config).map_err(|reason| {
            let other = set.files.first().map(|(name, _)| name.as_str());
            let other = other.or(set.index.as_ref().map(|(name, _)| name.as_str())).unwrap_or("the tensors");
            apart(name, other, CONFIG_AND_TENSORS, reason)
        })?;
        imported.joins.push(JoinNote { rule: CONFIG_AND_TENSORS, text });
    }
    imported.run = alone::run(&alone::Source::Safetensors(&set, config));
    Ok(imported)
}

fn oddities(imported: &mut Imported, name: &str, remarks: &[String]) {
    imported.remarks.extend(remarks.iter().map(|remark| Remark { file: name.to_owned(), text: remark.clone() }));
}

/// Rule that joins a request with a model file: the server names the file, or the name in it.
const SAME_MODEL: &str = "same-model-name";

/// A run of capture mode `user`.
fn user(
    name: &str,
    capture: &request::Capture,
    model: Option<(String, Box<gguf::Model>)>,
    options: &OpenOptions,
    mut imported: Imported,
) -> Result<Imported, OpenError> {
    if let Some((file, model)) = &model {
        let stated = request::model_name(capture).map(|(name, _)| name);
        let in_file = model.text("general.name");
        let last = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
        let same = stated.as_deref().is_some_and(|stated| last(stated) == last(file) || Some(stated) == in_file);
        let stated = stated.unwrap_or_else(|| "no model".to_owned());
        if !same {
            let reason = format!(
                "the request names {stated}, the model file is called {} and names itself {}",
                last(file),
                in_file.unwrap_or("nothing")
            );
            let (first, second) = (name.to_owned(), file.clone());
            return Err(OpenError::DoNotBelong { first, second, rule: SAME_MODEL, reason });
        }
        imported.joins.push(JoinNote { rule: SAME_MODEL, text: format!("The server names the model {stated}.") });
        remark(&mut imported, file, model);
    }
    leave_out(&mut imported, name, &capture.left_out);
    private(&mut imported, name, options, capture.events.len());
    let model = model.as_ref().map(|(name, model)| (name.as_str(), &**model));
    imported.run = request::run(capture, options.keep_text, model);
    Ok(imported)
}

fn private(imported: &mut Imported, name: &str, options: &OpenOptions, events: usize) {
    if !options.keep_text && events > 0 {
        imported.left_out.push(LeftOutNote {
            file: name.to_owned(),
            what: "texts of prompt and answer".to_owned(),
            count: 0,
            reason: NOT_ASKED.to_owned(),
        });
    }
}

/// Why texts are dropped.
const NOT_ASKED: &str = "Text is private and was not asked for.";

fn leave_out(imported: &mut Imported, name: &str, left_out: &[(String, i64, String)]) {
    imported.left_out.extend(left_out.iter().map(|(what, count, reason)| LeftOutNote {
        file: name.to_owned(),
        what: what.clone(),
        count: u64::try_from(*count).unwrap_or(0),
        reason: reason.clone(),
    }));
}

/// Puts a file into its role; the name of the file that already has it, if one does.
fn take_role<T>(role: &mut Option<(String, T)>, name: String, content: T) -> Option<String> {
    if let Some((first, _)) = role {
        return Some(first.clone());
    }
    *role = Some((name, content));
    None
}

fn remark(imported: &mut Imported, name: &str, model: &gguf::Model) {
    oddities(imported, name, &model.remarks);
}

/// A run of llama.cpp from its recordings.
fn llama(roles: Roles, options: &OpenOptions, mut imported: Imported) -> Result<Imported, OpenError> {
    let refused = |first: &str, second: &str, (rule, reason): llamacpp::join::Refusal| OpenError::DoNotBelong {
        first: first.to_owned(),
        second: second.to_owned(),
        rule,
        reason,
    };
    let own = roles.capture.as_ref().or(roles.stamps.as_ref()).map(|(name, _)| name.clone());
    if let (Some((second, _)), Some(first)) = (&roles.request, &own) {
        let reason =
            "the recorder calls the decode function in its own process, so its passes serve no request".to_owned();
        return Err(refused(first, second, ("request-of-the-run", reason)));
    }
    if let (Some((second, _)), Some(first)) = (&roles.preload, &own) {
        let reason = "each is a recording of its own run; two runs are compared, not joined".to_owned();
        return Err(refused(first, second, (ONE_OF_EACH, reason)));
    }
    let (name, mut recording, recorder) = match (roles.capture, roles.stamps, roles.preload) {
        (Some((first, capture)), Some((second, stamps)), _) => {
            let (joined, notes) =
                llamacpp::join::with_stamps(*capture, *stamps).map_err(|refusal| refused(&first, &second, refusal))?;
            imported.joins.extend(notes.into_iter().map(|(rule, text)| JoinNote { rule, text }));
            (first, joined, recorders::CALLBACK_AND_STAMPS)
        }
        (Some((name, capture)), None, _) => (name, *capture, recorders::CALLBACK),
        (None, Some((name, stamps)), _) => (name, *stamps, recorders::STAMPS),
        (None, None, Some((name, recording))) => {
            let timed = recording.passes.iter().any(|pass| pass.timing != Timing::None);
            (name, *recording, if timed { recorders::PRELOAD_NODES } else { recorders::PRELOAD_GRAPHS })
        }
        (None, None, None) => return Err(OpenError::Nothing),
    };
    let served = match &roles.request {
        Some((second, capture)) => {
            let served = llamacpp::with_request::mark(&mut recording, capture)
                .map_err(|refusal| refused(&name, second, refusal))?;
            imported.joins.push(JoinNote { rule: llamacpp::join::SAME_CLOCK, text: served.text.clone() });
            leave_out(&mut imported, second, &capture.left_out);
            private(&mut imported, second, options, capture.events.len());
            Some((served, capture))
        }
        None => None,
    };
    if let Some((file, model)) = &roles.gguf {
        let text = llamacpp::with_model::check(&recording, model).map_err(|refusal| refused(&name, file, refusal))?;
        imported.joins.push(JoinNote { rule: llamacpp::with_model::RULE, text });
        remark(&mut imported, file, model);
    }
    if !options.keep_text && recording.passes.iter().any(|pass| pass.token_text.is_some()) {
        imported.left_out.push(LeftOutNote {
            file: name.clone(),
            what: "texts of sampled tokens".to_owned(),
            count: recording.passes.iter().filter(|pass| pass.token_text.is_some()).count() as u64,
            reason: NOT_ASKED.to_owned(),
        });
    }
    leave_out(&mut imported, &name, &recording.left_out);
    let shared = llamacpp::Shared {
        keep_text: options.keep_text,
        recorder,
        gguf: roles.gguf.as_ref().map(|(name, model)| (name.as_str(), &**model)),
    };
    imported.run = llamacpp::run(&recording, &shared);
    if let Some((served, capture)) = served {
        llamacpp::with_request::overlay(&mut imported.run, &served, capture, options.keep_text);
    }
    Ok(imported)
}
