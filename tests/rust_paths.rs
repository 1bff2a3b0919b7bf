//! The paths that Rust source names: `use std::{io, fs::File}` names `std::io` and `std::fs::File`.
//!
//! It works on tokens, not on a parsed file: names inside macro calls count, those in comments and
//! strings do not, and no name is resolved. Items under `#[cfg(test)]` are left out, since what the
//! rules are about is what ships.

use std::iter::Peekable;

use proc_macro2::token_stream::IntoIter;
use proc_macro2::{Delimiter, LexError, TokenStream, TokenTree};

/// One named path and the line it begins on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedPath {
    /// The names between the `::`, `*` included.
    pub segments: Vec<String>,
    /// Counted from 1.
    pub line: usize,
}

/// All paths that `source` names outside `#[cfg(test)]`, single names included.
///
/// # Errors
/// When the source is not made of Rust tokens.
pub fn named_paths(source: &str) -> Result<Vec<NamedPath>, LexError> {
    let mut found = Vec::new();
    scan(source.parse()?, &[], &mut found);
    Ok(found)
}

type Tokens = Peekable<IntoIter>;

/// Reads a stream whose comma-separated parts each continue `prefix` (that of a `use` group, or
/// nothing).
fn scan(stream: TokenStream, prefix: &[String], found: &mut Vec<NamedPath>) {
    let mut tokens = stream.into_iter().peekable();
    let mut continued = prefix;
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(name) => {
                let mut segments = continued.to_vec();
                continued = &[];
                // `self` in a use group names the group's own path.
                if segments.is_empty() || name != "self" {
                    segments.push(name.to_string());
                }
                finish_path(&mut tokens, segments, name.span().start().line, found);
            }
            TokenTree::Punct(mark) => match mark.as_char() {
                ',' => continued = prefix,
                '#' if next_is_cfg_test(&mut tokens) => skip_item(&mut tokens),
                // The name of a lifetime is no path.
                '\'' => drop(tokens.next()),
                _ => {}
            },
            TokenTree::Group(group) => scan(group.stream(), &[], found),
            TokenTree::Literal(_) => {}
        }
    }
}

fn finish_path(tokens: &mut Tokens, mut segments: Vec<String>, line: usize, found: &mut Vec<NamedPath>) {
    while skip_double_colon(tokens) {
        match tokens.peek() {
            Some(TokenTree::Ident(name)) => {
                segments.push(name.to_string());
                tokens.next();
            }
            Some(TokenTree::Punct(mark)) if mark.as_char() == '*' => {
                segments.push("*".to_owned());
                tokens.next();
            }
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                scan(group.stream(), &segments, found);
                tokens.next();
                return;
            }
            _ => break,
        }
    }
    found.push(NamedPath { segments, line });
}

fn skip_double_colon(tokens: &mut Tokens) -> bool {
    let is_colon = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(mark)) if mark.as_char() == ':');
    let mut ahead = tokens.clone();
    if !is_colon(ahead.next().as_ref()) || !is_colon(ahead.next().as_ref()) {
        return false;
    }
    *tokens = ahead;
    true
}

/// Whether the attribute that begins here is exactly `cfg(test)`. It is consumed if so.
fn next_is_cfg_test(tokens: &mut Tokens) -> bool {
    let is_it = matches!(tokens.peek(), Some(TokenTree::Group(group))
        if group.delimiter() == Delimiter::Bracket && group.stream().to_string().replace(' ', "") == "cfg(test)");
    if is_it {
        tokens.next();
    }
    is_it
}

/// Skips an item: up to its body or its semicolon.
fn skip_item(tokens: &mut Tokens) {
    for token in tokens.by_ref() {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => return,
            TokenTree::Punct(mark) if mark.as_char() == ';' => return,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(source: &str) -> Vec<String> {
        named_paths(source).unwrap().into_iter().map(|path| path.segments.join("::")).collect()
    }

    #[test]
    fn use_groups_are_spelled_out() {
        assert_eq!(
            paths("use std::{io::{self, Read}, fs::File, env as e}; use a::*;"),
            ["use", "std::io", "std::io::Read", "std::fs::File", "std::env", "as", "e", "use", "a::*"]
        );
    }

    #[test]
    fn names_in_macros_and_attributes_count_and_those_in_text_do_not() {
        let source = "/// std::fs in a comment\n#[wasm_bindgen(start)]\nfn f() { vec![::std::fs::read(\"std::env\")] }";
        let found = paths(source);
        assert!(found.contains(&"wasm_bindgen".to_owned()));
        assert!(found.contains(&"std::fs::read".to_owned()));
        assert!(!found.iter().any(|path| path.starts_with("std::env")));
    }

    #[test]
    fn tests_are_left_out_and_lines_are_those_of_the_file() {
        let source =
            "#[cfg(test)]\nuse std::fs;\n#[cfg(test)]\n#[allow(x)]\nmod tests { use std::env; }\nuse std::net;";
        let found = named_paths(source).unwrap();
        let of_std: Vec<_> =
            found.iter().filter(|path| path.segments.first().is_some_and(|name| name == "std")).collect();
        assert_eq!(of_std.len(), 1);
        assert_eq!((of_std[0].segments.join("::").as_str(), of_std[0].line), ("std::net", 6));
        // Another condition is no reason to look away.
        assert!(paths("#[cfg(not(test))] use std::fs;").contains(&"std::fs".to_owned()));
    }

    #[test]
    fn turbofish_and_lifetimes_end_a_path() {
        assert_eq!(paths("a::b::<'x, c::d>(e)"), ["a::b", "c::d", "e"]);
    }
}
