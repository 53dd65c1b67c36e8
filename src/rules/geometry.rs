//! Which squares are beside, behind and in line with each other: tables made at compile time.

use super::square::{MAX_SIZE, Square, SquareSet};

/// The four directions: up, right, down, left.
pub(super) const DIRECTIONS: usize = 4;

const STEPS: [(i8, i8); DIRECTIONS] = [(0, 1), (1, 0), (0, -1), (-1, 0)];

/// How many of the directions lead to higher square numbers: up and right. Down and left lead to lower ones.
const ASCENDING: usize = 2;

/// A set of squares for each direction from each square.
type Table = [[SquareSet; DIRECTIONS]; Square::COUNT];

/// The square next to each one in each direction, or none beyond the largest board.
pub(super) static NEXT: Table = at_distances(1, 1);

/// The square two steps away from each one in each direction, or none beyond the largest board.
pub(super) static BEHIND: Table = at_distances(2, 2);

/// The squares that share a side with each one.
pub(super) static BESIDE: [SquareSet; Square::COUNT] = around(false);

/// The squares that share a side or a corner with each one.
pub(super) static AROUND: [SquareSet; Square::COUNT] = around(true);

/// All squares in each direction up to the edge of the largest board.
static RAYS: Table = at_distances(1, MAX_SIZE as i8 - 1);

const fn bit(file: i8, rank: i8) -> u128 {
    if file < 0 || rank < 0 || file >= MAX_SIZE as i8 || rank >= MAX_SIZE as i8 {
        0
    } else {
        1 << (file as u8 * MAX_SIZE + rank as u8)
    }
}

const fn file_and_rank(index: usize) -> (i8, i8) {
    ((index / MAX_SIZE as usize) as i8, (index % MAX_SIZE as usize) as i8)
}

/// Returns the squares from the nearest to the farthest distance in each direction from each square.
const fn at_distances(nearest: i8, farthest: i8) -> Table {
    let mut table = [[SquareSet::EMPTY; DIRECTIONS]; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        let (file, rank) = file_and_rank(index);
        let mut way = 0;
        while way < DIRECTIONS {
            let (right, up) = STEPS[way];
            let (mut bits, mut distance) = (0, nearest);
            while distance <= farthest {
                bits |= bit(file + right * distance, rank + up * distance);
                distance += 1;
            }
            table[index][way] = SquareSet::from_bits(bits);
            way += 1;
        }
        index += 1;
    }
    table
}

const fn around(corners_too: bool) -> [SquareSet; Square::COUNT] {
    let mut table = [SquareSet::EMPTY; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        let (file, rank) = file_and_rank(index);
        let mut bits = bit(file, rank + 1) | bit(file + 1, rank) | bit(file, rank - 1) | bit(file - 1, rank);
        if corners_too {
            bits |= bit(file - 1, rank + 1) | bit(file + 1, rank + 1);
            bits |= bit(file - 1, rank - 1) | bit(file + 1, rank - 1);
        }
        table[index] = SquareSet::from_bits(bits);
        index += 1;
    }
    table
}

/// Returns the squares that can be reached in a straight line before the first blocker in each direction.
pub(super) fn reach(from: Square, blockers: SquareSet) -> SquareSet {
    let rays = &RAYS[from.index()];
    let blockers = blockers.bits();
    let mut reached = 0;
    for ray in &rays[..ASCENDING] {
        // The nearest blocker is the lowest bit; with none, the subtraction wraps to all ones.
        let blocked = ray.bits() & blockers;
        reached |= ray.bits() & (blocked & blocked.wrapping_neg()).wrapping_sub(1);
    }
    for ray in &rays[ASCENDING..] {
        // The nearest blocker is the highest bit; bit 0 is used if there is none.
        let blocked = ray.bits() & blockers;
        reached |= ray.bits() & (u128::MAX << (127 - (blocked | 1).leading_zeros()));
    }
    SquareSet::from_bits(reached & !blockers)
}

/// Returns the squares of the board in each direction.
pub(super) fn lines(from: Square, board: SquareSet) -> [SquareSet; DIRECTIONS] {
    RAYS[from.index()].map(|ray| ray & board)
}

/// Returns the squares strictly between two squares of one line, nearest to `from` first.
///
/// Returns nothing for squares that are not in line.
pub(super) fn between(from: Square, to: Square) -> impl Iterator<Item = Square> {
    let (files, ranks) = (to.file() as i8 - from.file() as i8, to.rank() as i8 - from.rank() as i8);
    let distance = if files == 0 || ranks == 0 { files.abs().max(ranks.abs()) } else { 0 };
    let step = files.signum() * MAX_SIZE as i8 + ranks.signum();
    (1..distance).map(move |n| Square::from_index((from.index() as i8 + step * n) as u8))
}

/// Returns the squares of `board` that share a side with any square of the set.
pub(super) fn grow(set: SquareSet, board: SquareSet) -> SquareSet {
    (right_of(set) | left_of(set) | up_and_down(set)) & board
}

/// Returns whether any square of one set shares a side with one of the other.
pub(super) fn any_beside(set: SquareSet, other: SquareSet) -> bool {
    // The first test nearly always decides.
    right_of(set).meets(other) || left_of(set).meets(other) || up_and_down(set).meets(other)
}

fn right_of(set: SquareSet) -> SquareSet {
    SquareSet::from_bits(set.bits() << MAX_SIZE)
}

fn left_of(set: SquareSet) -> SquareSet {
    SquareSet::from_bits(set.bits() >> MAX_SIZE)
}

fn up_and_down(set: SquareSet) -> SquareSet {
    let up = (set.bits() & !HIGHEST_RANK) << 1;
    let down = (set.bits() & !LOWEST_RANK) >> 1;
    SquareSet::from_bits(up | down)
}

const LOWEST_RANK: u128 = lowest_rank();
const HIGHEST_RANK: u128 = LOWEST_RANK << (MAX_SIZE - 1);

const fn lowest_rank() -> u128 {
    let (mut bits, mut file) = (0, 0);
    while file < MAX_SIZE as i8 {
        bits |= bit(file, 0);
        file += 1;
    }
    bits
}
