//! What goes between a shell and its engine. Small, serialisable, nothing hidden: one JSON string each way.
//!
//! Where the engine lives in a worker, the page sends an [`Order`] and gets [`Report`]s. Files and pixels travel
//! beside the JSON, in the order in which it names them.

use serde::{Deserialize, Serialize};

/// From the page to the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case")]
pub enum Order {
    /// Open the files that travel beside this order.
    Open(Opening),
    /// Fetch a bundle and open it. The shell refuses an address of another origin.
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
}

/// From the worker to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "report", rename_all = "snake_case")]
pub enum Report {
    /// How far an opening is.
    Progress(Progress),
    /// The files are open.
    Opened {
        /// What to show.
        effects: Vec<Effect>,
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
#[serde(tag = "message", rename_all = "snake_case")]
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
    /// Something with `data-act` was used that is not the shell's own business.
    Act {
        /// What to do.
        act: String,
        /// To what.
        id: String,
    },
}

/// What a shell does for the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
pub enum Effect {
    /// A region has new content.
    Region {
        /// Which.
        region: Region,
        /// Its content.
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
    /// Something to say to everyone, in a status line.
    Say {
        /// What.
        text: String,
    },
}

/// A part of the page that is replaced as a whole.
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
