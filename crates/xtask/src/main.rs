//! The repository's own tasks: `cargo xtask web`, `serve`, `test`, `generate`.
//!
//! It obtains what a task needs and says what it does, one line a step. It holds nothing of the
//! product, and the product does not depend on it.
#![allow(clippy::print_stdout, reason = "what a task does is printed for the person who runs it")]

mod clang;
mod debian;
mod generate;
mod payload;
mod process;
mod samples;
mod serve;
mod steps;
mod toolchain;
mod tools;
mod web;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::steps::Step;
use crate::web::Build;
use crate::workspace::Workspace;

#[derive(Debug, Parser)]
#[command(name = "cargo xtask", about = "Builds, serves and tests Tokenpath")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Build the site into dist/site and print its sizes
    Web {
        /// Compile with little optimisation: seconds instead of minutes, for working on the page
        #[arg(long)]
        quick: bool,
    },
    /// Build the site and serve it to this machine
    Serve {
        /// The port on 127.0.0.1; 0 takes a free one
        #[arg(long, default_value_t = 8000)]
        port: u16,
        /// Only print the address, do not open a browser
        #[arg(long)]
        no_open: bool,
        /// Compile with little optimisation: seconds instead of minutes, for working on the page
        #[arg(long)]
        quick: bool,
    },
    /// Run everything that has to pass, obtaining what is missing
    Test {
        /// Run only these steps (comma-separated)
        #[arg(long, value_enum, value_delimiter = ',')]
        only: Vec<Step>,
        /// Leave these steps out (comma-separated)
        #[arg(long, value_enum, value_delimiter = ',')]
        skip: Vec<Step>,
    },
    /// Write the committed files that are generated from others
    Generate,
}

fn main() -> ExitCode {
    match run(&Arguments::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: &Task) -> anyhow::Result<()> {
    let workspace = Workspace::find()?;
    match task {
        Task::Web { quick } => web::build(&workspace, Build::quick_if(*quick)),
        Task::Serve { port, no_open, quick } => {
            web::build(&workspace, Build::quick_if(*quick))?;
            serve::serve(&workspace.site(), *port, !no_open)
        }
        Task::Test { only, skip } => steps::run(&workspace, only, skip),
        Task::Generate => generate::write(&workspace),
    }
}
