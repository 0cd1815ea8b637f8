//! Resolves names, and blocks those that resolve to private addresses.

use crate::util::address::is_private;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// How names are resolved.
#[derive(Debug, Clone, Default)]
pub enum Names {
    /// The system resolves names.
    #[default]
    System,
    /// Only the names in this table are resolved, for tests.
    Table(Arc<HashMap<String, Vec<IpAddr>>>),
}

impl Names {
    async fn look_up(&self, name: &str) -> io::Result<Vec<SocketAddr>> {
        match self {
            Self::System => Ok(tokio::net::lookup_host((name, 0)).await?.collect()),
            Self::Table(table) => {
                let found = table.get(name).ok_or_else(|| io::Error::other("unknown name"))?;
                Ok(found.iter().map(|ip| SocketAddr::new(*ip, 0)).collect())
            }
        }
    }
}

/// Why a name has no usable address.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ResolveError {
    #[error("the name cannot be resolved: {0}")]
    Lookup(#[source] io::Error),
    /// All addresses of the name are private.
    #[error("the name resolves to a private address")]
    Private,
}

/// A resolver that can reject private addresses. It checks the addresses that are connected to, so the name
/// cannot resolve to something else in between.
#[derive(Debug, Clone)]
pub(crate) struct Resolver {
    pub(crate) names: Names,
    /// Whether private addresses are rejected.
    pub(crate) guarded: bool,
    /// Names that may resolve to private addresses: the names of proxies.
    pub(crate) exempt: Vec<String>,
}

impl Resolver {
    async fn usable(&self, name: &str) -> Result<Vec<SocketAddr>, ResolveError> {
        let guarded = self.guarded && !self.exempt.iter().any(|n| n == name);
        let mut found = self.names.look_up(name).await.map_err(ResolveError::Lookup)?;
        found.retain(|a| !(guarded && is_private(a.ip())));
        if found.is_empty() { Err(ResolveError::Private) } else { Ok(found) }
    }
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let usable = resolver.usable(name.as_str()).await?;
            Ok(Box::new(usable.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_guarded_resolver_returns_only_public_addresses() {
        // (addresses, those that a guarded resolver returns)
        let cases: [(&[&str], &[&str]); 7] = [
            (&["8.8.8.8"], &["8.8.8.8"]),
            (&["10.0.0.1", "8.8.8.8", "::1"], &["8.8.8.8"]),
            (&["2606:4700::1", "fd00::1"], &["2606:4700::1"]),
            (&["127.0.0.1"], &[]),
            (&["::ffff:192.168.0.1"], &[]),
            (&["64:ff9b::a00:1", "169.254.169.254"], &[]),
            (&["fe80::1", "0.0.0.0"], &[]),
        ];
        let ip = |text: &&str| text.parse::<IpAddr>().unwrap();
        for (found, want) in cases {
            let found: Vec<IpAddr> = found.iter().map(ip).collect();
            let table = HashMap::from([("host.test".to_owned(), found.clone())]);
            let resolver = |guarded, exempt: &[&str]| Resolver {
                names: Names::Table(Arc::new(table.clone())),
                guarded,
                exempt: exempt.iter().map(|&name| name.to_owned()).collect(),
            };
            let usable = async |resolver: Resolver| match resolver.usable("host.test").await {
                Ok(usable) => usable.into_iter().map(|a| a.ip()).collect(),
                Err(ResolveError::Private) => Vec::new(),
                Err(e) => panic!("{e}"),
            };
            let want: Vec<IpAddr> = want.iter().map(ip).collect();
            assert_eq!(usable(resolver(true, &[])).await, want, "{found:?}");
            assert_eq!(usable(resolver(true, &["other.test"])).await, want, "{found:?}");
            assert_eq!(usable(resolver(true, &["host.test"])).await, found);
            assert_eq!(usable(resolver(false, &[])).await, found);
        }
    }
}
