//! A list of items in JSON. It is read item by item, because the parsed values of an entire file would need a
//! multiple of its size in memory.

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::cell::Cell;
use std::fmt;

/// Maximum number of items in a file.
pub(super) const MAX_ITEMS: usize = 200_000;
/// Maximum number of values in an item, including nested ones.
pub(super) const MAX_VALUES: usize = 10_000;

/// Calls a function with each item, or with `None` for an item beyond the limits. Returns the names that the
/// service gave to the list.
pub(super) fn visit(
    bytes: &[u8],
    mut each: impl FnMut(Option<Value>),
) -> serde_json::Result<String> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let names = Root(&mut each).deserialize(&mut json)?;
    json.end()?;
    Ok(names)
}

/// The file: a list, or an object that contains a list.
struct Root<'a>(&'a mut dyn FnMut(Option<Value>));

impl<'de> DeserializeSeed<'de> for Root<'_> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<String, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Root<'_> {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<String, A::Error> {
        Items(self.0).visit_seq(list)?;
        Ok(String::new())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<String, A::Error> {
        let (mut has_items, mut id, mut address) = (false, String::new(), String::new());
        while let Some(key) = map.next_key::<String>()? {
            let values = Cell::new(MAX_VALUES);
            match key.as_str() {
                "items" => {
                    map.next_value_seed(Items(&mut *self.0))?;
                    has_items = true;
                }
                "id" => id = string(&map.next_value_seed(Limited(&values))?),
                "self" => address = string(&map.next_value_seed(Limited(&values))?["href"]),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        if has_items {
            Ok(id + &address)
        } else {
            Err(Error::custom("it contains no list of items"))
        }
    }
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The list of items.
struct Items<'a>(&'a mut dyn FnMut(Option<Value>));

impl<'de> DeserializeSeed<'de> for Items<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Items<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        for _ in 0..MAX_ITEMS {
            let values = Cell::new(MAX_VALUES);
            let Some(item) = list.next_element_seed(Limited(&values))? else { return Ok(()) };
            (self.0)(Some(item).filter(|_| values.get() > 0));
        }
        while list.next_element::<IgnoredAny>()?.is_some() {
            (self.0)(None);
        }
        Ok(())
    }
}

/// A value that may contain a limited number of nested values.
#[derive(Clone, Copy)]
struct Limited<'a>(&'a Cell<usize>);

impl Limited<'_> {
    /// Counts a value. Returns whether it may be kept.
    fn take(self) -> bool {
        self.0.set(self.0.get().saturating_sub(1));
        self.0.get() > 0
    }
}

impl<'de> DeserializeSeed<'de> for Limited<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Value, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Limited<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while self.take() {
            let Some(value) = list.next_element_seed(self)? else { return Ok(values.into()) };
            values.push(value);
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(values.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut values = Map::new();
        while self.take() {
            let Some(key) = map.next_key::<String>()? else { return Ok(values.into()) };
            values.insert(key, map.next_value_seed(self)?);
        }
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(values.into())
    }
}
