//! A tree to bytes and back, for parts of the program that hand a document to each other: a column of a million times is
//! a few megabytes that are read in milliseconds. Nobody keeps these bytes; what is kept is JSON.
//!
//! After [`PACKED`] stands one value. A value is a byte that says what it is, then its content. Numbers are variable-length
//! (seven bits a byte, the lowest first), with sign by zigzag; integers of an array are differences to the one before.
//! Distinct strings of an array stand once. Reading takes any bytes: lengths are those that the bytes can hold, depth and
//! loose values are bounded as in JSON.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::{Arrays, MAX_DEPTH, MAX_LOOSE, NULL, Node, Strings};

/// With what the packed form begins. No JSON does.
pub const PACKED: &[u8] = b"tokenpath packed 1\n";

/// Packed bytes that are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the packed document is broken at byte {at}: {what}")]
pub struct PackError {
    /// Where.
    pub at: usize,
    /// What is wrong.
    pub what: &'static str,
}

mod tag {
    pub(super) const NULL: u8 = 0;
    pub(super) const FALSE: u8 = 1;
    pub(super) const TRUE: u8 = 2;
    pub(super) const INT: u8 = 3;
    pub(super) const LARGE: u8 = 4;
    pub(super) const FLOAT: u8 = 5;
    pub(super) const TEXT: u8 = 6;
    pub(super) const INTS: u8 = 7;
    pub(super) const INTS_AND_NULLS: u8 = 8;
    pub(super) const TEXTS: u8 = 9;
    pub(super) const ARRAYS: u8 = 10;
    pub(super) const LIST: u8 = 11;
    pub(super) const OBJECT: u8 = 12;
}

/// Writes a document, in many small writes.
///
/// # Errors
/// When `out` fails.
pub fn pack(node: &Node, mut out: impl Write) -> io::Result<()> {
    out.write_all(PACKED)?;
    value(node, &mut out)
}

fn value(node: &Node, out: &mut impl Write) -> io::Result<()> {
    match node {
        Node::Null => out.write_all(&[tag::NULL]),
        Node::Bool(false) => out.write_all(&[tag::FALSE]),
        Node::Bool(true) => out.write_all(&[tag::TRUE]),
        Node::Int(value) => {
            out.write_all(&[tag::INT])?;
            number(zigzag(*value), out)
        }
        Node::Large(value) => {
            out.write_all(&[tag::LARGE])?;
            number(*value, out)
        }
        Node::Float(value) => {
            out.write_all(&[tag::FLOAT])?;
            out.write_all(&value.to_le_bytes())
        }
        Node::Text(value) => {
            out.write_all(&[tag::TEXT])?;
            text(value, out)
        }
        Node::Ints(items) => ints(items, out),
        Node::Texts(items) => {
            out.write_all(&[tag::TEXTS])?;
            number(items.distinct_count() as u64, out)?;
            for item in 0..items.distinct_count() {
                text(items.distinct_at(item).unwrap_or_default(), out)?;
            }
            number(items.len() as u64, out)?;
            // 0 is null.
            items.cells().try_for_each(|cell| number(cell.map_or(0, |cell| u64::from(cell) + 1), out))
        }
        Node::Arrays(items) => {
            out.write_all(&[tag::ARRAYS])?;
            number(items.len() as u64, out)?;
            for array in items.iter() {
                match array {
                    None => out.write_all(&[tag::NULL])?,
                    Some(array) => ints(array, out)?,
                }
            }
            Ok(())
        }
        Node::List(items) => {
            out.write_all(&[tag::LIST])?;
            number(items.len() as u64, out)?;
            items.iter().try_for_each(|item| value(item, out))
        }
        Node::Object(fields) => {
            out.write_all(&[tag::OBJECT])?;
            number(fields.len() as u64, out)?;
            for (key, field) in fields {
                text(key, out)?;
                value(field, out)?;
            }
            Ok(())
        }
    }
}

fn ints(items: &[i64], out: &mut impl Write) -> io::Result<()> {
    let nulls = items.contains(&NULL);
    out.write_all(&[if nulls { tag::INTS_AND_NULLS } else { tag::INTS }])?;
    number(items.len() as u64, out)?;
    let mut before = 0_i64;
    for item in items {
        if *item == NULL {
            out.write_all(&[0])?;
            continue;
        }
        if nulls {
            out.write_all(&[1])?;
        }
        number(zigzag(item.wrapping_sub(before)), out)?;
        before = *item;
    }
    Ok(())
}

fn text(text: &str, out: &mut impl Write) -> io::Result<()> {
    number(text.len() as u64, out)?;
    out.write_all(text.as_bytes())
}

fn number(mut value: u64, out: &mut impl Write) -> io::Result<()> {
    let mut bytes = [0_u8; 10];
    let mut used = 0;
    for byte in &mut bytes {
        used += 1;
        *byte = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            break;
        }
        *byte |= 0x80;
    }
    out.write_all(bytes.get(..used).unwrap_or(&bytes))
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -((value & 1).cast_signed())
}

/// Reads a packed document.
///
/// # Errors
/// When the bytes are no such document, or one beyond the bounds.
pub fn unpack(bytes: &[u8]) -> Result<Node, PackError> {
    let mut reader = Reader { bytes, at: 0, loose: 0 };
    if reader.bytes(PACKED.len())? != PACKED {
        return Err(PackError { at: 0, what: "it begins otherwise" });
    }
    let node = reader.value(0)?;
    if reader.at < bytes.len() { reader.wrong("more follows the document") } else { Ok(node) }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Values outside compact arrays so far.
    loose: usize,
}

impl<'a> Reader<'a> {
    fn wrong<T>(&self, what: &'static str) -> Result<T, PackError> {
        Err(PackError { at: self.at, what })
    }

    fn bytes(&mut self, count: usize) -> Result<&'a [u8], PackError> {
        let end = self.at.checked_add(count);
        match end.and_then(|end| self.bytes.get(self.at..end)) {
            Some(bytes) => {
                self.at += count;
                Ok(bytes)
            }
            None => self.wrong("it ends early"),
        }
    }

    fn byte(&mut self) -> Result<u8, PackError> {
        match self.bytes.get(self.at) {
            Some(byte) => {
                self.at += 1;
                Ok(*byte)
            }
            None => self.wrong("it ends early"),
        }
    }

    fn number(&mut self) -> Result<u64, PackError> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        self.wrong("a number does not end")
    }

    /// How many items follow, each of which takes a byte at least.
    fn count(&mut self) -> Result<usize, PackError> {
        match usize::try_from(self.number()?) {
            Ok(count) if count <= self.bytes.len() - self.at => Ok(count),
            _ => self.wrong("it says to hold more than it does"),
        }
    }

    fn text(&mut self) -> Result<&'a str, PackError> {
        let count = self.count()?;
        match std::str::from_utf8(self.bytes(count)?) {
            Ok(text) => Ok(text),
            Err(_) => self.wrong("a text is not UTF-8"),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, PackError> {
        self.loose += 1;
        if depth > MAX_DEPTH || self.loose > MAX_LOOSE {
            return self.wrong("it nests too deep, or has too many values outside arrays");
        }
        Ok(match self.byte()? {
            tag::NULL => Node::Null,
            tag::FALSE => Node::Bool(false),
            tag::TRUE => Node::Bool(true),
            tag::INT => Node::Int(unzigzag(self.number()?)),
            tag::LARGE => Node::Large(self.number()?),
            tag::FLOAT => match self.bytes(8)?.try_into().map(f64::from_le_bytes) {
                Ok(value) if value.is_finite() => Node::Float(value),
                _ => return self.wrong("a number is not finite"),
            },
            tag::TEXT => Node::Text(self.text()?.to_owned()),
            kind @ (tag::INTS | tag::INTS_AND_NULLS) => {
                let mut items = Vec::new();
                self.ints(kind, &mut items)?;
                Node::Ints(items)
            }
            tag::TEXTS => Node::Texts(self.texts()?),
            tag::ARRAYS => Node::Arrays(self.arrays()?),
            tag::LIST => {
                let count = self.count()?;
                Node::List((0..count).map(|_| self.value(depth + 1)).collect::<Result<_, _>>()?)
            }
            tag::OBJECT => {
                let count = self.count()?;
                let mut keys = BTreeSet::new();
                let mut fields = Vec::new();
                for _ in 0..count {
                    let key = self.text()?;
                    if !keys.insert(key) {
                        return self.wrong("a key stands twice in an object");
                    }
                    fields.push((key.to_owned(), self.value(depth + 1)?));
                }
                Node::Object(fields)
            }
            _ => return self.wrong("no value begins so"),
        })
    }

    fn ints(&mut self, kind: u8, items: &mut Vec<i64>) -> Result<(), PackError> {
        let count = self.count()?;
        items.clear();
        items.reserve(count);
        let mut before = 0_i64;
        for _ in 0..count {
            if kind == tag::INTS_AND_NULLS && self.byte()? == 0 {
                items.push(NULL);
                continue;
            }
            before = before.wrapping_add(unzigzag(self.number()?));
            items.push(before);
        }
        Ok(())
    }

    fn texts(&mut self) -> Result<Strings, PackError> {
        let count = self.count()?;
        let distinct = (0..count).map(|_| self.text()).collect::<Result<Vec<_>, _>>()?;
        let cells = self.count()?;
        let mut out = Strings::of(&distinct, cells);
        for _ in 0..cells {
            let cell = match self.number()? {
                0 => None,
                number => match usize::try_from(number - 1) {
                    Ok(at) if at < distinct.len() => Some(at),
                    _ => return self.wrong("a cell names no text"),
                },
            };
            out.push_distinct(cell);
        }
        Ok(out)
    }

    fn arrays(&mut self) -> Result<Arrays, PackError> {
        let count = self.count()?;
        let mut out = Arrays::default();
        let mut items = Vec::new();
        for _ in 0..count {
            match self.byte()? {
                tag::NULL => out.push(None),
                kind @ (tag::INTS | tag::INTS_AND_NULLS) => {
                    self.ints(kind, &mut items)?;
                    out.push(Some(&items));
                }
                _ => return self.wrong("no array begins so"),
            }
        }
        Ok(out)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::parse;

    fn packed(node: &Node) -> Vec<u8> {
        let mut bytes = Vec::new();
        pack(node, &mut bytes).unwrap();
        bytes
    }

    /// One of everything, as the JSON reader makes it.
    fn document() -> Node {
        let json = r#"{"a":null,"b":[true,false],"c":-7,"d":18446744073709551615,"e":0.25,"f":"é\u0000\"",
            "g":[1,2,-9223372036854775807,9223372036854775807,0],"h":[5,null,4],"i":["x",null,"y","x",""],
            "j":[[1,2],null,[],[null,3]],"k":[{"l":[]},[1.5,"z"]],"m":[],"n":{}}"#;
        parse(json.as_bytes()).unwrap().0
    }

    #[test]
    fn what_is_packed_is_the_same_when_it_is_unpacked() {
        let node = document();
        assert_eq!(unpack(&packed(&node)).unwrap(), node);
    }

    // By hand: the tag, the count, and differences in zigzag, of which 2 n is n and 2 n - 1 is -n.
    #[test]
    fn times_take_little() {
        let bytes = packed(&Node::Ints(vec![1000, 1010, 1005]));
        assert_eq!(bytes.strip_prefix(PACKED).unwrap(), [tag::INTS, 3, 0xd0, 0x0f, 20, 9]);
        let bytes = packed(&Node::Ints(vec![3, NULL]));
        assert_eq!(bytes.strip_prefix(PACKED).unwrap(), [tag::INTS_AND_NULLS, 2, 1, 6, 0]);
    }

    #[test]
    fn bytes_that_are_cut_or_beyond_the_bounds_are_refused() {
        let bytes = packed(&document());
        for length in 0..bytes.len() {
            assert!(unpack(bytes.get(..length).unwrap()).is_err(), "{length} bytes");
        }
        let with = |rest: &[u8]| unpack(&[PACKED, rest].concat()).unwrap_err().what;
        assert_eq!(with(&[tag::NULL, 0]), "more follows the document");
        assert_eq!(with(&[tag::INTS, 0xff, 0xff, 0xff, 0xff, 0x0f]), "it says to hold more than it does");
        assert_eq!(with(&[tag::TEXTS, 1, 1, b'a', 1, 2]), "a cell names no text");
        assert_eq!(with(&[tag::OBJECT, 2, 1, b'a', tag::NULL, 1, b'a', tag::NULL]), "a key stands twice in an object");
        assert_eq!(with(&[tag::TEXT, 1, 0xff]), "a text is not UTF-8");
        assert_eq!(with(&[99]), "no value begins so");
        assert!(with(&[tag::LIST, 1].repeat(2 * MAX_DEPTH)).starts_with("it nests too deep"));
        assert_eq!(with(&[&[tag::FLOAT][..], &f64::NAN.to_le_bytes()].concat()), "a number is not finite");
    }

    proptest! {
        #[test]
        fn any_integers_come_back(items in proptest::collection::vec(any::<i64>(), 0..50)) {
            let node = Node::Ints(items);
            prop_assert_eq!(unpack(&packed(&node)).unwrap(), node);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), at in 0_usize..400, byte: u8) {
            let _ = unpack(&[PACKED, &bytes].concat());
            let mut changed = packed(&document());
            let at = at % changed.len();
            changed[at] = byte;
            let _ = unpack(&changed);
        }
    }
}
