//! Strategies that do not learn.

use super::{Known, NextRequest, Strategy, Visit};
use crate::crawl::links::LinkId;
use std::collections::VecDeque;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// The oldest link first: breadth-first.
    Oldest,
    /// The links of the newest page first: depth-first.
    Newest,
    /// A random link.
    Random,
}

#[derive(Debug)]
pub struct Simple {
    order: Turn,
    waiting: VecDeque<LinkId>,
}

impl Simple {
    /// Starts at the first link.
    pub fn new(order: Turn) -> Self {
        Self { order, waiting: VecDeque::from([0]) }
    }
}

impl Strategy for Simple {
    fn next(&mut self, known: &mut Known<'_>) -> Option<NextRequest> {
        let next = match self.order {
            Turn::Oldest => self.waiting.pop_front(),
            Turn::Newest => self.waiting.pop_back(),
            Turn::Random if self.waiting.is_empty() => None,
            Turn::Random => self.waiting.swap_remove_back(known.random.usize(..self.waiting.len())),
        };
        next.map(NextRequest::Get)
    }

    fn visited(&mut self, _: LinkId, visit: &Visit<'_>, _: &mut Known<'_>) {
        match self.order {
            Turn::Newest => self.waiting.extend(visit.new.iter().rev()),
            Turn::Oldest | Turn::Random => self.waiting.extend(visit.new),
        }
    }
}

/// Requests all known links in order. If these are exactly the targets, this is a lower bound that no crawler
/// can reach.
#[derive(Debug, Default)]
pub struct Omniscient {
    next: LinkId,
}

impl Strategy for Omniscient {
    fn next(&mut self, known: &mut Known<'_>) -> Option<NextRequest> {
        let link = self.next;
        self.next += 1;
        ((link as usize) < known.links.len()).then_some(NextRequest::Get(link))
    }

    fn visited(&mut self, _: LinkId, _: &Visit<'_>, _: &mut Known<'_>) {}
}
