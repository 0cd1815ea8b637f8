//! The password, and the tokens that are derived from it.

use super::refusal::Refusal;
use crate::serve::same_secret;
use crate::store::{Reader, SERVE_LOGIN, Store, StoreError};
use argon2::Argon2;
use argon2::password_hash::rand_core::{OsRng, RngCore};
use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use sha2::{Digest, Sha256};
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// Length of a password, in characters.
pub const PASSWORD_LENGTH: std::ops::RangeInclusive<usize> = 8..=1000;
/// Number of failed logins within [`WINDOW`] after which further logins are rejected.
const MAX_FAILURES: usize = 5;
const WINDOW: Duration = Duration::from_secs(60);
/// Length of a token for changes. Some apps check this length.
const TOKEN_LENGTH: usize = 57;

/// The data about the password that is stored in the database.
#[derive(serde::Serialize, serde::Deserialize)]
struct StoredLogin {
    /// Argon2id hash, with its parameters and salt.
    hash: String,
    /// Tokens are derived from the secret. It changes with the password, so that old tokens become invalid.
    secret: String,
}

impl StoredLogin {
    fn read(reader: &Reader) -> Result<Option<Self>, StoreError> {
        let stored = reader.memo(SERVE_LOGIN)?;
        Ok(stored.and_then(|text| serde_json::from_str(&text).ok()))
    }

    fn derive(&self, purpose: &str, user: &str) -> String {
        // The secret always has the same length, so the bytes differ for each purpose and user.
        let text = format!("{}\n{purpose}\n{user}", self.secret);
        Sha256::digest(text).iter().take(20).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Why a password was not set.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    #[error("a password must have {} to {} characters", PASSWORD_LENGTH.start(), PASSWORD_LENGTH.end())]
    Length,
    #[error("the password cannot be hashed: {0}")]
    Hash(argon2::password_hash::Error),
    #[error("{0}")]
    Store(#[from] StoreError),
}

/// Stores a password as a hash. Tokens of an earlier password become invalid.
///
/// # Errors
/// If it is too short or too long, or cannot be stored.
pub fn set_password(store: &Store, password: &str) -> Result<(), PasswordError> {
    if !PASSWORD_LENGTH.contains(&password.chars().count()) {
        return Err(PasswordError::Length);
    }
    let salt = SaltString::generate(&mut OsRng);
    let hash = Argon2::default().hash_password(password.as_bytes(), &salt);
    let hash = hash.map_err(PasswordError::Hash)?.to_string();
    let mut random = [0; 32];
    OsRng.fill_bytes(&mut random);
    let secret = random.iter().map(|byte| format!("{byte:02x}")).collect();
    // Serialising two strings cannot fail.
    let text = serde_json::to_string(&StoredLogin { hash, secret }).unwrap_or_default();
    Ok(store.set_memo_blocking(SERVE_LOGIN, text)?)
}

/// Whether a password is set.
///
/// # Errors
/// If the database cannot be read.
pub fn has_password(store: &Store) -> Result<bool, StoreError> {
    Ok(StoredLogin::read(&store.reader()?)?.is_some())
}

/// Returns the token if user and password are correct.
pub(super) fn verify(
    reader: &Reader,
    expected: &str,
    user: &str,
    password: &str,
) -> Result<Option<String>, Refusal> {
    let Some(stored) = StoredLogin::read(reader)? else {
        return Err(Refusal::Forbidden(
            "no password is set; `newsfed serve password` sets one".to_owned(),
        ));
    };
    // The password is checked even if the user name is wrong, so that both cases take the same time.
    let right = PasswordHash::new(&stored.hash)
        .is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok());
    let is_user = same_secret(user, expected);
    Ok((right && is_user).then(|| stored.derive("login", expected)))
}

/// Returns the token for changes if the login token is correct.
pub(super) fn token(
    reader: &Reader,
    user: &str,
    given: &str,
) -> Result<Option<String>, StoreError> {
    let Some(stored) = StoredLogin::read(reader)? else { return Ok(None) };
    let right = same_secret(given, &stored.derive("login", user));
    Ok(right.then(|| format!("{:Z<TOKEN_LENGTH$}", stored.derive("change", user))))
}

/// The token in a header `Authorization: GoogleLogin auth=TOKEN`.
pub(super) fn in_header(value: &str) -> Option<&str> {
    let (scheme, rest) = value.trim().split_once(' ')?;
    let (key, token) = rest.trim().split_once('=')?;
    let named = scheme.eq_ignore_ascii_case("GoogleLogin") && key.eq_ignore_ascii_case("auth");
    (named && !token.is_empty()).then_some(token)
}

/// Times of failed logins. Logins are checked one at a time, because hashing takes memory.
#[derive(Default)]
pub(super) struct Failures(Mutex<VecDeque<Instant>>);

impl Failures {
    /// Checks a login, unless too many logins have failed.
    pub(super) async fn guard<T>(
        &self,
        check: impl Future<Output = Result<Option<T>, Refusal>>,
    ) -> Result<T, Refusal> {
        let mut failures = self.0.lock().await;
        failures.retain(|at| at.elapsed() < WINDOW);
        if failures.len() >= MAX_FAILURES {
            let oldest = failures.front().map_or(Duration::ZERO, Instant::elapsed);
            return Err(Refusal::Wait(WINDOW.saturating_sub(oldest)));
        }
        match check.await? {
            Some(right) => Ok(right),
            None => {
                failures.push_back(Instant::now());
                Err(Refusal::Unauthorized)
            }
        }
    }
}
