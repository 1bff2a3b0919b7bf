//! `tokenpath`: everything the page does, without a browser. Parse, run, print the error, exit with a code that means
//! something: 0 done, 1 the check failed, 2 unusable input or usage.
//!
//! Data goes to stdout, everything else to stderr. Must never contain: arithmetic on a run, HTML of its own.

mod args;
mod check;
mod convert;
mod files;
mod open;
mod output;
mod page;
mod publish;
mod run;
mod summary;
mod trace;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Command, Options};
use crate::output::Failure;

fn main() -> ExitCode {
    let options = Options::parse();
    let done = match options.command {
        Command::Check(check) => check::run(&check),
        Command::Convert(convert) => convert::run(&convert),
        Command::Open(open) => open::run(&open),
        Command::Publish(publish) => publish::run(&publish),
        Command::Summary(wanted) => summary::run(&wanted),
    };
    match done {
        Ok(code) => code,
        Err(failure) => output::report(&failure),
    }
}

/// What a command ends with.
type Done = Result<ExitCode, Failure>;
