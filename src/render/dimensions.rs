//! Where things lie in a picture, in pixels.

use crate::rules::Square;
use crate::scene::Orientation;

/// The width and the height of every picture.
pub const SIDE: u32 = 736;

/// What stays free around the frame: some phones cut the rim of a square picture off, and a shadow falls there.
pub(super) const MARGIN: u32 = 14;

/// How broad the frame is.
pub(super) const FRAME: u32 = 46;

/// Where the board begins inside the frame, if it fills it.
pub(super) const INNER: u32 = MARGIN + FRAME;

/// The room for squares. Divisible by 11 and by 7, and nearly so by 9 and by 5.
pub(super) const ROOM: u32 = SIDE - 2 * INNER;

/// The dimensions of a board of some size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dimensions {
    /// How many squares a side has.
    pub(super) size: u32,
    /// How many pixels a side of a square has, its share of the gaps included.
    pub(super) cell: u32,
    /// Where the first square begins, from the left and from above.
    pub(super) origin: u32,
}

impl Dimensions {
    pub(super) const fn of(size: u8) -> Self {
        let size = size as u32;
        let cell = ROOM / size;
        Self { size, cell, origin: INNER + (ROOM - cell * size) / 2 }
    }

    /// Gives the column and the row of a square, counted from the left and from above.
    pub(super) fn place(self, square: Square, orientation: Orientation) -> (u32, u32) {
        let (file, rank, last) = (u32::from(square.file()), u32::from(square.rank()), self.size - 1);
        match orientation {
            Orientation::Upright => (file, last - rank),
            Orientation::Flipped => (last - file, rank),
        }
    }

    /// Gives the middle of a square, in pixels.
    pub(super) fn middle(self, square: Square, orientation: Orientation) -> (i32, i32) {
        let (column, row) = self.place(square, orientation);
        (self.along(column), self.along(row))
    }

    /// Gives the middle of a column or a row, in pixels.
    pub(super) const fn along(self, place: u32) -> i32 {
        (self.origin + place * self.cell + self.cell / 2) as i32
    }
}
