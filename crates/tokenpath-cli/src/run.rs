//! Opening the files a person names, as one run, with what to do next when that fails.

use std::path::PathBuf;

use tokenpath_core::bundle;
use tokenpath_core::{Problem, Run};
use tokenpath_import::{Continue, Format, JoinNote, LeftOutNote, OpenError, OpenOptions, ReadAt, Remark};

use crate::args::OfDevice;
use crate::files::{Progress, Source, sources};
use crate::output::Failure;
use crate::trace;

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

/// Opens `paths` as one run; of a trace with several devices it is of the wanted one.
pub(crate) fn open(paths: &[PathBuf], keep_text: bool, of: OfDevice) -> Result<Opened, Failure> {
    let device = of.device;
    let sources = sources(paths)?;
    let databases: Vec<usize> =
        sources.iter().enumerate().filter(|(_, (_, source))| is_sqlite(source)).map(|(at, _)| at).collect();
    let traced = match databases.as_slice() {
        [] if device.is_some() => {
            return Err(Failure::new("--device is for traces of several devices, and none was given"));
        }
        [] => None,
        [at] => match (paths.get(*at), sources.get(*at)) {
            (Some(path), Some((name, _))) => Some((*at, trace::run(path, name, device)?)),
            _ => None,
        },
        _ => {
            return Err(
                Failure::new("two traces were given; a run is made from one").advise("Open them one at a time.")
            );
        }
    };
    let bundle = match traced {
        Some((_, run)) if sources.len() == 1 => {
            return Ok(Opened {
                files: sources.into_iter().map(|(name, _)| name).collect(),
                problems: bundle::validate(&run),
                run,
                set_aside: Vec::new(),
                joins: Vec::new(),
                left_out: Vec::new(),
                remarks: Vec::new(),
            });
        }
        // Beside other files it is joined as any finished run is.
        Some((at, run)) => Some((at, bundle::write(&run))),
        None => None,
    };
    let mut line = Progress::new();
    let mut show = |progress: tokenpath_import::Progress| {
        let percent = (progress.bytes * 100).checked_div(progress.total).unwrap_or(100);
        line.show(&format!("Reading {}: {percent} %", progress.file));
        Continue::Yes
    };
    let readers = sources
        .iter()
        .enumerate()
        .map(|(at, (name, source))| match &bundle {
            Some((trace, bundle)) if *trace == at => (name.clone(), bundle as &dyn ReadAt),
            _ => (name.clone(), source as &dyn ReadAt),
        })
        .collect();
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

/// Whether a file is an SQLite database.
pub(crate) fn is_sqlite(source: &Source) -> bool {
    let mut head = [0; 64];
    source.len() >= 64
        && source.read_at(0, &mut head).is_ok()
        && tokenpath_import::sniff(&head, Some(source.len())) == Format::Sqlite
}

fn advised(error: &OpenError) -> Failure {
    let failure = tokenpath_engine::failure_of(error);
    Failure::new(failure.what).advise(failure.advice)
}
