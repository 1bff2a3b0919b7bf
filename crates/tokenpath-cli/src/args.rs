//! The commands and their options, as plain structs.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use regex::Regex;

const ABOUT: &str = "Follow one token of an LLM inference run through the whole stack: request clock, pass, submission, \
                     GPU interval, kernel, graph node, weight tensor, layer.";

const CODES: &str = "Exit codes: 0 done; 1 the check failed; 2 unusable input or usage; 130 interrupted.";

/// `tokenpath`.
#[derive(Debug, Parser)]
#[command(name = "tokenpath", version, about = ABOUT, after_help = CODES, arg_required_else_help = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(Check),
    Convert(Convert),
    Open(Open),
    Publish(Publish),
    Summary(Summary),
}

/// Validate recordings and walk the token under test to a verdict
#[derive(Debug, Args)]
#[command(
    long_about = "Validate recordings, then walk every interval of the token under test to its layer and back. Several \
                  files are joined into one run as the page would join them.\n\nThe verdict is `pass` when no relation \
                  is missing, `fail` when one is (exit code 1), `not applicable` when the recording does not reach \
                  these levels.",
    after_help = "Examples:\n  tokenpath check fixtures/smollm2/run.json.gz\n  tokenpath check --json --all-passes \
                  capture.json.gz stamps.json.gz model.gguf"
)]
pub(crate) struct Check {
    /// A bundle, or the files that make up one run
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Walk every pass, not only the one under test
    #[arg(long)]
    pub(crate) all_passes: bool,
    #[command(flatten)]
    pub(crate) of: OfDevice,
}

/// Of which device a trace is the run.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct OfDevice {
    /// The device of a trace that has several; without it the lowest that ran kernels
    #[arg(long, value_name = "N")]
    pub(crate) device: Option<i64>,
}

/// Import recordings, join them, and write one bundle
#[derive(Debug, Args)]
#[command(
    long_about = "Import recordings, join those that belong together and write one bundle. Says on stderr which rule \
                  joined what, and what was left out, counted.",
    after_help = "Examples:\n  tokenpath convert capture.json.gz model.gguf -o run.json.gz\n  tokenpath convert \
                  chat.jsonl -o - | jq .identity"
)]
pub(crate) struct Convert {
    /// The files that make up one run
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Where to write; compressed when the name ends in .gz; - for stdout
    #[arg(short, long, value_name = "RUN.json[.gz]")]
    pub(crate) output: PathBuf,
    /// Keep prompt and answer text in the bundle
    #[arg(long)]
    pub(crate) keep_text: bool,
    #[command(flatten)]
    pub(crate) of: OfDevice,
}

/// Open recordings in the page, served from this program to your browser
#[derive(Debug, Args)]
#[command(
    long_about = "Serve the page, which is part of this program, on a loopback port with the files loaded, and open the \
                  browser. Writes nothing and uploads nothing; ends with Ctrl-C.",
    after_help = "Examples:\n  tokenpath open run.json.gz\n  tokenpath open --no-browser capture.json.gz model.gguf"
)]
pub(crate) struct Open {
    /// A bundle, or the files that make up one run; none opens the empty page
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print the address and open no browser
    #[arg(long)]
    pub(crate) no_browser: bool,
    /// The port to listen on; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    pub(crate) port: u16,
    #[command(flatten)]
    pub(crate) of: OfDevice,
}

/// Write recordings as a static site that reads well with scripts off
#[derive(Debug, Args)]
#[command(
    long_about = "Write a static site: an index of the recordings and, for each, every lens rendered to HTML and SVG, \
                  then made interactive by the page where scripts run. The verdict is marked as the generator's. The \
                  folder can be put on any static host and under any path. Files it did not write are left alone.",
    after_help = "Example:\n  tokenpath publish runs/*.json.gz -o site --title \"Decode on our CPUs\""
)]
pub(crate) struct Publish {
    /// Bundles, one recording each
    #[arg(required = true, value_name = "RUN")]
    pub(crate) runs: Vec<PathBuf>,
    /// The folder to write to
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// The site's title
    #[arg(long, default_value = "Recorded runs")]
    pub(crate) title: String,
    /// Where the site will stand, for the canonical address of each page
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Publish prompt, answer and token texts, the scenario and the host's name too
    #[arg(long)]
    pub(crate) keep_text: bool,
    #[command(flatten)]
    pub(crate) of: OfDevice,
}

/// Summarise an NVIDIA Nsight Systems export as JSON
#[derive(Debug, Args)]
#[command(
    long_about = "Summarise an NVIDIA Nsight Systems export (`nsys export --type sqlite`) as JSON on stdout: span, busy and \
                  idle time of a device, kernels, CUDA calls, NVTX ranges and dispatches; under `tokenpath` every device, \
                  and what the figures rest on. A figure that the export cannot give is null, with its reason there.\n\n\
                  The file is read as it is, row by row, and never written to.",
    after_help = "Examples:\n  tokenpath summary trace.sqlite --pretty\n  tokenpath summary trace.sqlite | jq \
                  .gpu_busy_union_s\n  tokenpath summary trace.sqlite --device 1 --nvtx '^layer' --name demangled --top 50"
)]
pub(crate) struct Summary {
    /// The export
    #[arg(value_name = "TRACE.sqlite")]
    pub(crate) trace: PathBuf,
    /// Lay the JSON out over lines
    #[arg(long)]
    pub(crate) pretty: bool,
    /// Only NVTX ranges whose name matches this regular expression
    #[arg(long, value_name = "REGEX", value_parser = crate::summary::pattern)]
    pub(crate) nvtx: Option<Regex>,
    /// NVTX ranges that begin so are dispatches
    #[arg(long, value_name = "PREFIX", default_value = "CG_DISPATCH:")]
    pub(crate) dispatch_prefix: String,
    /// How many kernels to list
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: usize,
    /// The device of the top-level figures; without it the lowest that ran kernels
    #[arg(long, value_name = "N")]
    pub(crate) device: Option<i64>,
    /// Only from this nanosecond of the trace clock on
    #[arg(long, value_name = "NS", allow_negative_numbers = true)]
    pub(crate) from: Option<i64>,
    /// Only before this nanosecond of the trace clock
    #[arg(long, value_name = "NS", allow_negative_numbers = true)]
    pub(crate) to: Option<i64>,
    /// By which name kernels are grouped
    #[arg(long, value_enum, default_value = "short")]
    pub(crate) name: NameOf,
}

/// The names of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NameOf {
    /// Without templates and parameters
    Short,
    /// As in the source
    Demangled,
    /// As the linker has it
    Mangled,
}
