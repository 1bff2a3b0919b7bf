//! `tokenpath convert`: import, join, write one bundle.

use std::path::Path;
use std::process::ExitCode;

use tokenpath_core::bundle;

use crate::args::Convert;
use crate::output::{Failure, note, print_bytes, write_file};
use crate::run::open;
use crate::{Done, files};

/// Writes the bundle, then says on stderr what was joined by which rule and what was left out.
pub(crate) fn run(convert: &Convert) -> Done {
    if let Some(input) = convert.files.iter().find(|input| same_file(input, &convert.output)) {
        return Err(Failure::new(format!("{} is an input and would be the output", input.display()))
            .advise("Name another file with -o: what the bundle leaves out would be lost."));
    }
    let opened = open(&convert.files, convert.keep_text, convert.of)?;
    let errors: Vec<_> = opened.problems.iter().filter(|problem| !problem.rule.is_notice()).collect();
    if !errors.is_empty() {
        for error in &errors {
            note(format!("  error: {error}"));
        }
        return Err(Failure::new(format!(
            "the input has {}; a bundle written from it would hide them",
            files::plural(errors.len(), "error", "errors")
        ))
        .advise("`tokenpath check` lists them; mend the producer, or open the file as it is."));
    }
    if convert.output == Path::new("-") {
        print_bytes(&bundle::write(&opened.run))?;
    } else {
        let compressed = convert.output.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
        let bytes = if compressed { bundle::write_gzip(&opened.run) } else { bundle::write(&opened.run) };
        write_file(&convert.output, &bytes)?;
        note(format!("Wrote {} ({} bytes).", convert.output.display(), bytes.len()));
    }
    for join in &opened.joins {
        note(format!("Joined by {}: {}", join.rule, join.text));
    }
    for remark in &opened.remarks {
        note(format!("{}: {}", remark.file, remark.text));
    }
    for left in &opened.left_out {
        let count = if left.count > 0 { format!("{} ", left.count) } else { String::new() };
        note(format!("Left out of {}: {count}{}. {}", left.file, left.what, left.reason));
    }
    let absent = opened.run.absent.len();
    note(format!("{} in its absence list.", files::plural(absent, "entry", "entries")));
    Ok(ExitCode::SUCCESS)
}

/// Whether two paths lead to one file.
fn same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}
