//! Hashes for detecting changes: of documents, and of entry texts.
//!
//! The hashes are fast, and keyed with a secret of the database, so that no publisher can make two texts with
//! the same hash. Databases of earlier versions contain SHA-256 hashes instead, which are compared too, and
//! replaced when an item is stored again. Hashes that must be the same in every database, such as hashes of
//! URLs, use [`stable_hash`].

use super::error::Result;
use super::memo;
use crate::model::stable_hash;
use rusqlite::{Connection, OptionalExtension};
use sha2::{Digest, Sha256};
use siphasher::sip128::{Hasher128, SipHasher13};
use std::hash::Hasher;

/// The name under which the secret is stored.
const SECRET: &str = "hash_key";

/// Computes the hashes of one database.
#[derive(Clone, Copy)]
pub struct Hashing {
    secret: [u8; 16],
}

impl Hashing {
    /// The hashing of a database, with a new secret if it has none.
    pub(super) fn of(conn: &Connection) -> Result<Self> {
        let stored = || -> Result<Option<Self>> {
            let mut query = conn.prepare("SELECT value FROM memo WHERE name = ?1")?;
            let value: Option<String> = query.query_row([SECRET], |r| r.get(0)).optional()?;
            let Some(value) = value else { return Ok(None) };
            let secret = serde_json::from_str(&value).inspect_err(|e| {
                tracing::error!("the hash key is damaged, so all items count as changed: {e}");
            });
            Ok(secret.ok().map(|secret| Self { secret }))
        };
        if let Some(known) = stored()? {
            return Ok(known);
        }
        // Another process may create a secret at the same time.
        conn.execute_batch("BEGIN IMMEDIATE")?;
        let made = stored().and_then(|now| match now {
            Some(known) => Ok(known),
            None => {
                // SQLite's generator is seeded by the operating system.
                let secret = conn.query_row("SELECT randomblob(16)", [], |r| r.get(0))?;
                memo::set(conn, SECRET, &super::rows::to_json(&secret)?)?;
                Ok(Self { secret })
            }
        });
        conn.execute_batch(if made.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
        made
    }

    fn hasher(&self) -> SipHasher13 {
        SipHasher13::new_with_key(&self.secret)
    }

    /// Hash of a document: 128 bits, then zeros, which distinguish it from SHA-256.
    pub fn document(&self, body: &[u8]) -> [u8; 32] {
        let mut hash = [0; 32];
        hash[..16].copy_from_slice(&self.hasher().hash(body).as_bytes());
        hash
    }

    /// Whether `stored` is the hash of a document whose [`Hashing::document`] is `hash`.
    pub fn is_same(&self, stored: Option<[u8; 32]>, hash: [u8; 32], body: &[u8]) -> bool {
        stored.is_some_and(|stored| {
            let keyed = stored[16..] == [0; 16];
            stored == hash || !keyed && Sha256::digest(body).as_slice() == stored
        })
    }
}

/// A hash of texts, as a database column stores it.
pub(super) trait TextHash {
    fn hash<'a>(&self, parts: impl IntoIterator<Item = &'a str>) -> i64;
}

impl TextHash for Hashing {
    fn hash<'a>(&self, parts: impl IntoIterator<Item = &'a str>) -> i64 {
        let mut hasher = self.hasher();
        for part in parts {
            hasher.write(part.as_bytes());
            // A byte that does not occur in text.
            hasher.write(&[0xff]);
        }
        hasher.finish128().h1.cast_signed()
    }
}

/// Hashes that are the same in every database.
pub(super) struct Stable;

impl TextHash for Stable {
    fn hash<'a>(&self, parts: impl IntoIterator<Item = &'a str>) -> i64 {
        stable_hash(parts).cast_signed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashing(secret: u8) -> Hashing {
        Hashing { secret: [secret; 16] }
    }

    #[test]
    fn documents_are_compared_with_hashes_of_both_kinds() {
        let (body, other) = (b"<rss/>", b"<rss>");
        let hash = hashing(1).document(body);
        let sha: [u8; 32] = Sha256::digest(body).into();
        assert!(hashing(1).is_same(Some(hash), hash, body));
        assert!(hashing(1).is_same(Some(sha), hash, body));
        for stored in [None, Some(hashing(1).document(other)), Some(hashing(2).document(body))] {
            assert!(!hashing(1).is_same(stored, hash, body));
        }
        let sha: [u8; 32] = Sha256::digest(other).into();
        assert!(!hashing(1).is_same(Some(sha), hash, body));
    }

    #[test]
    fn hashes_depend_on_the_secret_and_on_text_boundaries() {
        let hash = |secret, parts: &[&str]| hashing(secret).hash(parts.iter().copied());
        assert_eq!(hash(1, &["a", "b"]), hash(1, &["a", "b"]));
        assert_ne!(hash(1, &["a", "b"]), hash(2, &["a", "b"]));
        assert_ne!(hash(1, &["a", "b"]), hash(1, &["ab"]));
        assert_ne!(hash(1, &["a", ""]), hash(1, &["a"]));
    }
}
