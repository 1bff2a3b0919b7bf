//! The view: everything a page may vary on. It parses from and prints to the URL fragment, so that reload, Back and
//! links work and the publisher can render any view.
//!
//! `#passes?sel=pass:14&q=attn` is the lens, the selection, and parameters of the lens (filter, sort, zoom range).

use tokenpath_core::item::Item;

use crate::lens::Lens;

/// What is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The lens.
    pub lens: Lens,
    /// The selection, shared by all lenses.
    pub item: Option<Item>,
    /// Parameters in the order they were set: `q` (filter), `sort`, `from` (first row), `range` (zoom) and so on.
    pub params: Vec<(String, String)>,
}

impl View {
    /// A lens without selection.
    pub fn of(lens: Lens) -> View {
        View { lens, item: None, params: Vec::new() }
    }

    /// The value of a parameter.
    pub fn param(&self, name: &str) -> Option<&str> {
        self.params.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The same view with a parameter set, or removed when `value` is empty.
    pub fn with(&self, name: &str, value: &str) -> View {
        let mut view = self.clone();
        view.params.retain(|(known, _)| known != name);
        if !value.is_empty() {
            view.params.push((name.to_owned(), value.to_owned()));
        }
        view
    }

    /// Another lens with the same selection; parameters stay behind.
    pub fn to(&self, lens: Lens) -> View {
        View { lens, item: self.item, params: Vec::new() }
    }

    /// The same lens and parameters with another selection.
    pub fn select(&self, item: Item) -> View {
        View { item: Some(item), ..self.clone() }
    }

    /// How the fragments of this lens's other selections end: with the parameters.
    pub fn ending(&self) -> String {
        let mut out = String::new();
        for (name, value) in &self.params {
            out.push('&');
            encode(name, &mut out);
            out.push('=');
            encode(value, &mut out);
        }
        out
    }

    /// The fragment without its `#`.
    pub fn fragment(&self) -> String {
        let mut out = self.lens.slug().to_owned();
        let mut separator = '?';
        let item = self.item.map(|item| ("sel".to_owned(), item.to_string()));
        for (name, value) in item.iter().chain(&self.params) {
            out.push(separator);
            separator = '&';
            encode(name, &mut out);
            out.push('=');
            encode(value, &mut out);
        }
        out
    }

    /// The view of a fragment, with or without `#`. Whatever is not understood is left out: a link from another
    /// version still opens.
    pub fn parse(fragment: &str) -> View {
        let fragment = fragment.strip_prefix('#').unwrap_or(fragment);
        let (slug, query) = fragment.split_once('?').unwrap_or((fragment, ""));
        let mut view = View::of(Lens::from_slug(slug).unwrap_or(Lens::Run));
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (decode(name), decode(value));
            if name == "sel" {
                view.item = value.parse().ok();
            } else if view.param(&name).is_none() && !value.is_empty() {
                view.params.push((name, value));
            }
        }
        view
    }
}

/// Percent-encodes what has a meaning in a fragment; the rest stays readable.
fn encode(text: &str, out: &mut String) {
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b':' | b'/' | b',' | b'*' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
}

fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while let Some(byte) = bytes.get(i) {
        let hex =
            (*byte == b'%').then(|| text.get(i + 1..i + 3)).flatten().and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match hex {
            Some(value) => {
                out.push(value);
                i += 3;
            }
            None => {
                out.push(if *byte == b'+' { b' ' } else { *byte });
                i += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// How links are spelt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// In the viewer: `#passes?sel=pass:14`.
    Fragment,
    /// In a published capture, one file per lens: `passes.html#passes?sel=pass:14`.
    Files,
}

impl Links {
    /// The address of a view.
    pub fn href(self, view: &View) -> String {
        match self {
            Links::Fragment => format!("#{}", view.fragment()),
            Links::Files => {
                let file = if view.lens == Lens::Run { "index" } else { view.lens.slug() };
                format!("{file}.html#{}", view.fragment())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fragment_round_trips() {
        let view = View::of(Lens::Nodes).select(Item::Node(12)).with("q", "a & b=c #%é").with("sort", "bytes");
        let fragment = view.fragment();
        assert_eq!(fragment, "nodes?sel=node:12&q=a%20%26%20b%3Dc%20%23%25%C3%A9&sort=bytes");
        assert_eq!(View::parse(&fragment), view);
        assert_eq!(view.ending(), "&q=a%20%26%20b%3Dc%20%23%25%C3%A9&sort=bytes");
    }

    #[test]
    fn an_unknown_fragment_opens_the_run() {
        assert_eq!(View::parse("#later?sel=what:1&x=%zz"), View::of(Lens::Run).with("x", "%zz"));
    }
}
