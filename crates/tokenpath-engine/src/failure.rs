//! Errors of opening to words and advice. The error types state facts; what to do about them is said here.

use tokenpath_core::bundle::ReadError;
use tokenpath_import::gguf::GgufError;
use tokenpath_import::{Format, OpenError};
use tokenpath_pages::errors::Failure;

/// The failure of opening files: what was wrong, and what to do next.
pub fn of(error: &OpenError) -> Failure {
    let advice = match error {
        OpenError::Nothing => "Choose or drop at least one file.",
        OpenError::Empty { .. } | OpenError::Blank { .. } => {
            "The program that wrote it has not finished, or failed. Look at its messages, then record again."
        }
        OpenError::NotRead { format, .. } => of_format(*format),
        OpenError::Unknown { .. } => "Open one of those. What a file holds counts, not how it is called.",
        OpenError::CutOff { .. } => "The file may be cut off: compare its length with where it came from.",
        OpenError::Read { .. } => "The file may have changed since it was chosen. Open it again.",
        OpenError::Bundle { error, .. } => of_bundle(error),
        OpenError::TooLarge { .. } => "Record fewer passes or shorter, so that the recording stays below the limit.",
        OpenError::Malformed { .. } => {
            "The file may be cut off or edited by hand. Get it again from where it was made, or record again."
        }
        OpenError::Gguf { error: GgufError::Version(_), .. } => {
            "A newer version of tokenpath may know it; else convert the model again."
        }
        OpenError::Gguf { .. } | OpenError::Safetensors { .. } | OpenError::SafetensorsIndex { .. } => {
            "The file may be cut off: compare its length with where it came from, and copy it again."
        }
        OpenError::Config { .. } => "Open the config.json that lies beside the model's weights, as it was published.",
        OpenError::DoNotBelong { .. } => "Open them one at a time, or choose files of the same run.",
        _ => "Open the file again, or another one.",
    };
    Failure { what: format!("{error}."), advice: advice.to_owned() }
}

fn of_bundle(error: &ReadError) -> &'static str {
    match error {
        ReadError::Json(_) => "The file may be cut off or edited by hand. Get it again from where it was made.",
        ReadError::Gzip { .. } => "The file is damaged or was not copied to its end. Copy it again.",
        ReadError::TooLarge { .. } => "Record fewer passes, so that the bundle stays below the limit.",
        ReadError::Blank { .. } => "The program that wrote it has not finished, or failed. Look at its messages.",
        ReadError::NewerVersion { .. } => "Update tokenpath; in the page, reload it.",
        _ => "Open a run bundle, or a file of another format that is read.",
    }
}

fn of_format(format: Format) -> &'static str {
    match format {
        Format::Sqlite => "A trace of a profiler is read before it comes here: open it by itself.",
        Format::GitLfsPointer => "Fetch the file itself with git lfs pull, then open that.",
        Format::Zip => "Unpack it and open the files inside.",
        Format::EventStream | Format::OllamaStream => {
            "Without arrival times no timing can be read from it. Record the request again with arrival times."
        }
        Format::Ggjt => "Convert the model to GGUF with the tools of llama.cpp, then open that.",
        Format::Gzip => "Open what is in it, if it is one of those; else it may be cut off or damaged.",
        Format::WideText => "Save it as UTF-8, then open that.",
        _ => "This version does not read it; open one of those.",
    }
}
