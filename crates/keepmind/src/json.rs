//! Values written as JSON, byte for byte as `serde_json` writes them, in half its time on a recall of ten rows: a
//! field's name is a constant, quotes and all, where it is written, and of a text eight bytes are looked at together.

use std::cell::Cell;
use std::fmt::{self, Write as _};

use serde::Serialize;
use serde::ser::{self, Error as _};
use serde_json::Error;

/// What `serde_json` calls a number of which it keeps every digit, where any crate of the host asks it to: one field,
/// the digits as text.
const EXACT_NUMBER: &str = "$serde_json::private::Number";

/// The longest name of a field that is put down at once.
const LONGEST_NAME: usize = 28;

/// How much of the room to write in is kept for the next time.
const KEPT: usize = 64 << 10;

thread_local! {
    /// Room to write in: nobody knows before how long the text becomes, and one that grows is moved each time.
    static ROOM: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Writes a value. Fails where a map has a key that is neither text, number nor truth value, or a value cannot be told at
/// all.
pub(crate) fn write(value: &(impl Serialize + ?Sized)) -> Result<String, Error> {
    // A thread that ends has none any more.
    let mut json = ROOM.try_with(Cell::take).unwrap_or_default();
    json.clear();
    let mut writer = Writer {
        json,
        is_written: false,
    };
    let done = value.serialize(&mut writer);
    let text = str::from_utf8(&writer.json).map(str::to_owned);
    if writer.json.capacity() <= KEPT {
        let _ = ROOM.try_with(|room| room.set(writer.json));
    }
    done?;
    text.map_err(Error::custom)
}

/// What is written as JSON already, and goes into what is being written as it stands.
pub(crate) struct Written<'a>(pub(crate) &'a str);

/// What only this writer knows: another would write an array of bytes.
const WRITTEN: &str = "$keepmind::Written";

impl Serialize for Written<'_> {
    fn serialize<S: ser::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Bytes<'a>(&'a [u8]);
        impl Serialize for Bytes<'_> {
            fn serialize<S: ser::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_bytes(self.0)
            }
        }
        serializer.serialize_newtype_struct(WRITTEN, &Bytes(self.0.as_bytes()))
    }
}

struct Writer {
    json: Vec<u8>,
    /// The next bytes are JSON.
    is_written: bool,
}

impl Writer {
    fn quoted(&mut self, text: &str) {
        self.json.push(b'"');
        self.escaped(text);
        self.json.push(b'"');
    }

    fn escaped(&mut self, text: &str) {
        let mut rest = text.as_bytes();
        loop {
            let (plain, special) = rest.split_at(plain_length(rest));
            self.json.extend_from_slice(plain);
            let [letter, others @ ..] = special else {
                return;
            };
            self.escape(*letter);
            rest = others;
        }
    }

    fn escape(&mut self, letter: u8) {
        let short: &[u8] = match letter {
            b'"' => b"\\\"",
            b'\\' => b"\\\\",
            8 => b"\\b",
            b'\t' => b"\\t",
            b'\n' => b"\\n",
            12 => b"\\f",
            b'\r' => b"\\r",
            _ => {
                self.json.extend_from_slice(b"\\u00");
                let digit = |four: u8| b"0123456789abcdef"[usize::from(four & 15)];
                return self.json.extend([digit(letter >> 4), digit(letter)]);
            }
        };
        self.json.extend_from_slice(short);
    }

    /// A name that stands in the code: there is nothing in it to escape.
    fn name(&mut self, name: &'static str) {
        debug_assert_eq!(plain_length(name.as_bytes()), name.len(), "{name}");
        self.json.push(b'"');
        self.json.extend_from_slice(name.as_bytes());
        self.json.push(b'"');
    }

    /// What stands before a field's value: `"name":`, after a comma where it is not the first. In line wherever a
    /// field is written: the name is known there, and with it all that is put down.
    #[inline(always)]
    fn field(&mut self, is_first: bool, name: &'static str) {
        let length = name.len();
        if length > LONGEST_NAME {
            return self.long_field(is_first, name);
        }
        let mut told = [0; LONGEST_NAME + 4];
        told[..2].copy_from_slice(b",\"");
        told[2..length + 2].copy_from_slice(name.as_bytes());
        told[length + 2..length + 4].copy_from_slice(b"\":");
        debug_assert_eq!(plain_length(name.as_bytes()), length, "{name}");
        match is_first {
            true => self.json.extend_from_slice(&told[1..length + 4]),
            false => self.json.extend_from_slice(&told[..length + 4]),
        }
    }

    #[cold]
    fn long_field(&mut self, is_first: bool, name: &'static str) {
        if !is_first {
            self.json.push(b',');
        }
        self.name(name);
        self.json.push(b':');
    }

    /// Begins what has a variant's name: `{"name":`.
    fn variant(&mut self, variant: &'static str) {
        self.json.push(b'{');
        self.name(variant);
        self.json.push(b':');
    }

    fn compound(&mut self, open: u8, close: &'static [u8]) -> Compound<'_> {
        self.json.push(open);
        Compound {
            writer: self,
            is_begun: false,
            is_number: false,
            close,
        }
    }
}

impl fmt::Write for Writer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.escaped(text);
        Ok(())
    }
}

/// How many bytes at the beginning stand for themselves: all but quotes, backslashes and what is below the blank.
fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    let has_none = |word: u64| (word.wrapping_sub(ONES)) & !word & (ONES << 7);
    let (words, rest) = bytes.as_chunks::<8>();
    for (place, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // Each says by a byte's upper bit where one is, and from there on nothing: it is enough to know whether.
        let quotes = has_none(word ^ (ONES * u64::from(b'"')));
        let backslashes = has_none(word ^ (ONES * u64::from(b'\\')));
        let control = word.wrapping_sub(ONES * u64::from(b' ')) & !word & (ONES << 7);
        if quotes | backslashes | control != 0 {
            return place * 8 + plain_letters(&bytes[place * 8..]);
        }
    }
    words.len() * 8 + plain_letters(rest)
}

fn plain_letters(bytes: &[u8]) -> usize {
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | ..b' ');
    let special = bytes.iter().position(is_special);
    special.unwrap_or(bytes.len())
}

/// An array or an object in the making.
struct Compound<'a> {
    writer: &'a mut Writer,
    is_begun: bool,
    is_number: bool,
    close: &'static [u8],
}

impl Compound<'_> {
    #[inline]
    fn next(&mut self) {
        if self.is_begun {
            self.writer.json.push(b',');
        }
        self.is_begun = true;
    }

    /// A key that is a number is written as text.
    fn key(&mut self, key: &(impl Serialize + ?Sized)) -> Result<(), Error> {
        self.next();
        let begin = self.writer.json.len();
        key.serialize(&mut *self.writer)?;
        match self.writer.json.get(begin) {
            Some(b'"') => {}
            Some(b'-' | b'0'..=b'9' | b't' | b'f') => {
                self.writer.json.insert(begin, b'"');
                self.writer.json.push(b'"');
            }
            _ => {
                return Err(Error::custom(
                    "the key of a map must be a text, a number or a truth value",
                ));
            }
        }
        self.writer.json.push(b':');
        Ok(())
    }

    fn element(&mut self, value: &(impl Serialize + ?Sized)) -> Result<(), Error> {
        self.next();
        value.serialize(&mut *self.writer)
    }

    #[inline(always)]
    fn field(
        &mut self,
        name: &'static str,
        value: &(impl Serialize + ?Sized),
    ) -> Result<(), Error> {
        if self.is_number {
            return self.digits(value);
        }
        self.writer.field(!self.is_begun, name);
        self.is_begun = true;
        value.serialize(&mut *self.writer)
    }

    /// A text as it stands, without quotes.
    #[cold]
    fn digits(&mut self, value: &(impl Serialize + ?Sized)) -> Result<(), Error> {
        let begin = self.writer.json.len();
        value.serialize(&mut *self.writer)?;
        self.writer.json.remove(begin);
        self.writer.json.pop();
        Ok(())
    }

    fn end(self) -> Result<(), Error> {
        self.writer.json.extend_from_slice(self.close);
        Ok(())
    }
}

macro_rules! numbers {
    ($($serialize:ident: $number:ty),* $(,)?) => {
        $(fn $serialize(self, number: $number) -> Result<(), Error> {
            serde_json::to_writer(&mut self.json, &number)
        })*
    };
}

impl<'a> ser::Serializer for &'a mut Writer {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Compound<'a>;
    type SerializeTuple = Compound<'a>;
    type SerializeTupleStruct = Compound<'a>;
    type SerializeTupleVariant = Compound<'a>;
    type SerializeMap = Compound<'a>;
    type SerializeStruct = Compound<'a>;
    type SerializeStructVariant = Compound<'a>;

    numbers! {
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128,
        serialize_f32: f32, serialize_f64: f64,
    }

    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        let word: &[u8] = if value { b"true" } else { b"false" };
        self.json.extend_from_slice(word);
        Ok(())
    }

    fn serialize_char(self, letter: char) -> Result<(), Error> {
        self.quoted(letter.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn serialize_str(self, text: &str) -> Result<(), Error> {
        self.quoted(text);
        Ok(())
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, value: &T) -> Result<(), Error> {
        self.json.push(b'"');
        write!(self, "{value}").map_err(Error::custom)?;
        self.json.push(b'"');
        Ok(())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), Error> {
        if std::mem::take(&mut self.is_written) {
            self.json.extend_from_slice(bytes);
            return Ok(());
        }
        bytes.serialize(self)
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.json.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), Error> {
        self.name(variant);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.is_written = name == WRITTEN;
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.variant(variant);
        value.serialize(&mut *self)?;
        self.json.push(b'}');
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Compound<'a>, Error> {
        Ok(self.compound(b'[', b"]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Compound<'a>, Error> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Compound<'a>, Error> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'a>, Error> {
        self.variant(variant);
        Ok(self.compound(b'[', b"]}"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Compound<'a>, Error> {
        Ok(self.compound(b'{', b"}"))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Compound<'a>, Error> {
        if name == EXACT_NUMBER {
            return Ok(Compound {
                writer: self,
                is_begun: false,
                is_number: true,
                close: b"",
            });
        }
        self.serialize_map(None)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'a>, Error> {
        self.variant(variant);
        Ok(self.compound(b'{', b"}}"))
    }
}

macro_rules! elements {
    ($($kind:ident: $element:ident),*) => {
        $(impl ser::$kind for Compound<'_> {
            type Ok = ();
            type Error = Error;

            fn $element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.element(value)
            }

            fn end(self) -> Result<(), Error> {
                Compound::end(self)
            }
        })*
    };
}

elements!(
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field
);

macro_rules! fields {
    ($($kind:ident),*) => {
        $(impl ser::$kind for Compound<'_> {
            type Ok = ();
            type Error = Error;

            #[inline(always)]
            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), Error> {
                self.field(name, value)
            }

            fn end(self) -> Result<(), Error> {
                Compound::end(self)
            }
        })*
    };
}

fields!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Compound<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Result<(), Error> {
        Compound::end(self)
    }
}

#[cfg(test)]
mod tests;
