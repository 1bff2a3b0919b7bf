//! Lenses: a run and a view in, HTML and SVG out. The same functions serve the page and the publisher.
//!
//! Must never contain: I/O, a clock, a browser; arithmetic on a run (that is [`tokenpath_core::derive`]); links made
//! from a file's content. File content reaches the output only through the template's escaping.

pub mod axis;
pub mod chart;
pub mod errors;
pub mod format;
pub mod html;
pub mod inspector;
pub mod lens;
pub mod lenses;
pub mod naming;
pub mod notes;
pub mod page;
pub mod raster;
pub mod scene;
pub mod shell;
pub mod site;
pub mod stated;
pub mod table;
pub mod value;
pub mod view;
pub mod welcome;
