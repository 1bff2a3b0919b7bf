//! Running other programs: what is run is printed, what fails is named.
//!
//! No program gets our standard input, so none can wait for an answer that nobody gives.

use std::env;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// Runs a program with its output passed through; a failure is an error that names the command.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    announce(command);
    let status = command.stdin(Stdio::null()).status().with_context(|| not_started(command))?;
    succeeded(command, status)
}

/// Runs a program silently and returns what it wrote to its standard output.
pub(crate) fn capture(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output().with_context(|| not_started(command))?;
    if !output.status.success() {
        bail!("`{}` failed ({}): {}", spelled(command), output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    String::from_utf8(output.stdout)
        .with_context(|| format!("`{}` printed something other than UTF-8", spelled(command)))
}

/// Runs a program with its output passed through, and returns the lines of it that `keep` accepts.
pub(crate) fn run_keeping(command: &mut Command, keep: fn(&str) -> bool) -> Result<Vec<String>> {
    announce(command);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| not_started(command))?;
    let (sender, lines) = mpsc::channel();
    let mut readers = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        readers.push(pass_lines(stdout, io::stdout(), sender.clone()));
    }
    if let Some(stderr) = child.stderr.take() {
        readers.push(pass_lines(stderr, io::stderr(), sender));
    }
    let kept = lines.into_iter().filter(|line| keep(line)).collect();
    for reader in readers {
        // A reader that panicked has already printed why; its lines are lost, the status is not.
        let _ = reader.join();
    }
    let status = child.wait().with_context(|| not_started(command))?;
    succeeded(command, status)?;
    Ok(kept)
}

/// Runs a program for at most `limit`. `Ok(false)` means that it failed, is missing or took longer.
pub(crate) fn succeeds_within(command: &mut Command, limit: Duration) -> Result<bool> {
    announce(command);
    let Ok(mut child) = command.stdin(Stdio::null()).spawn() else {
        return Ok(false);
    };
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        if limit < started.elapsed() {
            child.kill()?;
            child.wait()?;
            return Ok(false);
        }
        thread::sleep(Duration::from_millis(100));
    }
}

/// The first of these programs that is an executable file on `PATH`.
pub(crate) fn find_program(names: &[&str]) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    names
        .iter()
        .find_map(|name| env::split_paths(&path).map(|folder| folder.join(name)).find(|file| is_executable(file)))
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file()
}

fn pass_lines(
    from: impl Read + Send + 'static,
    mut to: impl Write + Send + 'static,
    sender: mpsc::Sender<String>,
) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        let mut from = BufReader::new(from);
        let mut bytes = Vec::new();
        while from.read_until(b'\n', &mut bytes).is_ok_and(|read| 0 < read) {
            // Our own output being closed is no reason to stop the program.
            let _ = to.write_all(&bytes);
            let _ = to.flush();
            let _ = sender.send(String::from_utf8_lossy(&bytes).trim_end().to_owned());
            bytes.clear();
        }
    })
}

fn announce(command: &Command) {
    println!("    $ {}", spelled(command));
}

/// The command as one would type it, with the folder of the program left out.
fn spelled(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut text = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
    for argument in command.get_args() {
        text.push(' ');
        text.push_str(&argument.to_string_lossy());
    }
    text
}

fn not_started(command: &Command) -> String {
    format!("could not run `{}`", command.get_program().to_string_lossy())
}

fn succeeded(command: &Command, status: ExitStatus) -> Result<()> {
    if status.success() {
        return Ok(());
    }
    bail!("`{}` failed ({status})", spelled(command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_both_outputs_are_kept_and_a_failure_names_the_command() {
        let mut both = Command::new("sh");
        both.args(["-c", "echo keep one; echo drop; echo keep two >&2"]);
        let mut kept = run_keeping(&mut both, |line| line.starts_with("keep")).unwrap();
        kept.sort();
        assert_eq!(kept, ["keep one", "keep two"]);

        let mut failing = Command::new("sh");
        failing.args(["-c", "exit 3"]);
        let error = run_keeping(&mut failing, |_| true).unwrap_err().to_string();
        assert!(error.contains("sh -c exit 3") && error.contains('3'), "{error}");
    }

    #[test]
    fn a_program_past_its_limit_is_ended() {
        let started = Instant::now();
        let ended = succeeds_within(Command::new("sleep").arg("20"), Duration::from_millis(200));
        assert!(!ended.unwrap());
        assert!(started.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn a_missing_program_is_no_success_and_is_not_found() {
        let missing = succeeds_within(&mut Command::new("tokenpath-no-such-program"), Duration::from_secs(1));
        assert!(!missing.unwrap());
        assert_eq!(find_program(&["tokenpath-no-such-program"]), None);
        assert!(find_program(&["tokenpath-no-such-program", "sh"]).is_some());
    }
}
