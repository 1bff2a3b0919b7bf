//! Errors of opening to words and advice. The error types state facts; what to do about them is said here.

use tokenpath_core::bundle::ReadError;
use tokenpath_pages::errors::Failure;

/// The failure of reading the file `name` as a bundle.
pub(crate) fn of_bundle(name: &str, error: &ReadError) -> Failure {
    let advice = match error {
        ReadError::Json(_) => "The file may be cut off or edited by hand. Get it again from where it was made.",
        ReadError::Gzip { .. } => "The file is damaged or was not copied to its end. Copy it again.",
        ReadError::TooLarge { .. } => "Record fewer passes, or use the command line, which has no such limit.",
        ReadError::Blank { .. } => "The program that wrote it has not finished, or failed. Look at its messages.",
        ReadError::NewerVersion { .. } => "Reload the page for the newest viewer, or update tokenpath.",
        _ => "Open a run bundle, or one of the files that the start page lists.",
    };
    Failure { what: format!("{name}: {error}."), advice: advice.to_owned() }
}
