//! What goes between a shell and its engine. Small, serialisable, nothing hidden: one JSON string each way.
//!
//! Where the engine lives in a worker, the page sends an [`Order`] and gets [`Report`]s. Files and pixels travel
//! beside the JSON, in the order in which it names them.

use serde::{Deserialize, Serialize};

/// From the page to the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Open the files that travel beside this order.
    Open(Opening),
    /// Fetch a bundle and open it, before the files that travel beside this order. The shell refuses an address of
    /// another origin.
    Fetch {
        /// The address, absolute.
        address: String,
        /// The rest.
        opening: Opening,
    },
    /// Hand a message to the engine.
    Update {
        /// The message.
        message: Message,
    },
}

/// What an opening starts from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Opening {
    /// The view to open on, as in the address.
    pub fragment: String,
    /// Whether a run is open that stays so if this opening fails.
    pub keeps: bool,
    /// How many of the files, from the first, are those of the open run: model files that come after them join it.
    #[serde(default)]
    pub earlier: usize,
    /// Of which device a trace is the run; without it the lowest that ran kernels.
    #[serde(default)]
    pub device: Option<i64>,
}

/// From the worker to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// How far an opening is.
    Progress(Progress),
    /// The files are open.
    Opened {
        /// What to show.
        effects: Vec<Effect>,
        /// Whether the files of the run that was open are part of the new one.
        joined: bool,
    },
    /// The files could not be opened; nothing else changed.
    Refused {
        /// What to show.
        effects: Vec<Effect>,
    },
    /// A message has been handled.
    Updated {
        /// What to show.
        effects: Vec<Effect>,
    },
    /// The worker is about to stop for good.
    Stopped {
        /// What happened.
        what: String,
    },
}

/// How far an opening is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// What is being done, in words.
    pub stage: String,
    /// How much of it is done.
    pub done: u64,
    /// How much there is; 0 when that is not known.
    pub total: u64,
    /// What is counted: bytes, rows.
    pub unit: String,
}

/// What a person did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    /// The address names another view.
    Navigate {
        /// The fragment, with or without `#`.
        fragment: String,
    },
    /// A parameter of the lens has another value.
    SetParam {
        /// Which.
        name: String,
        /// Its value; empty removes it.
        value: String,
    },
    /// A hand on the timeline. Gestures on the same drawing that wait for the engine may be merged.
    Timeline {
        /// What it did.
        hand: Hand,
    },
    /// A name is looked for on the timeline.
    Find {
        /// A part of the name.
        query: String,
        /// Whether the one after the last one found is wanted.
        again: bool,
        /// Whether the one before.
        backward: bool,
    },
    /// The timeline has come to rest: the address may name what it shows.
    Settle,
    /// Something with `data-act` was used that is not the shell's own business.
    Act {
        /// What to do.
        act: String,
        /// To what.
        id: String,
    },
}

/// What a hand does on the timeline's drawing. Places are device pixels from its left and top.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hand {
    /// There is a drawing surface of this size, or it changed.
    Surface {
        /// Width and height in device pixels.
        width: u32,
        /// Height in device pixels.
        height: u32,
        /// Device pixels in one CSS pixel.
        scale: f64,
        /// Whether the theme is dark.
        dark: bool,
    },
    /// A wheel turned, or two fingers moved.
    Wheel {
        /// Where the pointer is.
        x: f64,
        /// To the right, in pixels.
        dx: f64,
        /// Downward, in pixels.
        dy: f64,
        /// Whether downward means zooming out rather than scrolling.
        zoom: bool,
    },
    /// The pointer was pressed.
    Down {
        /// Where.
        x: f64,
        /// Where.
        y: f64,
        /// Whether it spans a box to zoom into, rather than moves.
        boxing: bool,
    },
    /// The pressed pointer moved.
    Drag {
        /// Where to.
        x: f64,
        /// Where to.
        y: f64,
    },
    /// The pointer was let go.
    Up {
        /// Where.
        x: f64,
        /// Where.
        y: f64,
    },
    /// The pointer rests here.
    Hover {
        /// Where.
        x: f64,
        /// Where.
        y: f64,
    },
    /// The pointer left.
    Leave,
}

/// A stretch that is marked over the drawing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Band {
    /// Its left edge, in device pixels; it may lie outside.
    pub from: f64,
    /// Its right edge.
    pub to: f64,
    /// What is known of it; empty while a box is spanned.
    pub html: String,
}

/// What a shell does for the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// A region has new content.
    Region {
        /// Which.
        region: Region,
        /// Its content; in place of a section that stays as it is, [`tokenpath_pages::page::stand_in`].
        html: String,
        /// Whether it is a different thing (another lens, another run) and not a change of the same one: then it is
        /// read from its top.
        fresh: bool,
    },
    /// The document has another title.
    Title {
        /// The title.
        text: String,
    },
    /// The address names another view.
    Fragment {
        /// The fragment without `#`.
        text: String,
        /// Whether Back returns to the present one.
        push: bool,
    },
    /// The timeline has another frame. Its pixels travel beside this.
    Frame {
        /// Width in device pixels.
        width: u32,
        /// Height in device pixels.
        height: u32,
        /// The texts that lie over the pixels.
        labels: String,
        /// What is marked over them.
        band: Option<Band>,
        /// Whether the next press begins a measurement.
        measuring: bool,
    },
    /// What stands under the pointer; empty when nothing does.
    Tip {
        /// Its content; in place of a section that stays as it is, [`tokenpath_pages::page::stand_in`].
        html: String,
    },
    /// An element has another text.
    Text {
        /// Its id.
        id: String,
        /// The text.
        text: String,
    },
    /// Something to say to everyone, in a status line.
    Say {
        /// What.
        text: String,
    },
}

/// A part of the page that has content of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Region {
    /// Identity, verdict and actions.
    Header,
    /// The lenses.
    Rail,
    /// The lenses on narrow screens.
    Picker,
    /// The lens.
    Lens,
    /// The selection.
    Inspector,
    /// What went wrong.
    Notice,
}

impl Region {
    /// The id of its element.
    pub fn id(self) -> &'static str {
        match self {
            Region::Header => "header",
            Region::Rail => "rail",
            Region::Picker => "picker",
            Region::Lens => "lens",
            Region::Inspector => "inspector",
            Region::Notice => "notice",
        }
    }
}
