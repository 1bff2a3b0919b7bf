//! What is computed from a run, one module per lens. Pure: tables in, tables and readings out; no text of numbers.

pub mod anatomy;
pub mod block;
pub mod chosen;
pub mod counted;
pub mod coverage;
pub mod disagreement;
pub mod evidence;
pub mod grouped;
pub mod histogram;
pub mod host;
pub mod kernels;
pub mod nodes;
pub mod part;
pub mod passes;
pub mod request;
pub mod run;
pub mod search;
pub mod spread;
pub mod sum;
pub mod timeline;
pub mod times;
pub mod touched;
pub mod weight_bytes;
