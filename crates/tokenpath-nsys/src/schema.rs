//! Which tables and columns an export has.

use std::collections::BTreeMap;

use rusqlite::Connection;
use serde::Serialize;

/// The kernels of an export.
pub(crate) const KERNELS: &str = "CUPTI_ACTIVITY_KIND_KERNEL";
/// Its copies.
pub(crate) const COPIES: &str = "CUPTI_ACTIVITY_KIND_MEMCPY";
/// Its memory sets.
pub(crate) const SETS: &str = "CUPTI_ACTIVITY_KIND_MEMSET";
/// Its CUDA calls, of the runtime and of the driver.
pub(crate) const CALLS: &str = "CUPTI_ACTIVITY_KIND_RUNTIME";
/// Its launches of whole CUDA graphs.
pub(crate) const GRAPHS: &str = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
/// Its NVTX events.
pub(crate) const RANGES: &str = "NVTX_EVENTS";
/// Its texts by number.
pub(crate) const STRINGS: &str = "StringIds";
/// What the profiler had to say.
pub(crate) const DIAGNOSTICS: &str = "DIAGNOSTIC_EVENT";

/// How CUDA graphs were recorded; decided before anything else is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GraphState {
    /// Kernels carry the number of the graph node that they ran for.
    Node,
    /// Only launches of whole graphs were recorded: the kernels within them were not collected.
    Graph,
    /// No graph was launched, or none was recorded.
    None,
}

/// Tables with their columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    tables: BTreeMap<String, Vec<String>>,
}

impl Schema {
    /// Lists tables and columns.
    ///
    /// # Errors
    /// SQLite's, when the file is none or its first pages are damaged.
    pub fn read(connection: &Connection) -> Result<Schema, rusqlite::Error> {
        let mut tables = BTreeMap::new();
        // A view is a program that the file brings along, and one may never end. Exports hold tables.
        let mut list = connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table'")?;
        let names = list.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
        for name in names {
            let mut columns = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
            let columns = columns.query_map([&name], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>();
            // A table that cannot be looked into has no columns, which is no reason to read nothing.
            tables.insert(name, columns.unwrap_or_default());
        }
        Ok(Schema { tables })
    }

    /// Whether there is such a table.
    pub fn has(&self, table: &str) -> bool {
        self.tables.contains_key(table)
    }

    /// Whether a table has such a column.
    pub fn has_column(&self, table: &str, column: &str) -> bool {
        self.tables.get(table).is_some_and(|columns| columns.iter().any(|known| known == column))
    }

    /// The names of all tables.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        self.tables.keys().map(String::as_str)
    }

    /// Whether it is an export of Nsight Systems.
    pub(crate) fn is_nsys(&self) -> bool {
        self.tables().any(|table| {
            table == STRINGS
                || table == RANGES
                || table.starts_with("CUPTI_ACTIVITY_KIND_")
                || table.starts_with("TARGET_INFO_")
        })
    }

    /// Whether it is a rocpd database.
    pub(crate) fn is_rocpd(&self) -> bool {
        self.tables().any(|table| table.starts_with("rocpd_"))
    }

    /// A statement that gives these columns in this order, and NULL for those that the table lacks.
    pub(crate) fn select(&self, table: &str, columns: &[&str]) -> String {
        let list: Vec<String> = columns
            .iter()
            .map(|column| if self.has_column(table, column) { format!("\"{column}\"") } else { "NULL".to_owned() })
            .collect();
        format!("SELECT {} FROM \"{table}\"", list.join(", "))
    }
}
