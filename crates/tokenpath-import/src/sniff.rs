//! What a file is, by its content and never by its name.

use std::io::Read;

use flate2::read::MultiGzDecoder;

/// So many bytes of a file decide what it is. A longer run of white space is refused rather than searched.
pub const HEAD: usize = 64 * 1024;

/// What a file is. Closed: whoever adds a format adds it to every `match`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// A run bundle.
    Bundle,
    /// A llama.cpp capture by the evaluation callback.
    LlamaCapture,
    /// A llama.cpp capture by abort-callback stamps.
    LlamaStamps,
    /// The preload recorder's NDJSON.
    LlamaPreload,
    /// A request capture: NDJSON with arrival times.
    RequestCapture,
    /// A GGUF model file.
    Gguf,
    /// An SQLite database.
    Sqlite,
    /// A safetensors file.
    Safetensors,
    /// The index of a sharded safetensors model.
    SafetensorsIndex,
    /// A Hugging Face model configuration.
    ModelConfig,
    /// A Kineto or Chrome trace.
    ChromeTrace,
    /// XML exported by xctrace.
    XctraceXml,
    /// A saved event stream without arrival times.
    EventStream,
    /// A saved Ollama stream without arrival times.
    OllamaStream,
    /// A Git LFS pointer in place of the file it points to.
    GitLfsPointer,
    /// A model file of the time before GGUF.
    Ggjt,
    /// A zip archive.
    Zip,
    /// A gzip stream around something unknown.
    Gzip,
    /// Text in UTF-16 or UTF-32.
    WideText,
    /// Nothing.
    Empty,
    /// White space only, as far as was looked.
    Blank,
    /// None of these.
    Unknown,
}

impl Format {
    /// The format with its article, for messages.
    pub fn noun(self) -> &'static str {
        match self {
            Format::Bundle => "a Tokenpath run bundle",
            Format::LlamaCapture => "a llama.cpp evaluation-callback capture",
            Format::LlamaStamps => "a llama.cpp stamp capture",
            Format::LlamaPreload => "a capture by the llama.cpp preload recorder",
            Format::RequestCapture => "a request capture",
            Format::Gguf => "a GGUF model file",
            Format::Sqlite => "an SQLite database",
            Format::Safetensors => "a safetensors model file",
            Format::SafetensorsIndex => "the index of a sharded safetensors model",
            Format::ModelConfig => "a model configuration (config.json)",
            Format::ChromeTrace => "a Kineto or Chrome trace",
            Format::XctraceXml => "XML exported by xctrace",
            Format::EventStream => "a saved event stream without arrival times",
            Format::OllamaStream => "a saved Ollama stream without arrival times",
            Format::GitLfsPointer => "a Git LFS pointer, not the file that it points to",
            Format::Ggjt => "a model file of a format older than GGUF (ggjt)",
            Format::Zip => "a zip archive",
            Format::WideText => "text in UTF-16 or UTF-32",
            Format::Gzip => "a gzip stream around something unknown",
            Format::Empty => "an empty file",
            Format::Blank => "a file of white space",
            Format::Unknown => "a file of an unknown format",
        }
    }

    /// Whether it describes a model and records nothing.
    pub fn is_model(self) -> bool {
        matches!(self, Format::Gguf | Format::Safetensors | Format::SafetensorsIndex | Format::ModelConfig)
    }

    /// Whether [`crate::open`] reads it.
    pub fn is_read(self) -> bool {
        matches!(
            self,
            Format::Bundle
                | Format::LlamaCapture
                | Format::LlamaStamps
                | Format::LlamaPreload
                | Format::RequestCapture
                | Format::Gguf
                | Format::Safetensors
                | Format::SafetensorsIndex
                | Format::ModelConfig
        )
    }
}

/// What the file is that begins with `head` and is `len` bytes long, if that is known.
///
/// A gzip stream is judged by what it holds; only its head is inflated. Give up to [`HEAD`] bytes.
pub fn sniff(head: &[u8], _len: Option<u64>) -> Format {
    let head = head.get(..HEAD).unwrap_or(head);
    if head.starts_with(&[0x1f, 0x8b]) {
        let mut inner = Vec::new();
        // The stream ends in the middle because only its head is here; what was inflated until then counts.
        let _ = MultiGzDecoder::new(head).take(HEAD as u64).read_to_end(&mut inner);
        return match plain(&inner) {
            Format::Empty | Format::Unknown => Format::Gzip,
            format => format,
        };
    }
    plain(head)
}

fn plain(head: &[u8]) -> Format {
    if head.is_empty() {
        return Format::Empty;
    }
    const MAGIC: [(&[u8], Format); 7] = [
        (tokenpath_core::json::PACKED, Format::Bundle),
        (b"SQLite format 3\0", Format::Sqlite),
        (b"GGUF", Format::Gguf),
        (b"tjgg", Format::Ggjt),
        (b"PK\x03\x04", Format::Zip),
        (b"version https://git-lfs.github.com/spec/", Format::GitLfsPointer),
        (b"lmgg", Format::Ggjt),
    ];
    if let Some((_, format)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        return *format;
    }
    if is_wide(head) {
        return Format::WideText;
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    if text.is_empty() {
        return Format::Blank;
    }
    if is_safetensors(head) {
        return Format::Safetensors;
    }
    if text.starts_with(b"<") {
        let names = [b"<trace-query-result".as_slice(), b"<trace-toc"];
        let found = names.iter().any(|name| text.windows(name.len()).take(4096).any(|window| window == *name));
        return if found { Format::XctraceXml } else { Format::Unknown };
    }
    if text.starts_with(b"data:") || text.starts_with(b"event:") {
        return Format::EventStream;
    }
    match text.first() {
        Some(b'{') => object(text),
        Some(b'[') => array(text),
        _ => Format::Unknown,
    }
}

/// Text in units of two or four bytes: it begins with a byte order mark, or with a bracket among zeros.
fn is_wide(head: &[u8]) -> bool {
    let bracket = |byte: Option<&u8>| matches!(byte, Some(b'{' | b'[' | b'<'));
    let zero = |at: usize| head.get(at) == Some(&0);
    head.starts_with(b"\xff\xfe")
        || head.starts_with(b"\xfe\xff")
        || (bracket(head.first()) && zero(1) && !zero(2) && zero(3))
        || (zero(0) && bracket(head.get(1)) && zero(2) && !zero(3))
}

/// 8 bytes of header length, then the header's opening brace. A length that the file cannot have is still one: the reader
/// says what is wrong with it. Text has no zero byte, and every length below 2^56 has one.
fn is_safetensors(head: &[u8]) -> bool {
    let Some((size, rest)) = head.split_first_chunk::<8>() else { return false };
    rest.first() == Some(&b'{') && size.contains(&0)
}

fn object(text: &[u8]) -> Format {
    let mut keys = Keys::default();
    keys.feed(text);
    by_keys(&keys)
}

/// What a JSON object is by its own keys.
pub(crate) fn by_keys(keys: &Keys) -> Format {
    if keys.has(tokenpath_core::bundle::MARK) {
        return Format::Bundle;
    }
    match keys.text("k") {
        Some("start" | "graph" | "pass") => return Format::LlamaPreload,
        Some("req") => return Format::RequestCapture,
        _ => {}
    }
    if keys.has("tool") && (keys.has("mode") || keys.has("passes")) {
        return if keys.text("mode") == Some("abort") { Format::LlamaStamps } else { Format::LlamaCapture };
    }
    if keys.has("traceEvents")
        || keys.has("displayTimeUnit")
        || (keys.has("schemaVersion") && keys.has("deviceProperties"))
    {
        return Format::ChromeTrace;
    }
    if keys.has("weight_map") {
        return Format::SafetensorsIndex;
    }
    let quantiser = keys.has("producer") && keys.has("quantization");
    if keys.has("model_type") || keys.has("architectures") || quantiser {
        return Format::ModelConfig;
    }
    if keys.has("created_at") && keys.has("model") {
        return Format::OllamaStream;
    }
    Format::Unknown
}

/// An array of trace events: its first object has a phase.
fn array(text: &[u8]) -> Format {
    let inner = text.get(1..).unwrap_or(&[]).trim_ascii_start();
    if inner.first() != Some(&b'{') {
        return Format::Unknown;
    }
    let mut keys = Keys::default();
    keys.feed(inner);
    if keys.has("ph") { Format::ChromeTrace } else { Format::Unknown }
}

/// The keys of the first JSON object in a stream of bytes, each with its value if that is a text. Fed piece by piece,
/// since the keys that tell a format may stand at the end of a large object.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    found: Vec<(Vec<u8>, Vec<u8>)>,
    depth: u32,
    /// Whether the bytes are those of a string, and whether the byte before was a backslash in it.
    string: bool,
    escaped: bool,
    /// What the next string of the object itself is.
    due: Due,
    /// Where the current string goes.
    into: Due,
    ended: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Due {
    #[default]
    Nothing,
    Key,
    Value,
}

/// So many keys of an object and so many bytes of each are kept; the keys that tell a format are few and short.
const KEPT_KEYS: usize = 256;
const KEPT_BYTES: usize = 64;

impl Keys {
    /// Whether the object's end was seen, after which nothing more is looked at.
    pub(crate) fn ended(&self) -> bool {
        self.ended
    }

    fn has(&self, name: &str) -> bool {
        self.found.iter().any(|(key, _)| key == name.as_bytes())
    }

    fn text(&self, name: &str) -> Option<&str> {
        let (_, value) = self.found.iter().find(|(key, _)| key == name.as_bytes())?;
        std::str::from_utf8(value).ok()
    }

    /// Takes the next bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.ended {
                return;
            }
            if self.string {
                self.in_string(*byte);
                continue;
            }
            match byte {
                b'{' | b'[' => {
                    self.depth = self.depth.saturating_add(1);
                    self.due = if self.depth == 1 { Due::Key } else { Due::Nothing };
                }
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.due = Due::Nothing;
                    self.ended = self.depth == 0;
                }
                b',' if self.depth == 1 => self.due = Due::Key,
                b':' if self.depth == 1 => self.due = Due::Value,
                b'"' => {
                    self.string = true;
                    self.into = if self.depth == 1 { std::mem::take(&mut self.due) } else { Due::Nothing };
                    if self.into == Due::Key {
                        if self.found.len() < KEPT_KEYS {
                            self.found.push((Vec::new(), Vec::new()));
                        } else {
                            self.into = Due::Nothing;
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn in_string(&mut self, byte: u8) {
        if !self.escaped && byte == b'"' {
            self.string = false;
            return;
        }
        self.escaped = !self.escaped && byte == b'\\';
        let kept = match (self.into, self.found.last_mut()) {
            (Due::Key, Some((key, _))) => key,
            (Due::Value, Some((_, value))) => value,
            _ => return,
        };
        if kept.len() < KEPT_BYTES {
            kept.push(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_by_its_content() {
        let table: [(&[u8], Format); 25] = [
            (b"", Format::Empty),
            (b" \n\t", Format::Blank),
            (b"{\"tokenpath\":1}", Format::Bundle),
            (b"tokenpath packed 1\n\x0c", Format::Bundle),
            (b"\xef\xbb\xbf {\"identity\":{\"k\":\"req\"},\"tokenpath\":1}", Format::Bundle),
            (b"{\"tool\":\"capture.py\",\"mode\":\"c\",\"passes\":[]}", Format::LlamaCapture),
            (b"{\"tool\":\"capture.py\",\"mode\":\"abort\",\"passes\":[]}", Format::LlamaStamps),
            (b"{\"k\":\"start\",\"t\":1}\n", Format::LlamaPreload),
            (b"{\"k\": \"req\", \"t0_mono_ns\": 1}\n", Format::RequestCapture),
            (b"GGUF\x03\0\0\0", Format::Gguf),
            (b"SQLite format 3\0....", Format::Sqlite),
            (b"\x10\0\0\0\0\0\0\0{\"a\":{}}        ", Format::Safetensors),
            (b"{\"metadata\":{},\"weight_map\":{}}", Format::SafetensorsIndex),
            (b"{\"architectures\":[\"X\"],\"hidden_size\":1}", Format::ModelConfig),
            (b"{\"schemaVersion\":1,\"traceEvents\":[", Format::ChromeTrace),
            (b"[\n {\"name\":\"a\",\"ph\":\"X\"", Format::ChromeTrace),
            (b"<?xml version=\"1.0\"?>\n<trace-query-result>", Format::XctraceXml),
            (b"version https://git-lfs.github.com/spec/v1\noid", Format::GitLfsPointer),
            (b"tjgg\x01\0\0\0", Format::Ggjt),
            (b"PK\x03\x04", Format::Zip),
            (b"\x1f\x8b\x08", Format::Gzip),
            (b"data: {\"choices\":[]}\n\n", Format::EventStream),
            (b"{\"model\":\"m\",\"created_at\":\"t\",\"done\":false}", Format::OllamaStream),
            (b"{\"passes\":[{\"tool\":1,\"mode\":2}]}", Format::Unknown),
            (b"hello", Format::Unknown),
        ];
        for (head, format) in table {
            assert_eq!(sniff(head, Some(head.len() as u64)), format, "{:?}", String::from_utf8_lossy(head));
        }
    }

    #[test]
    fn keys_come_in_pieces_and_in_any_order() {
        let text = br#"{"logs":["{\"mode\":1}","x"],"a":{"tokenpath":1},"mode":"abort","n":1,"passes":[{}],"tool":"t"} {"k":"req"}"#;
        for size in [1, 3, 7, text.len()] {
            let mut keys = Keys::default();
            text.chunks(size).for_each(|piece| keys.feed(piece));
            assert!(keys.ended());
            assert_eq!(by_keys(&keys), Format::LlamaStamps, "pieces of {size}");
        }
    }

    #[test]
    fn a_cut_string_ends_the_search() {
        assert_eq!(sniff(b"{\"tool\":\"abc", None), Format::Unknown);
        assert_eq!(sniff(b"{\"tool\":\"a\\", None), Format::Unknown);
    }
}
