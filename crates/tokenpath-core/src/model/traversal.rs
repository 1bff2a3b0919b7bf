//! The token under test, and where chains end.

use crate::column::Texts;
use crate::record::{Kind, Null};
use crate::table::{record, table};

record! {
    /// What only the producer can know about walks through the run.
    pub struct Traversal at "/traversal" {
        /// The decode pass whose token is under test. Without it a reader takes the middle decode pass.
        pass: Option<i64> = Kind::Ref("/passes/rows"), Null::Free;
    }
    parts {
        /// The answers with which chains end.
        ends: Ends, Null::Free;
    }
}

table! {
    /// Answers with which a chain ends: not gaps, the bundle knows that there is nothing further.
    pub struct Ends at "/traversal/ends" {
        /// A short code, unique.
        code: Texts = Kind::Text, Null::Never;
        /// The answer in words.
        text: Texts = Kind::Text, Null::Never;
    }
}
