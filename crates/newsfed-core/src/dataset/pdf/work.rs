//! The cost of reading a file, and the number of values in memory.

use std::cell::Cell;
use std::ops::Deref;
use std::rc::Rc;

/// Maximum number of values in memory. Every 32 bytes of a text count as an additional value.
pub(super) const MAX_ALIVE: usize = 400_000;

/// The remaining work. One unit is about the cost of reading a byte.
#[derive(Debug)]
pub(super) struct Work {
    left: Cell<usize>,
    alive: Cell<usize>,
    most_alive: Cell<usize>,
}

impl Work {
    pub(super) fn new(left: usize) -> Rc<Self> {
        Rc::new(Self { left: Cell::new(left), alive: Cell::new(0), most_alive: Cell::new(0) })
    }

    pub(super) fn charge(&self, cost: usize) {
        self.left.set(self.left.get().saturating_sub(cost));
    }

    /// Stops reading because another limit was exceeded.
    pub(super) fn exhaust(&self) {
        self.left.set(0);
    }

    /// Whether the work budget is used up.
    pub(super) fn is_exhausted(&self) -> bool {
        self.left.get() == 0
    }

    pub(super) fn left(&self) -> usize {
        self.left.get()
    }

    /// The maximum number of values that were in memory at the same time.
    #[cfg(test)]
    pub(super) fn most_alive(&self) -> usize {
        self.most_alive.get()
    }

    fn hold(&self, weight: usize) {
        let alive = self.alive.get().saturating_add(weight);
        self.alive.set(alive);
        self.most_alive.set(self.most_alive.get().max(alive));
        if alive > MAX_ALIVE {
            self.exhaust();
        }
    }

    fn release(&self, weight: usize) {
        self.alive.set(self.alive.get().saturating_sub(weight));
    }
}

/// The memory that a value needs, as a number of values.
pub(super) trait Weight {
    fn weight(&self) -> usize;
}

/// A list with values that count towards the limit until it is dropped.
#[derive(Debug)]
pub(super) struct Items<T: Weight> {
    all: Vec<T>,
    weight: usize,
    work: Rc<Work>,
}

impl<T: Weight> Items<T> {
    pub(super) fn new(work: &Rc<Work>) -> Self {
        Self { all: Vec::new(), weight: 0, work: work.clone() }
    }

    pub(super) fn push(&mut self, value: T) {
        let weight = value.weight();
        self.weight += weight;
        self.work.hold(weight);
        self.all.push(value);
    }

    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.work.release(std::mem::take(&mut self.weight));
    }

    /// Finishes the list.
    pub(super) fn finish(mut self, arrange: impl FnOnce(&mut Vec<T>)) -> Rc<Self> {
        arrange(&mut self.all);
        self.all.shrink_to_fit();
        Rc::new(self)
    }
}

impl<T: Weight> Drop for Items<T> {
    fn drop(&mut self) {
        self.work.release(self.weight);
    }
}

impl<T: Weight> Deref for Items<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.all
    }
}
