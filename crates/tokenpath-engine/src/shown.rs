//! What each region was last given, so that only what changed is sent: whole regions, and sections within one.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use tokenpath_pages::page::stand_in;

use crate::message::Region;

/// The regions as they are shown.
#[derive(Debug, Default)]
pub(crate) struct Shown(BTreeMap<Region, Content>);

/// Hashes of a region's content.
#[derive(Debug, PartialEq, Eq)]
struct Content {
    /// How links to things of this view end: with its parameters. Empty where no section has such a link.
    ending: String,
    /// What stands outside all sections, and how many of them there are.
    between: u64,
    /// Each outermost section, with a mark in place of the ending of its links.
    sections: Vec<u64>,
}

impl Shown {
    /// Forgets everything: what comes next is sent as a whole.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// What to send for a region to have the content `html`; `None` when it has it. Unless the content is `fresh`, a
    /// section that stays as it is, but for the `ending` of its links, is sent as its stand-in, provided that all
    /// around the sections stays too: then each stands where it stood.
    pub(crate) fn change(&mut self, region: Region, html: String, ending: &str, fresh: bool) -> Option<String> {
        let pieces = Pieces::of(&html);
        let content = pieces.content(ending);
        let before = self.0.get(&region);
        if before == Some(&content) {
            return None;
        }
        let send = match before {
            Some(before) if !fresh && before.between == content.between && content.sections.len() > 1 => {
                pieces.with_stand_ins(before, &content)
            }
            _ => html,
        };
        self.0.insert(region, content);
        Some(send)
    }
}

/// HTML of our own templates, cut at its outermost sections.
struct Pieces<'a> {
    /// What stands before each section.
    between: Vec<&'a str>,
    sections: Vec<&'a str>,
    rest: &'a str,
}

const OPEN: &str = "<section";
const CLOSE: &str = "</section>";

impl<'a> Pieces<'a> {
    /// Templates escape what they put in, so a tag's letters are a tag.
    fn of(html: &'a str) -> Pieces<'a> {
        let mut out = Pieces { between: Vec::new(), sections: Vec::new(), rest: html };
        while let Some(begins) = out.rest.find(OPEN) {
            let (before, from) = out.rest.split_at(begins);
            let Some(length) = length_of_section(from) else { return out };
            let (section, rest) = from.split_at(length);
            out.between.push(before);
            out.sections.push(section);
            out.rest = rest;
        }
        out
    }

    fn content(&self, ending: &str) -> Content {
        let links = format!("{}\"", ending.replace('&', "&amp;"));
        let mut linked = false;
        let mut marked = |section: &&'a str| -> Cow<'a, str> {
            if ending.is_empty() || !section.contains(&links) {
                return Cow::Borrowed(section);
            }
            linked = true;
            // No text of a template holds the mark.
            Cow::Owned(section.replace(&links, "\0"))
        };
        let sections = self.sections.iter().map(|section| hash(&marked(section))).collect();
        let ending = if linked { ending.to_owned() } else { String::new() };
        Content { ending, between: hash(&(&self.between, self.rest)), sections }
    }

    fn with_stand_ins(&self, before: &Content, now: &Content) -> String {
        let same = stand_in(&before.ending, &now.ending).into_string();
        let mut out = String::new();
        for (at, (between, section)) in self.between.iter().zip(&self.sections).enumerate() {
            out.push_str(between);
            out.push_str(if before.sections.get(at) == now.sections.get(at) { &same } else { section });
        }
        out.push_str(self.rest);
        out
    }
}

/// How long the section is with which `html` begins, sections within it included; `None` when it does not end.
fn length_of_section(html: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    loop {
        let rest = html.get(at..)?;
        let close = rest.find(CLOSE)?;
        match rest.find(OPEN).filter(|open| *open < close) {
            Some(open) => {
                depth += 1;
                at += open + OPEN.len();
            }
            None => {
                depth -= 1;
                at += close + CLOSE.len();
                if depth == 0 {
                    return Some(at);
                }
            }
        }
    }
}

fn hash(of: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(was: &str, now: &str) -> String {
        stand_in(was, now).into_string()
    }

    fn change(shown: &mut Shown, html: &str, fresh: bool) -> Option<String> {
        shown.change(Region::Lens, html.to_owned(), "", fresh)
    }

    // By hand.
    #[test]
    fn a_section_that_stays_is_sent_as_its_stand_in() {
        let mut shown = Shown::default();
        let first = "<p>a</p><section><section>x</section></section><div><section class=\"fig\">1</section></div>";
        assert_eq!(change(&mut shown, first, false).as_deref(), Some(first));
        assert_eq!(change(&mut shown, first, false), None);
        let second = first.replace('1', "2");
        let sent = change(&mut shown, &second, false).unwrap();
        assert_eq!(sent, format!("<p>a</p>{}<div><section class=\"fig\">2</section></div>", same("", "")));
        // Fresh content is put in as a whole, and so is all where something around the sections changed.
        assert_eq!(change(&mut shown, first, true).as_deref(), Some(first));
        let third = first.replace("<p>a</p>", "<p>b</p>");
        assert_eq!(change(&mut shown, &third, false).as_deref(), Some(third.as_str()));
        let fewer = "<p>b</p><section>y</section>";
        assert_eq!(change(&mut shown, fewer, false).as_deref(), Some(fewer));
        // Links that end otherwise are no other section; a link of another form is.
        let with = |ending: &str, number: u8| {
            let ending = ending.replace('&', "&amp;");
            format!("<section><a href=\"#model?sel=layer:1{ending}\">1</a></section><section>{number}</section>")
        };
        let mut send = |ending: &str, number| shown.change(Region::Lens, with(ending, number), ending, false).unwrap();
        assert_eq!(send("&q=7", 1), with("&q=7", 1));
        assert_eq!(send("&q=7.f", 2), format!("{}<section>2</section>", same("&q=7", "&q=7.f")));
        let bare = "<section><a href=\"#model?sel=layer:1\">1</a></section>";
        assert_eq!(send("", 2), format!("{bare}{}", same("", "")));
        // Where nothing links with the parameters, other parameters change nothing.
        assert_eq!(shown.change(Region::Lens, with("", 2), "&q=8", false), None);
        assert_eq!(change(&mut shown, "<section>without an end", false).as_deref(), Some("<section>without an end"));
    }
}
