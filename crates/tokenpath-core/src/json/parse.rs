//! Bytes to a tree, by `serde_json`'s tokenizer.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::{
    Arrays, MAX_DEPTH, MAX_LOOSE, NULL, Node, Strings, array_or_null, escape_short, int_or_null, text_or_null,
};

/// Objects with more keys than this are checked for duplicates by a hash set rather than by scanning.
const SCAN_KEYS: usize = 24;

/// So many repeated keys are told with their pointer; the rest are counted.
const TOLD_KEYS: usize = 32;

/// The document is not JSON, or costs more than this reader gives it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct JsonError {
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1; 0 at the start of a line.
    pub column: usize,
    /// What is wrong, without the place.
    pub message: String,
}

/// Keys that stand twice in their object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repeated {
    /// Pointers of the first of them, each once.
    pub pointers: Vec<String>,
    /// How many repetitions there are in all.
    pub count: usize,
}

/// Parses one JSON document. Of a key that repeats in an object the first value is kept.
///
/// # Errors
/// With line and column when the bytes are not one JSON document, nest more than [`MAX_DEPTH`] deep, or hold more
/// than [`MAX_LOOSE`] values outside compact arrays.
pub fn parse(bytes: &[u8]) -> Result<(Node, Repeated), JsonError> {
    parse_within(bytes, MAX_LOOSE)
}

fn parse_within(bytes: &[u8], loose: usize) -> Result<(Node, Repeated), JsonError> {
    let state = State { path: RefCell::default(), repeated: RefCell::default(), loose_left: Cell::new(loose) };
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let node = Seed(&state).deserialize(&mut deserializer).map_err(|error| place(&error, bytes))?;
    deserializer.end().map_err(|error| place(&error, bytes))?;
    Ok((node, state.repeated.into_inner()))
}

fn place(error: &serde_json::Error, bytes: &[u8]) -> JsonError {
    let (line, column) = (error.line(), error.column());
    let full = error.to_string();
    let mut message = full.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&full).to_owned();
    match error.classify() {
        serde_json::error::Category::Eof => message = format!("the document ends too early ({message})"),
        serde_json::error::Category::Syntax => {
            let found = excerpt_at(bytes, line, column);
            if !found.is_empty() {
                message.push_str(&format!("; found {found:?}"));
            }
            let word = found.trim_start_matches('-');
            if word.starts_with("NaN") || word.starts_with("Inf") {
                message.push_str(". JSON has no such number: write null and an absence entry");
            }
        }
        // Ours, from below: they say all there is to say.
        serde_json::error::Category::Data | serde_json::error::Category::Io => {}
    }
    JsonError { line, column, message }
}

/// What stands at line and column, up to the end of the line or a few characters.
fn excerpt_at(bytes: &[u8], line: usize, column: usize) -> String {
    let Some(text) = bytes.split(|byte| *byte == b'\n').nth(line.saturating_sub(1)) else { return String::new() };
    let mut at = column.saturating_sub(1);
    // The fault of a number is found in its midst; it is shown from its start.
    let in_number =
        |at: usize| text.get(at).is_some_and(|b| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    while in_number(at) && at > 0 && in_number(at - 1) {
        at -= 1;
    }
    let from = text.get(at..).unwrap_or(&[]);
    // Bytes enough for the characters shown, whatever their width.
    let from = from.get(..64).unwrap_or(from);
    String::from_utf8_lossy(from).trim_end().chars().take(12).collect()
}

enum Part {
    Key(String),
    Index(usize),
}

struct State {
    /// Where the parser is, for the pointers of repeated keys.
    path: RefCell<Vec<Part>>,
    repeated: RefCell<Repeated>,
    loose_left: Cell<usize>,
}

impl State {
    fn enter<E: serde::de::Error>(&self, part: Part) -> Result<(), E> {
        let mut path = self.path.borrow_mut();
        if path.len() >= MAX_DEPTH {
            return Err(E::custom(format_args!("arrays and objects nest more than {MAX_DEPTH} deep")));
        }
        path.push(part);
        Ok(())
    }

    fn leave(&self) -> Option<Part> {
        self.path.borrow_mut().pop()
    }

    fn at(&self, index: usize) {
        if let Some(Part::Index(at)) = self.path.borrow_mut().last_mut() {
            *at = index;
        }
    }

    /// Accounts for values kept as nodes of their own.
    fn spend<E: serde::de::Error>(&self, values: usize) -> Result<(), E> {
        match self.loose_left.get().checked_sub(values) {
            Some(left) => {
                self.loose_left.set(left);
                Ok(())
            }
            None => Err(E::custom(
                "too many values that are no cells of a column of integers, of strings or of lists of integers",
            )),
        }
    }

    fn repeats(&self, key: &str) {
        let mut repeated = self.repeated.borrow_mut();
        repeated.count += 1;
        if repeated.pointers.len() >= TOLD_KEYS {
            return;
        }
        let mut pointer = String::new();
        for part in self.path.borrow().iter() {
            pointer.push('/');
            match part {
                Part::Key(key) => pointer.push_str(&escape_short(key)),
                Part::Index(index) => pointer.push_str(&index.to_string()),
            }
        }
        pointer.push('/');
        pointer.push_str(&escape_short(key));
        if !repeated.pointers.contains(&pointer) {
            repeated.pointers.push(pointer);
        }
    }
}

/// An array while it is read: compact as long as its items allow.
enum Items {
    /// Integers and nulls; the flag says whether there was an integer.
    Ints(Vec<i64>, bool),
    Texts(Strings),
    Arrays(Arrays),
    List(Vec<Node>),
}

impl Items {
    fn push_int<E: serde::de::Error>(&mut self, value: i64, state: &State) -> Result<(), E> {
        if let Items::Ints(ints, any) = self {
            ints.push(value);
            *any = true;
            return Ok(());
        }
        self.push_loose(Node::Int(value), state)
    }

    fn push_null<E: serde::de::Error>(&mut self, state: &State) -> Result<(), E> {
        match self {
            Items::Ints(ints, _) => ints.push(NULL),
            Items::Texts(texts) => texts.push(None),
            Items::Arrays(arrays) => arrays.push(None),
            Items::List(_) => return self.push_loose(Node::Null, state),
        }
        Ok(())
    }

    fn push_text<E: serde::de::Error>(&mut self, text: &str, state: &State) -> Result<(), E> {
        if let Items::Ints(ints, false) = self {
            *self = Items::Texts(Strings::nulls(ints.len()));
        }
        if let Items::Texts(texts) = self {
            texts.push(Some(text));
            return Ok(());
        }
        self.push_loose(Node::Text(text.to_owned()), state)
    }

    fn push_array<E: serde::de::Error>(&mut self, array: Items, state: &State) -> Result<(), E> {
        let Items::Ints(array, _) = array else { return self.push_loose(array.finish(), state) };
        if let Items::Ints(ints, false) = self {
            *self = Items::Arrays(Arrays::nulls(ints.len()));
        }
        if let Items::Arrays(arrays) = self {
            arrays.push(Some(&array));
            return Ok(());
        }
        self.push_loose(Node::Ints(array), state)
    }

    /// Appends what no compact form holds.
    fn push_loose<E: serde::de::Error>(&mut self, item: Node, state: &State) -> Result<(), E> {
        if !matches!(self, Items::List(_)) {
            state.spend(self.len())?;
            let compact = std::mem::replace(self, Items::List(Vec::new()));
            *self = Items::List(compact.loosen());
        }
        state.spend(1)?;
        if let Items::List(list) = self {
            list.push(item);
        }
        Ok(())
    }

    fn len(&self) -> usize {
        match self {
            Items::Ints(ints, _) => ints.len(),
            Items::Texts(texts) => texts.len(),
            Items::Arrays(arrays) => arrays.len(),
            Items::List(list) => list.len(),
        }
    }

    fn loosen(self) -> Vec<Node> {
        match self {
            Items::Ints(ints, _) => ints.into_iter().map(int_or_null).collect(),
            Items::Texts(texts) => texts.iter().map(text_or_null).collect(),
            Items::Arrays(arrays) => arrays.iter().map(array_or_null).collect(),
            Items::List(list) => list,
        }
    }

    fn finish(self) -> Node {
        match self {
            Items::Ints(ints, _) => Node::Ints(ints),
            Items::Texts(texts) => Node::Texts(texts),
            Items::Arrays(arrays) => Node::Arrays(arrays),
            Items::List(list) => Node::List(list),
        }
    }

    /// Reads a whole array.
    fn read<'de, A: SeqAccess<'de>>(mut seq: A, state: &State) -> Result<Items, A::Error> {
        state.enter(Part::Index(0))?;
        let mut items = Items::Ints(Vec::new(), false);
        while seq.next_element_seed(Item { items: &mut items, state })?.is_some() {}
        state.leave();
        Ok(items)
    }
}

/// Reads one item of an array into it.
struct Item<'a> {
    items: &'a mut Items,
    state: &'a State,
}

impl<'de> DeserializeSeed<'de> for Item<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Item<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.items.push_null(self.state)
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
        self.items.push_loose(Node::Bool(value), self.state)
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        match signed(value) {
            Node::Int(value) => self.items.push_int(value, self.state),
            other => self.items.push_loose(other, self.state),
        }
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        match unsigned(value) {
            Node::Int(value) => self.items.push_int(value, self.state),
            other => self.items.push_loose(other, self.state),
        }
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        self.items.push_loose(Node::Float(value), self.state)
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<(), E> {
        self.items.push_text(value, self.state)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        self.state.at(self.items.len());
        let array = Items::read(seq, self.state)?;
        self.items.push_array(array, self.state)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        self.state.at(self.items.len());
        let object = Seed(self.state).visit_map(map)?;
        self.items.push_loose(object, self.state)
    }
}

/// An integer. The sentinel cannot be one; as a float it is refused where an integer is due.
fn signed(value: i64) -> Node {
    if value == NULL { Node::Float(value as f64) } else { Node::Int(value) }
}

fn unsigned(value: u64) -> Node {
    i64::try_from(value).map_or(Node::Large(value), Node::Int)
}

#[derive(Clone, Copy)]
struct Seed<'a>(&'a State);

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(signed(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(unsigned(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Node, E> {
        Ok(Node::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Node, A::Error> {
        Items::read(seq, self.0).map(Items::finish)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut object: Vec<(String, Node)> = Vec::new();
        let mut seen: HashSet<String> = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            let repeated = if object.len() < SCAN_KEYS {
                object.iter().any(|(known, _)| *known == key)
            } else {
                if seen.is_empty() {
                    seen.extend(object.iter().map(|(known, _)| known.clone()));
                }
                !seen.insert(key.clone())
            };
            if repeated {
                self.0.repeats(&key);
            }
            self.0.spend::<A::Error>(1)?;
            self.0.enter(Part::Key(key))?;
            let value = map.next_value_seed(self)?;
            let key = self.0.leave();
            if let (false, Some(Part::Key(key))) = (repeated, key) {
                object.push((key, value));
            }
        }
        Ok(Node::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(text: &str) -> Node {
        parse(text.as_bytes()).unwrap().0
    }

    fn fault(text: &[u8]) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn arrays_are_compact_as_long_as_their_items_allow() {
        assert_eq!(node("[1,null,3]"), Node::Ints(vec![1, NULL, 3]));
        assert_eq!(node("[]"), Node::Ints(vec![]));
        assert_eq!(node(r#"[null,"a",null]"#), Node::Texts([None, Some("a"), None].into_iter().collect()));
        assert_eq!(
            node("[null,[1,null],[],null]"),
            Node::Arrays([None, Some(vec![1, NULL]), Some(vec![]), None].into_iter().collect())
        );
        // A stranger among them makes a list, and nothing is lost.
        assert_eq!(node(r#"[1,null,"a"]"#), Node::List(vec![Node::Int(1), Node::Null, Node::Text("a".to_owned())]));
        assert_eq!(node(r#"["a",null,1]"#), Node::List(vec![Node::Text("a".to_owned()), Node::Null, Node::Int(1)]));
        assert_eq!(node(r#"[[1],null,["a"]]"#), Node::List(vec![Node::Ints(vec![1]), Node::Null, node(r#"["a"]"#)]));
    }

    #[test]
    fn what_is_written_reads_as_the_same_tree() {
        let text = r#"{"a":[1,null],"b":[null,"x",null],"c":[[1,null],[],null],"d":[true,0.1,-1.5e-300,{"e":{}}],"f":18446744073709551615,"g":[18446744073709551615]}"#;
        assert_eq!(String::from_utf8(super::super::write(&node(text))).unwrap(), text);
    }

    #[test]
    fn every_double_survives() {
        // Each differs in its last digit from its neighbour, which a parser that rounds twice would give.
        for text in
            ["1.7976931348623157e308", "5e-324", "2.2250738585072014e-308", "0.30000000000000004", "9007199254740993.0"]
        {
            let Node::Float(value) = node(text) else { panic!("{text}") };
            assert_eq!(value, text.parse::<f64>().unwrap(), "{text}");
        }
    }

    #[test]
    fn repeated_keys_are_told_with_their_pointer_and_the_first_value_is_kept() {
        let (tree, repeated) = parse(br#"{"a":1,"a":2,"b":[0,{"c/d":1,"c/d":2}]}"#).unwrap();
        assert_eq!(repeated, Repeated { pointers: vec!["/a".to_owned(), "/b/1/c~1d".to_owned()], count: 2 });
        assert_eq!(tree, node(r#"{"a":1,"b":[0,{"c/d":1}]}"#));
    }

    #[test]
    fn many_repeated_keys_are_counted() {
        let long = "k".repeat(1000);
        let body: Vec<String> = (0..5000).map(|i| format!("\"{long}\":0,\"{}\":0", i % 100)).collect();
        let (_, repeated) = parse(format!("{{{}}}", body.join(",")).as_bytes()).unwrap();
        // 4999 times the long key, and 49 times each of a hundred.
        assert_eq!((repeated.pointers.len(), repeated.count), (TOLD_KEYS, 4999 + 4900));
        assert!(repeated.pointers.iter().all(|pointer| pointer.len() < 100));
    }

    #[test]
    fn depth_is_bounded_and_said() {
        let nested = |depth: usize| [vec![b'['; depth], vec![b']'; depth]].concat();
        assert!(parse(&nested(MAX_DEPTH)).is_ok());
        let objects = "{\"a\":".repeat(1_000_000);
        for deep in [nested(MAX_DEPTH + 1), vec![b'['; 1_000_000], objects.into_bytes()] {
            let error = parse(&deep).unwrap_err();
            assert_eq!(error.message, "arrays and objects nest more than 100 deep");
            assert_eq!(error.line, 1);
        }
    }

    #[test]
    fn values_outside_compact_arrays_are_bounded() {
        let within = |text: &str, loose| parse_within(text.as_bytes(), loose).map(|_| ());
        assert_eq!(within("[1,2,3,4,5,6,7,8]", 0), Ok(()));
        assert_eq!(within(r#"["a","b"]"#, 0), Ok(()));
        assert_eq!(within("[true,true]", 2), Ok(()));
        assert!(within("[true,true]", 1).unwrap_err().message.starts_with("too many values"));
        // A long compact array does not become a list behind the bound's back.
        assert!(within("[1,2,3,4,true]", 4).is_err());
        assert!(within(r#"{"a":0,"b":0}"#, 1).is_err());
    }

    #[test]
    fn faults_say_where_and_what() {
        assert_eq!(
            fault(b"{\"a\": NaN}"),
            "line 1, column 7: expected value; found \"NaN}\". JSON has no such number: write null and an absence entry"
        );
        assert_eq!(fault(b"[1,\n 2] x"), "line 2, column 5: trailing characters; found \"x\"");
        assert_eq!(fault(b"[1, 2"), "line 1, column 5: the document ends too early (EOF while parsing a list)");
        assert_eq!(fault(b"[1e999]"), "line 1, column 6: number out of range; found \"1e999]\"");
        assert_eq!(fault(b"[\"\xff\"]"), "line 1, column 3: invalid unicode code point; found \"\u{fffd}\\\"]\"");
    }
}
