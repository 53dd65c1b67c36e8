//! Canvases and buffers, which are reused from picture to picture.

use super::dimensions::PICTURE_SIZE;
use super::match_finder::MatchFinder;
use std::sync::{Mutex, PoisonError};

/// The filter byte of each row: no filter, because differences between palette indices have no meaning.
pub(super) const NO_FILTER: u8 = 0;

/// The length of a row in bytes, with its filter byte.
pub(super) const ROW: usize = PICTURE_SIZE as usize + 1;

/// A picture as rows of palette indices, each after a filter byte, as PNG stores them.
pub(super) struct Canvas {
    rows: Vec<u8>,
}

impl Canvas {
    fn new() -> Self {
        Self { rows: vec![NO_FILTER; ROW * PICTURE_SIZE as usize] }
    }

    /// Returns all rows.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.rows
    }

    /// Returns the rows with their filter bytes.
    pub(super) fn rows_mut(&mut self) -> impl Iterator<Item = &mut [u8]> {
        self.rows.chunks_exact_mut(ROW)
    }

    /// Returns whether a square of this side fits at a place.
    pub(super) const fn has_room(left: usize, top: usize, side: usize) -> bool {
        left + side <= PICTURE_SIZE as usize && top + side <= PICTURE_SIZE as usize
    }

    /// Returns a part of a row, which must be within the canvas.
    #[inline]
    pub(super) fn pixels(&mut self, left: usize, row: usize, length: usize) -> &mut [u8] {
        let start = row * ROW + 1 + left;
        &mut self.rows[start..start + length]
    }
}

/// The buffers for one picture.
pub(super) struct Workspace {
    pub(super) canvas: Canvas,
    pub(super) finder: MatchFinder,
    pub(super) compressed: Vec<u8>,
}

impl Workspace {
    /// Allocates the buffers.
    pub(super) fn new() -> Self {
        Self { canvas: Canvas::new(), finder: MatchFinder::new(), compressed: Vec::new() }
    }
}

/// How many idle workspaces are kept. Each has about 0.7 MB, and more threads than this seldom paint at once.
const MAX_IDLE: usize = 2;

/// Idle workspaces, to be used again: mapping half a megabyte for each picture takes longer than composing it.
#[derive(Default)]
pub(super) struct WorkspacePool {
    idle: Mutex<Vec<Workspace>>,
}

impl WorkspacePool {
    /// Runs a function with a workspace, which still holds the last picture.
    pub(super) fn with<R>(&self, work: impl FnOnce(&mut Workspace) -> R) -> R {
        // A panic cannot leave the list in a bad state: it is only pushed to and popped from.
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = idle().pop();
        let mut workspace = waiting.unwrap_or_else(Workspace::new);
        let result = work(&mut workspace);
        let mut idle = idle();
        if idle.len() < MAX_IDLE {
            idle.push(workspace);
        }
        result
    }
}
