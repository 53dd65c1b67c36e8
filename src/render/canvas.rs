//! The canvas on which a picture is composed, and the buffers in which it is compressed, kept for the next picture.

use super::deflate::MatchFinder;
use super::dimensions::SIDE;
use std::sync::{Mutex, PoisonError};

/// The filter byte before each row: the row is written as it is. Differences between palette numbers mean nothing, so
/// that no filter of PNG makes them smaller.
pub(super) const NO_FILTER: u8 = 0;

/// How many bytes a row of palette numbers has, with its filter byte.
pub(super) const ROW: usize = SIDE as usize + 1;

/// Rows of palette numbers as PNG wants them.
pub(super) struct Canvas {
    rows: Vec<u8>,
}

impl Canvas {
    fn new() -> Self {
        Self { rows: vec![NO_FILTER; ROW * SIDE as usize] }
    }

    /// Returns everything, row by row.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.rows
    }

    /// Returns the rows, to be filled.
    pub(super) fn rows_mut(&mut self) -> impl Iterator<Item = &mut [u8]> {
        self.rows.chunks_exact_mut(ROW)
    }

    /// Tells whether a square of this side fits at a place.
    pub(super) const fn has_room(left: usize, top: usize, side: usize) -> bool {
        left + side <= SIDE as usize && top + side <= SIDE as usize
    }

    /// Returns a part of a row.
    #[inline]
    pub(super) fn pixels(&mut self, left: usize, row: usize, length: usize) -> &mut [u8] {
        let start = row * ROW + 1 + left;
        &mut self.rows[start..start + length]
    }
}

/// What is needed to paint one picture.
pub(super) struct Workspace {
    pub(super) canvas: Canvas,
    pub(super) finder: MatchFinder,
    pub(super) compressed: Vec<u8>,
}

impl Workspace {
    pub(super) fn new() -> Self {
        Self { canvas: Canvas::new(), finder: MatchFinder::new(), compressed: Vec::new() }
    }
}

/// How many workspaces are kept while nobody paints. One has about 0.7 MB, and painting takes less than a millisecond.
const KEPT: usize = 2;

/// Workspaces that wait to be used again: mapping half a megabyte anew for each picture costs more than composing it.
#[derive(Default)]
pub(super) struct WorkspacePool {
    idle: Mutex<Vec<Workspace>>,
}

impl WorkspacePool {
    /// Lends a workspace, with whatever the last picture left in it.
    pub(super) fn with<R>(&self, work: impl FnOnce(&mut Workspace) -> R) -> R {
        // A workspace is valid whatever is in it, so a panic elsewhere does not matter here.
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = idle().pop();
        let mut workspace = waiting.unwrap_or_else(Workspace::new);
        let result = work(&mut workspace);
        let mut idle = idle();
        if idle.len() < KEPT {
            idle.push(workspace);
        }
        result
    }
}
