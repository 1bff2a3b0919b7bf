//! Kernel names. What they cost is derived from intervals.

use crate::column::{Ints, Texts};
use crate::record::{Kind, Null};
use crate::table::table;

table! {
    /// The kernels that intervals, or the instrument's list, name.
    pub struct Kernels at "/kernels" {
        /// The full name; unique.
        name: Texts = Kind::Text, Null::Never;
        /// A short form for people; two kernels may share one.
        short: Texts = Kind::Text, Null::Free;
        /// Executions that the instrument counted, where it counts without recording intervals.
        counted: Ints = Kind::Count, Null::Free;
    }
}
