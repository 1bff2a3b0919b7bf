//! Reading one file: what it is, whole or piece by piece, plain or inflated.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use tokenpath_core::bundle::{self, ReadError, inflate, is_gzip};

use crate::error::OpenError;
use crate::llamacpp::recording::Recording;
use crate::open::{Continue, Progress};
use crate::read_at::{ReadAt, head};
use crate::sniff::{Format, HEAD, Keys, by_keys, sniff};
use crate::{config, gguf, llamacpp, request, safetensors};

/// Bytes read between two reports of progress.
const PIECE: usize = 4 << 20;

/// Bundles, plain or gzip, larger than this are refused: the document is held while it is read.
const MAX_BUNDLE: u64 = bundle::MAX_INFLATED;

/// A file that was read.
pub(crate) struct Loaded {
    pub(crate) name: String,
    pub(crate) format: Format,
    pub(crate) content: Content,
}

/// What it holds.
pub(crate) enum Content {
    Bundle(Box<bundle::Opened>),
    Capture(Box<Recording>),
    Stamps(Box<Recording>),
    Preload(Box<Recording>),
    Request(Box<request::Capture>),
    Gguf(Box<gguf::Model>),
    Safetensors(Box<safetensors::Header>),
    Index(Box<safetensors::Index>),
    Config(Box<config::Config>),
}

/// Finds out what a file is and reads it.
pub(crate) fn load(
    name: String,
    source: &dyn ReadAt,
    progress: &mut dyn FnMut(Progress) -> Continue,
) -> Result<Loaded, OpenError> {
    let length = source.len();
    let beginning = head(source, HEAD).map_err(|failed| OpenError::Read { name: name.clone(), failed })?;
    let mut format = sniff(&beginning, Some(length));
    if matches!(format, Format::Unknown | Format::Gzip) && length > beginning.len() as u64 {
        format = by_all_keys(&name, source, format, &beginning, progress)?;
    }
    match format {
        Format::Empty => return Err(OpenError::Empty { name }),
        Format::Blank => return Err(OpenError::Blank { name, examined: beginning.len() as u64, length }),
        Format::Unknown if is_open(&beginning) && length <= beginning.len() as u64 => {
            return Err(OpenError::CutOff { name, length });
        }
        Format::Unknown => {
            let beginning = String::from_utf8_lossy(beginning.get(..32).unwrap_or(&beginning));
            return Err(OpenError::Unknown { name, beginning: format!("{beginning:?}") });
        }
        format if !format.is_read() => return Err(OpenError::NotRead { name, format }),
        _ => {}
    }
    let malformed = |fault: llamacpp::capture::Fault| OpenError::Malformed {
        name: name.clone(),
        format,
        place: fault.place,
        what: fault.what,
    };
    let content = match format {
        Format::Bundle => {
            let bytes = whole(&name, format, source, MAX_BUNDLE, progress)?;
            let opened = bundle::read(&bytes).map_err(|error| OpenError::Bundle { name: name.clone(), error })?;
            Content::Bundle(Box::new(opened))
        }
        Format::LlamaCapture | Format::LlamaStamps => {
            let bytes = inflated(&name, format, source, llamacpp::capture::MAX_BYTES, progress)?;
            let recording = Box::new(llamacpp::capture::read(&bytes).map_err(malformed)?);
            // The sniffed mode and the read one are the same field; a file whose mode comes late is told apart here.
            if recording.graphs.is_empty() { Content::Stamps(recording) } else { Content::Capture(recording) }
        }
        Format::LlamaPreload => {
            let bytes = inflated(&name, format, source, llamacpp::preload::MAX_BYTES, progress)?;
            Content::Preload(Box::new(llamacpp::preload::read(&bytes).map_err(malformed)?))
        }
        Format::RequestCapture => {
            let bytes = inflated(&name, format, source, request::MAX_BYTES, progress)?;
            let capture = request::read(&bytes).map_err(|fault| OpenError::Malformed {
                name: name.clone(),
                format,
                place: format!("line {}", fault.line),
                what: fault.what,
            })?;
            Content::Request(Box::new(capture))
        }
        Format::SafetensorsIndex => {
            let bytes = inflated(&name, format, source, safetensors::MAX_INDEX, progress)?;
            let index = safetensors::read_index(&bytes)
                .map_err(|error| OpenError::SafetensorsIndex { name: name.clone(), error })?;
            Content::Index(Box::new(index))
        }
        Format::ModelConfig => {
            let bytes = inflated(&name, format, source, config::MAX_CONFIG, progress)?;
            let config = config::read(&bytes).map_err(|error| OpenError::Config { name: name.clone(), error })?;
            Content::Config(Box::new(config))
        }
        _ if is_gzip(&beginning) => {
            return Err(OpenError::Malformed {
                name: name.clone(),
                format,
                place: "byte 0".to_owned(),
                what: "it lies within a gzip stream; a model file is read in place and not inflated".to_owned(),
            });
        }
        Format::Safetensors => {
            let header =
                safetensors::read(source).map_err(|error| OpenError::Safetensors { name: name.clone(), error })?;
            Content::Safetensors(Box::new(header))
        }
        _ => {
            let model = gguf::read(source).map_err(|error| OpenError::Gguf { name: name.clone(), error })?;
            Content::Gguf(Box::new(model))
        }
    };
    Ok(Loaded { name, format, content })
}

/// Whether a JSON object or array begins here and does not end.
fn is_open(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii_start();
    let mut keys = Keys::default();
    keys.feed(text);
    matches!(text.first(), Some(b'{' | b'[')) && !keys.ended()
}

/// What a JSON object is whose telling keys stand behind its head: JSON fixes no order. Reads the file once, keeping nothing.
fn by_all_keys(
    name: &str,
    source: &dyn ReadAt,
    format: Format,
    beginning: &[u8],
    progress: &mut dyn FnMut(Progress) -> Continue,
) -> Result<Format, OpenError> {
    let mut keys = Keys::default();
    let mut stopped = None;
    let reading = Forward { source, at: 0 };
    let feed = |reader: &mut dyn Read, keys: &mut Keys, read: &mut dyn FnMut(u64) -> bool| -> std::io::Result<()> {
        let mut piece = vec![0; HEAD];
        let mut total = 0;
        let mut first = true;
        while !keys.ended() {
            let count = reader.read(&mut piece)?;
            let bytes = piece.get(..count).unwrap_or(&[]);
            let opens = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start().first() == Some(&b'{');
            if count == 0 || (first && !opens) {
                break;
            }
            first = false;
            keys.feed(bytes);
            total += count as u64;
            if !read(total) {
                break;
            }
        }
        Ok(())
    };
    let mut report = |bytes: u64| {
        let go_on = progress(Progress { file: name.to_owned(), bytes, total: source.len() }) == Continue::Yes;
        if !go_on {
            stopped = Some(bytes);
        }
        go_on
    };
    // A stream that breaks has told what it could.
    let _ = if is_gzip(beginning) {
        feed(&mut MultiGzDecoder::new(reading), &mut keys, &mut report)
    } else {
        feed(&mut { reading }, &mut keys, &mut report)
    };
    if let Some(bytes) = stopped {
        return Err(OpenError::Stopped { bytes });
    }
    Ok(match by_keys(&keys) {
        Format::Unknown => format,
        found => found,
    })
}

/// Reads a source from its beginning.
struct Forward<'a> {
    source: &'a dyn ReadAt,
    at: u64,
}

impl Read for Forward<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let left = usize::try_from(self.source.len().saturating_sub(self.at)).unwrap_or(usize::MAX);
        let count = buffer.len().min(left);
        let piece = buffer.get_mut(..count).unwrap_or(&mut []);
        self.source.read_at(self.at, piece).map_err(std::io::Error::other)?;
        self.at += count as u64;
        Ok(count)
    }
}

/// The whole file.
fn whole(
    name: &str,
    format: Format,
    source: &dyn ReadAt,
    limit: u64,
    progress: &mut dyn FnMut(Progress) -> Continue,
) -> Result<Vec<u8>, OpenError> {
    let length = source.len();
    if length > limit {
        return Err(OpenError::TooLarge { name: name.to_owned(), format, length, limit });
    }
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < length {
        let start = bytes.len();
        let wanted = usize::try_from(length - start as u64).unwrap_or(usize::MAX).min(PIECE);
        bytes.resize(start + wanted, 0);
        let piece = bytes.get_mut(start..).unwrap_or(&mut []);
        source.read_at(start as u64, piece).map_err(|failed| OpenError::Read { name: name.to_owned(), failed })?;
        let report = Progress { file: name.to_owned(), bytes: bytes.len() as u64, total: length };
        if progress(report) == Continue::Stop {
            return Err(OpenError::Stopped { bytes: bytes.len() as u64 });
        }
    }
    Ok(bytes)
}

/// The whole file, inflated if it is gzip.
fn inflated(
    name: &str,
    format: Format,
    source: &dyn ReadAt,
    limit: u64,
    progress: &mut dyn FnMut(Progress) -> Continue,
) -> Result<Vec<u8>, OpenError> {
    let bytes = whole(name, format, source, limit, progress)?;
    if !is_gzip(&bytes) {
        return Ok(bytes);
    }
    inflate(&bytes, limit).map_err(|error| match error {
        ReadError::TooLarge { limit } => {
            OpenError::TooLarge { name: name.to_owned(), format, length: limit.saturating_add(1), limit }
        }
        error => OpenError::Malformed {
            name: name.to_owned(),
            format,
            place: "the gzip stream".to_owned(),
            what: error.to_string(),
        },
    })
}
