//! The steps of `cargo xtask test`, in order.
//!
//! A step either passes or ends the run. None passes because something it needs is missing, except
//! that a kind of test of which the repository holds no file yet says so.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;

use crate::generate;
use crate::process;
use crate::toolchain::WasmToolchain;
use crate::tools;
use crate::web;
use crate::workspace::Workspace;

/// One step, named as on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Step {
    /// Formatting
    Fmt,
    /// Clippy, all packages, on this machine's target
    Clippy,
    /// Clippy of the browser's packages, on the wasm target
    ClippyWasm,
    /// Documentation
    Doc,
    /// Tests of all packages on this machine's target
    Host,
    /// Tests of the browser's packages in headless Chromium
    Wasm,
    /// Cross-checks by independent Python programs
    Oracle,
    /// The site and its size budget
    Web,
    /// The site in a real browser
    Browser,
    /// Generated files are as committed
    Generated,
}

/// The packages that run in a browser.
const BROWSER_PACKAGES: [&str; 4] = ["tokenpath-web", "tokenpath-worker", "tokenpath-trace-worker", "tokenpath-files"];

/// The arguments with which cargo takes these packages.
fn of_packages<'a>(packages: &[&'a str]) -> Vec<&'a str> {
    packages.iter().flat_map(|package| ["-p", package]).collect()
}

/// Runs the chosen steps and prints the test runners' closing lines once more at the end.
pub(crate) fn run(workspace: &Workspace, only: &[Step], skip: &[Step]) -> Result<()> {
    let started = Instant::now();
    let chosen = |step: &&Step| (only.is_empty() || only.contains(step)) && !skip.contains(step);
    let mut closing_lines = Vec::new();
    for step in Step::value_variants().iter().filter(chosen) {
        let name = step.to_possible_value().map(|value| value.get_name().to_owned());
        let name = name.unwrap_or_default();
        println!("==> {name}");
        let step_started = Instant::now();
        let lines = step.run(workspace).with_context(|| format!("step {name} failed"))?;
        println!("    {name} passed in {:.1} s", step_started.elapsed().as_secs_f64());
        closing_lines.push((name, lines));
    }
    println!("==> all passed in {:.1} s", started.elapsed().as_secs_f64());
    for (name, lines) in closing_lines {
        // cargo test sums up every program, most of which hold no test.
        let lines: Vec<_> = lines.iter().filter(|line| passed_in(line) != Some(0)).collect();
        if !lines.is_empty() {
            println!("    {name}");
        }
        for line in lines {
            println!("{line}");
        }
    }
    Ok(())
}

impl Step {
    /// Runs the step; returns the closing lines of its test runners.
    fn run(self, workspace: &Workspace) -> Result<Vec<String>> {
        match self {
            Self::Fmt => process::run(&mut workspace.cargo(&["fmt", "--all", "--check"]))?,
            Self::Clippy => {
                process::run(&mut workspace.cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?
            }
            Self::ClippyWasm => {
                let toolchain = WasmToolchain::obtain(workspace)?;
                let mut arguments = of_packages(&BROWSER_PACKAGES);
                arguments.extend(["--all-targets", "--", "-D", "warnings"]);
                process::run(&mut toolchain.cargo("clippy", &arguments))?;
            }
            Self::Doc => {
                process::run(workspace.cargo(&["doc", "--no-deps", "--workspace"]).env("RUSTDOCFLAGS", "-D warnings"))?
            }
            Self::Host => {
                let model = tools::published_model(workspace)?;
                let mut cargo = workspace.cargo(&["test", "--workspace"]);
                return tested(process::run_keeping(cargo.env("SMOLLM2_GGUF", model), is_closing_line)?);
            }
            Self::Wasm => return wasm_tests(workspace),
            Self::Oracle => return oracle_tests(workspace),
            Self::Web => web::build(workspace, web::Build::Released)?,
            Self::Browser => return browser_tests(workspace),
            Self::Generated => generate::check(workspace)?,
        }
        Ok(Vec::new())
    }
}

fn wasm_tests(workspace: &Workspace) -> Result<Vec<String>> {
    let toolchain = WasmToolchain::obtain(workspace)?;
    let browser = tools::browser()?;
    let runner = tools::wasm_test_runner(workspace)?;
    tested(process::run_keeping(
        toolchain
            .cargo("test", &of_packages(&BROWSER_PACKAGES))
            .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner)
            .env("CHROMEDRIVER", browser.driver)
            // Seconds for all tests of one program; the default of 20 is short on a loaded machine.
            .env("WASM_BINDGEN_TEST_TIMEOUT", "120"),
        is_closing_line,
    )?)
}

fn oracle_tests(workspace: &Workspace) -> Result<Vec<String>> {
    if !workspace.path("tests/oracle").is_dir() {
        println!("    no tests: there is no tests/oracle yet");
        return Ok(Vec::new());
    }
    // The program whose figures are compared.
    process::run(&mut workspace.cargo(&["build", "-p", "tokenpath-cli"]))?;
    let python = tools::python(workspace)?;
    let mut unittest = std::process::Command::new(python);
    let program = workspace.target().join("debug").join("tokenpath");
    unittest.env("PYTHONDONTWRITEBYTECODE", "1").env("TOKENPATH_PROGRAM", program);
    tested(process::run_keeping(
        unittest.current_dir(workspace.root()).args([
            "-m",
            "unittest",
            "discover",
            "-v",
            "-s",
            "tests/oracle",
            "-p",
            "test_*.py",
        ]),
        is_closing_line,
    )?)
}

fn browser_tests(workspace: &Workspace) -> Result<Vec<String>> {
    if !workspace.site().join("index.html").is_file() {
        bail!("there is no dist/site: run `cargo xtask web` first");
    }
    // The program that the tests run, with the site in it; its own tests that need the site say so when it is missing.
    let mut program = workspace.cargo(&["test", "-p", "tokenpath-cli", "--test", "publish", "--test", "server"]);
    let mut lines = tested(process::run_keeping(program.env("TOKENPATH_PAGE_REQUIRED", "1"), is_closing_line)?)?;
    process::run(&mut workspace.cargo(&["build", "-p", "tokenpath-cli"]))?;
    let browser = tools::browser()?;
    let node = tools::node()?;
    let modules = tools::node_packages(workspace)?;
    let report = workspace.tools("browser-tests.tap");
    let _ = fs::remove_file(&report);
    let mut tests = std::process::Command::new(node);
    tests
        .current_dir(workspace.root())
        .env("TOKENPATH_CHROMIUM", browser.chromium)
        .env("TOKENPATH_NODE_MODULES", modules)
        // Each file starts a browser of its own: one at a time, so that time limits hold on a small
        // machine. Two reports: one for people now, one whose closing lines are read below.
        .args(["--test", "--test-concurrency=1"])
        .args(["--test-reporter=spec", "--test-reporter-destination=stdout", "--test-reporter=tap"])
        .arg(format!("--test-reporter-destination={}", report.display()))
        .args(browser_test_files(workspace)?);
    process::run(&mut tests)?;
    let report = fs::read_to_string(&report).with_context(|| format!("could not read {}", report.display()))?;
    lines.extend(tested(report.lines().filter(|line| is_closing_line(line)).map(str::to_owned).collect())?);
    Ok(lines)
}

fn browser_test_files(workspace: &Workspace) -> Result<Vec<PathBuf>> {
    let mut files = web::files_below(&workspace.path("tests/browser"))?;
    files.retain(|file| file.to_string_lossy().ends_with(".test.mjs"));
    let relative = |file: PathBuf| file.strip_prefix(workspace.root()).map(Path::to_path_buf);
    Ok(files.into_iter().map(relative).collect::<Result<_, _>>()?)
}

/// Refuses a run of tests in which no test ran: a pattern that matches nothing must not pass.
fn tested(closing_lines: Vec<String>) -> Result<Vec<String>> {
    let passed: u64 = closing_lines.iter().filter_map(|line| passed_in(line)).sum();
    if passed == 0 {
        bail!("no test ran");
    }
    Ok(closing_lines)
}

/// The lines in which cargo test, Python's unittest and node's test runner sum up.
fn is_closing_line(line: &str) -> bool {
    passed_in(line).is_some()
        || line == "OK"
        || line.starts_with("OK (")
        || line.starts_with("FAILED (")
        || ["# tests ", "# fail ", "# skipped "].iter().any(|start| line.starts_with(start))
}

/// How many tests a closing line says passed (for unittest: ran).
fn passed_in(line: &str) -> Option<u64> {
    let count = line
        .strip_prefix("test result: ok. ")
        .or_else(|| line.strip_prefix("test result: FAILED. "))
        .or_else(|| line.strip_prefix("Ran "))
        .or_else(|| line.strip_prefix("# pass "))?;
    count.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    // The lines are copied from the runners: cargo 1.95, Python 3.11, node 20.
    const OF_CARGO: &str = "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; \
                            0 filtered out; finished in 0.00s";

    #[test]
    fn closing_lines_of_all_runners_are_kept() {
        for line in [OF_CARGO, "Ran 12 tests in 0.004s", "OK", "OK (skipped=1)", "# pass 4"] {
            assert!(is_closing_line(line), "{line}");
        }
        for line in ["test core::units ... ok", "running 3 tests", "ok 1 - page loads", "OKAY"] {
            assert!(!is_closing_line(line), "{line}");
        }
    }

    #[test]
    fn a_run_without_a_test_does_not_pass() {
        let empty = OF_CARGO.replace('3', "0");
        for lines in [vec![], vec![empty.clone()], vec!["Ran 0 tests in 0.000s".to_owned()]] {
            assert!(tested(lines).is_err());
        }
        assert!(tested(vec![empty, OF_CARGO.to_owned()]).is_ok());
    }
}
