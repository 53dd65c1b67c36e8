//! The dimensions of a picture in pixels, and where squares are.

use crate::board_view::Orientation;
use crate::rules::Square;

/// The width and the height of every picture.
pub const PICTURE_SIZE: u32 = 736;

/// The margin around the frame. Some phones crop it, and the shadow of the frame falls on it.
pub(super) const MARGIN: u32 = 14;

/// The width of the frame.
pub(super) const FRAME: u32 = 46;

/// The distance from the edge of the picture to the inside of the frame.
pub(super) const INNER: u32 = MARGIN + FRAME;

/// The space for squares. It is divisible by 11 and 7, and nearly by 9 and 5.
const ROOM: u32 = PICTURE_SIZE - 2 * INNER;

/// The dimensions of a board with a given number of squares.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dimensions {
    /// The number of squares along a side.
    pub(super) size: u32,
    /// The side of a square in pixels, with its share of the gaps.
    pub(super) cell: u32,
    /// The distance of the first square from the left and from the top.
    pub(super) origin: u32,
}

impl Dimensions {
    /// Returns the dimensions of a board with this many squares along a side.
    pub(super) const fn of(size: u8) -> Self {
        let size = size as u32;
        let cell = ROOM / size;
        Self { size, cell, origin: INNER + (ROOM - cell * size) / 2 }
    }

    /// Returns the column and the row of a square, counted from the left and from the top.
    pub(super) fn column_and_row(self, square: Square, orientation: Orientation) -> (u32, u32) {
        let (file, rank, last) = (u32::from(square.file()), u32::from(square.rank()), self.size - 1);
        match orientation {
            Orientation::Upright => (file, last - rank),
            Orientation::Flipped => (last - file, rank),
        }
    }

    /// Returns the middle of a square.
    pub(super) fn middle(self, square: Square, orientation: Orientation) -> (i32, i32) {
        let (column, row) = self.column_and_row(square, orientation);
        (self.middle_of(column), self.middle_of(row))
    }

    /// Returns the middle of a column, counted from the left, or of a row, counted from the top.
    pub(super) const fn middle_of(self, index: u32) -> i32 {
        (self.origin + index * self.cell + self.cell / 2) as i32
    }
}
