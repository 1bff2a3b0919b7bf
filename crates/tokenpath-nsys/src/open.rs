//! Opening an export: what is no database, or one of another kind, is told before any figure is.

use std::path::Path;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::schema::Schema;

/// Why there is no trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The file has no bytes.
    #[error("it has no bytes")]
    Empty,
    /// It points to a file that was not fetched.
    #[error("it is a Git LFS pointer, not the file that it points to; fetch that with git lfs pull")]
    LfsPointer,
    /// It is compressed.
    #[error("it is compressed ({0}); unpack it first")]
    Compressed(&'static str),
    /// It looks like noise.
    #[error("it does not begin as SQLite does and looks encrypted; decrypt it, or export it again")]
    Encrypted,
    /// It is something else.
    #[error("it is no SQLite database; export the report with `nsys export --type sqlite`")]
    NotSqlite,
    /// It is shorter than one page.
    #[error("it holds {length} bytes, which is less than its first page of {page}: it is cut off at its beginning")]
    HeaderOnly {
        /// The file's length in bytes.
        length: u64,
        /// The size of a page, as its header states it.
        page: u64,
    },
    /// The list of tables cannot be read.
    #[error("its list of tables cannot be read ({0}): it is cut off or damaged at its beginning")]
    Damaged(String),
    /// It is a rocpd database.
    #[error("it is a rocpd database of ROCm's profiler, which this version does not read")]
    Rocpd,
    /// It holds tables of something else.
    #[error("it is an SQLite database without a table of Nsight Systems; it holds {0}")]
    OtherTables(String),
    /// It holds no table.
    #[error("it is an SQLite database without any table")]
    NoTables,
    /// The wanted device did nothing that was recorded.
    #[error("it holds no activity of device {device}; it has {}", listed(devices))]
    NoSuchDevice {
        /// The wanted one.
        device: i64,
        /// Those that it has.
        devices: Vec<i64>,
    },
    /// Reading failed in another way.
    #[error("SQLite says: {0}")]
    Sqlite(String),
}

fn listed(devices: &[i64]) -> String {
    let list: Vec<String> = devices.iter().map(i64::to_string).collect();
    if list.is_empty() { "none".to_owned() } else { list.join(", ") }
}

impl TraceError {
    /// What to do next, where the error itself does not say.
    pub fn advice(&self) -> Option<&'static str> {
        match self {
            TraceError::HeaderOnly { .. } | TraceError::Damaged(_) => {
                Some("Compare its length with where it came from, and copy it again.")
            }
            TraceError::OtherTables(_) | TraceError::NoTables => {
                Some("Export the report with `nsys export --type sqlite`.")
            }
            _ => None,
        }
    }
}

/// An open export.
#[derive(Debug)]
pub struct Trace {
    pub(crate) connection: Connection,
    /// Its tables and columns.
    pub schema: Schema,
    /// Whether the file is shorter than it states: what lies beyond its end is missing.
    pub cut_off: bool,
}

/// The bytes with which each database begins.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Tells from a file's first bytes (4096 are enough) and its length what cannot be opened.
///
/// # Errors
/// What the file is instead.
pub fn judge(head: &[u8], length: u64) -> Result<(), TraceError> {
    if length == 0 {
        return Err(TraceError::Empty);
    }
    if !head.starts_with(MAGIC) {
        return Err(match head {
            _ if head.starts_with(b"version https://git-lfs.github.com/spec/") => TraceError::LfsPointer,
            [0x1f, 0x8b, ..] => TraceError::Compressed("gzip"),
            [b'P', b'K', 3, 4, ..] => TraceError::Compressed("zip"),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => TraceError::Compressed("zstd"),
            _ if looks_random(head) => TraceError::Encrypted,
            _ => TraceError::NotSqlite,
        });
    }
    // The header's bytes 16 and 17, with 1 for 65536: https://sqlite.org/fileformat2.html.
    let page = match head.get(16..18) {
        Some([0, 1]) => 65536,
        Some([high, low]) => u64::from(u16::from_be_bytes([*high, *low])),
        _ => 512,
    };
    if length < page {
        return Err(TraceError::HeaderOnly { length, page });
    }
    Ok(())
}

/// Whether bytes are spread as those of a cipher: each value about as often as another.
fn looks_random(head: &[u8]) -> bool {
    if head.len() < 1024 {
        return false;
    }
    let mut counts = [0_u32; 256];
    for byte in head {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let expected = head.len() as f64 / 256.0;
    let spread: f64 = counts.iter().map(|count| (f64::from(*count) - expected).powi(2) / expected).sum();
    // Chi-squared with 255 degrees of freedom is below 400 for noise but once in a billion; text is in the thousands.
    spread < 400.0
}

/// Opens an export for reading. Nothing is written to it or beside it, and no lock is taken.
///
/// # Errors
/// When it is no export of Nsight Systems, or its list of tables is damaged.
pub fn open(path: &Path) -> Result<Trace, TraceError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection =
        Connection::open_with_flags(uri(path), flags).map_err(|error| TraceError::Sqlite(error.to_string()))?;
    over(connection)
}

/// The same of a connection that is open for reading only, wherever its file is.
///
/// # Errors
/// As [`open()`].
pub fn over(connection: Connection) -> Result<Trace, TraceError> {
    let mut schema = Schema::read(&connection);
    let damaged = |schema: &Result<Schema, rusqlite::Error>| matches!(schema, Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt));
    let cut_off = damaged(&schema);
    if cut_off {
        // With this flag SQLite reads a file that has fewer pages than its header states, as far as it goes. Nothing can
        // be written: the connection is for reading only.
        connection
            .execute_batch("PRAGMA writable_schema = ON")
            .map_err(|error| TraceError::Sqlite(error.to_string()))?;
        schema = Schema::read(&connection);
    }
    let schema = schema.map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => TraceError::Encrypted,
        Some(ErrorCode::DatabaseCorrupt) => TraceError::Damaged(error.to_string()),
        _ => TraceError::Sqlite(error.to_string()),
    })?;
    if !schema.is_nsys() {
        if schema.is_rocpd() {
            return Err(TraceError::Rocpd);
        }
        let mut tables: Vec<&str> = schema.tables().collect();
        let more = tables.len().saturating_sub(5);
        tables.truncate(5);
        return Err(match (tables.as_slice(), more) {
            ([], _) => TraceError::NoTables,
            (tables, 0) => TraceError::OtherTables(tables.join(", ")),
            (tables, more) => TraceError::OtherTables(format!("{} and {more} more", tables.join(", "))),
        });
    }
    Ok(Trace { connection, schema, cut_off })
}

/// The file as an address for SQLite: `immutable` keeps it from looking for a journal or a lock.
fn uri(path: &Path) -> String {
    let mut out = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(*byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out.push_str("?immutable=1");
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_database_is_told_by_its_first_bytes() {
        let noise: Vec<u8> = (0..4096_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let mut header = MAGIC.to_vec();
        header.extend([16, 0]);
        header.resize(100, 0);
        for (head, length, error) in [
            (&b""[..], 0, TraceError::Empty),
            (b"version https://git-lfs.github.com/spec/v1\noid", 130, TraceError::LfsPointer),
            (b"\x1f\x8b\x08", 3, TraceError::Compressed("gzip")),
            (b"PK\x03\x04", 4, TraceError::Compressed("zip")),
            (b"\x28\xb5\x2f\xfd", 4, TraceError::Compressed("zstd")),
            (b"{\"traceEvents\":[]}", 18, TraceError::NotSqlite),
            (&"text, long enough to be looked at. ".repeat(100).into_bytes(), 3500, TraceError::NotSqlite),
            (&noise, 4096, TraceError::Encrypted),
            (&header, 100, TraceError::HeaderOnly { length: 100, page: 4096 }),
        ] {
            assert_eq!(judge(head, length).unwrap_err(), error);
        }
        assert_eq!(judge(&header, 4096), Ok(()));
    }

    #[test]
    fn a_path_is_one_whatever_is_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a b?#%41&immutable=0.sqlite");
        Connection::open(&file).unwrap().execute_batch("CREATE TABLE StringIds(id INTEGER, value TEXT)").unwrap();
        assert!(open(&file).unwrap().schema.has("StringIds"));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_view_that_never_ends_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("endless.sqlite");
        let endless = "WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL SELECT start + 1 FROM n) SELECT start, start AS \"end\" FROM n";
        let sql = format!(
            "CREATE TABLE StringIds(id INTEGER, value TEXT); CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS {endless}"
        );
        Connection::open(&file).unwrap().execute_batch(&sql).unwrap();
        let trace = open(&file).unwrap();
        assert!(trace.schema.has("StringIds") && !trace.schema.has("CUPTI_ACTIVITY_KIND_KERNEL"));
        assert_eq!(crate::import::import(&trace, "endless.sqlite", None).unwrap().devices, [0_i64; 0]);
    }
}
