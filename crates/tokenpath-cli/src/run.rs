//! Opening the files a person names, as one run, with what to do next when that fails.

use std::path::PathBuf;

use tokenpath_core::{Problem, Run};
use tokenpath_import::{Continue, JoinNote, LeftOutNote, OpenError, OpenOptions, ReadAt, Remark};

use crate::files::{Progress, sources};
use crate::output::Failure;

/// A run opened from files.
pub(crate) struct Opened {
    /// The names of the files.
    pub(crate) files: Vec<String>,
    /// The run.
    pub(crate) run: Run,
    /// What is wrong with it.
    pub(crate) problems: Vec<Problem>,
    /// The sections that were set aside.
    pub(crate) set_aside: Vec<&'static str>,
    /// By which rules the files became one run.
    pub(crate) joins: Vec<JoinNote>,
    /// What the files held and the run leaves out.
    pub(crate) left_out: Vec<LeftOutNote>,
    /// What is odd about the files.
    pub(crate) remarks: Vec<Remark>,
}

/// Opens `paths` as one run.
pub(crate) fn open(paths: &[PathBuf], keep_text: bool) -> Result<Opened, Failure> {
    let sources = sources(paths)?;
    let mut line = Progress::new();
    let mut show = |progress: tokenpath_import::Progress| {
        let percent = (progress.bytes * 100).checked_div(progress.total).unwrap_or(100);
        line.show(&format!("Reading {}: {percent} %", progress.file));
        Continue::Yes
    };
    let readers = sources.iter().map(|(name, source)| (name.clone(), source as &dyn ReadAt)).collect();
    let imported = tokenpath_import::open(readers, &OpenOptions { keep_text }, &mut show);
    drop(line);
    let imported = imported.map_err(|error| advised(&error))?;
    Ok(Opened {
        files: sources.into_iter().map(|(name, _)| name).collect(),
        run: imported.run,
        problems: imported.problems,
        set_aside: imported.set_aside,
        joins: imported.joins,
        left_out: imported.left_out,
        remarks: imported.remarks,
    })
}

fn advised(error: &OpenError) -> Failure {
    let failure = tokenpath_engine::failure_of(error);
    Failure::new(failure.what).advise(failure.advice)
}
