//! Names for the sites of the demo, so that pictures show `council.example` instead of an address with a
//! port.

use crate::sites::Sites;
use crate::stage::START;
use anyhow::Result;
use newsfed::demo::World;
use newsfed::demo::server::Server;
use newsfed::model::Time;
use newsfed::util::clock::{Clock, Sleep, SystemClock};
use std::sync::Arc;

/// A stopped clock, so that the sites publish nothing new.
struct Still(Time);

impl Clock for Still {
    fn now(&self) -> Time {
        self.0
    }

    fn sleep_until(&self, at: Time) -> Sleep<'_> {
        SystemClock.sleep_until(at)
    }
}

pub(crate) struct Names {
    proxy: Server,
    _world: World,
}

impl Names {
    pub(crate) fn start() -> Result<Self> {
        let world = World::start(Arc::new(Still(START.parse()?)))?;
        let sites = Sites::of(&world);
        Ok(Self { proxy: Server::start(move |request| sites.fetch(request))?, _world: world })
    }

    /// The URL of the proxy that resolves these names.
    pub(crate) fn proxy(&self) -> String {
        self.proxy.url("/")
    }
}
