//! The moves of a record, shared between its copies.

use super::apply::Played;
use std::fmt;
use std::ops::Index;
use std::sync::Arc;

/// How many plies a block holds. A push copies at most this many, and a copy of the record none.
const BLOCK: usize = 16;

/// The moves that were made, from the first one on.
///
/// Copies share their moves: cloning counts references, and a push to one copy leaves the other one alone. That is
/// why this is not a slice. Moves are kept in blocks, of which only the last one ever changes:
///
/// ```
/// use ratatosk::rules::Variant;
///
/// let variant = Variant::find("brandubh").unwrap();
/// let mut game = variant.new_record(variant.default_layout());
/// let before = game.clone();
/// game.play_typed("d1-c1")?;
/// assert_eq!((before.plies().len(), game.plies().len()), (0, 1));
/// assert_eq!(game.plies()[0].to_string(), "d1-c1");
/// # Ok::<(), ratatosk::rules::IllegalMove>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Plies {
    /// Blocks of exactly `BLOCK` plies.
    full: Arc<Vec<Block>>,
    /// The plies after those, fewer than `BLOCK`.
    tail: Block,
}

type Block = Arc<Vec<Played>>;

impl Plies {
    /// Returns the number of moves.
    #[must_use]
    pub fn len(&self) -> usize {
        self.full.len() * BLOCK + self.tail.len()
    }

    /// Returns whether no move was made.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a move, counted from 0.
    #[must_use]
    pub fn get(&self, ply: usize) -> Option<&Played> {
        self.full.get(ply / BLOCK).unwrap_or(&self.tail).get(ply % BLOCK).filter(|_| ply < self.len())
    }

    /// Returns the last move.
    #[must_use]
    pub fn last(&self) -> Option<&Played> {
        self.tail.last().or_else(|| self.full.last()?.last())
    }

    /// Returns the moves from the first to the last.
    pub fn iter(&self) -> Iter<'_> {
        Iter { plies: self, next: 0, end: self.len() }
    }

    /// Adds a move.
    pub(super) fn push(&mut self, played: Played) {
        match Arc::get_mut(&mut self.tail) {
            Some(tail) => tail.push(played),
            None => {
                let mut tail = Vec::with_capacity(self.tail.len() + 1);
                tail.extend_from_slice(&self.tail);
                tail.push(played);
                self.tail = Arc::new(tail);
            }
        }
        if self.tail.len() == BLOCK {
            Arc::make_mut(&mut self.full).push(std::mem::take(&mut self.tail));
        }
    }

    /// Drops all moves but the first ones.
    pub(super) fn truncate(&mut self, len: usize) {
        if len >= self.len() {
            return;
        }
        let (blocks, rest) = (len / BLOCK, len % BLOCK);
        let last = self.full.get(blocks).unwrap_or(&self.tail);
        self.tail = Arc::new(last[..rest].to_vec());
        if blocks < self.full.len() {
            Arc::make_mut(&mut self.full).truncate(blocks);
        }
    }
}

impl Index<usize> for Plies {
    type Output = Played;

    fn index(&self, ply: usize) -> &Played {
        let block = self.full.get(ply / BLOCK).unwrap_or(&self.tail);
        assert!(ply < self.len(), "ply {ply} of {}", self.len());
        &block[ply % BLOCK]
    }
}

impl fmt::Debug for Plies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl<'p> IntoIterator for &'p Plies {
    type Item = &'p Played;
    type IntoIter = Iter<'p>;

    fn into_iter(self) -> Iter<'p> {
        self.iter()
    }
}

/// Moves of a record, from either end.
#[derive(Clone, Debug)]
pub struct Iter<'p> {
    plies: &'p Plies,
    next: usize,
    end: usize,
}

impl<'p> Iterator for Iter<'p> {
    type Item = &'p Played;

    fn next(&mut self) -> Option<&'p Played> {
        self.nth(0)
    }

    fn nth(&mut self, skipped: usize) -> Option<&'p Played> {
        self.next = self.next.saturating_add(skipped).min(self.end);
        let found = (self.next < self.end).then(|| &self.plies[self.next]);
        self.next += usize::from(found.is_some());
        found
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.end - self.next, Some(self.end - self.next))
    }
}

impl DoubleEndedIterator for Iter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        (self.next < self.end).then(|| {
            self.end -= 1;
            &self.plies[self.end]
        })
    }
}

impl ExactSizeIterator for Iter<'_> {}

#[cfg(test)]
mod tests {
    use super::super::random::walk;
    use super::*;

    fn some_plies(count: usize) -> Vec<Played> {
        let first = |(rulebook, position): (super::super::Rulebook, _)| {
            rulebook.legal_moves(&position).next().map(|mv| rulebook.apply(&position, mv))
        };
        walk(count).filter_map(first).collect()
    }

    fn pushed(from: &[Played]) -> Plies {
        let mut plies = Plies::default();
        from.iter().for_each(|played| plies.push(*played));
        plies
    }

    #[test]
    fn plies_behave_like_a_vector_at_every_length() {
        let all = some_plies(3 * BLOCK + 2);
        for len in 0..=all.len() {
            let plies = pushed(&all[..len]);
            assert_eq!((plies.len(), plies.is_empty(), plies.last()), (len, len == 0, all[..len].last()));
            assert!(plies.iter().eq(&all[..len]) && plies.iter().rev().eq(all[..len].iter().rev()));
            for at in 0..len + 2 * BLOCK {
                assert_eq!(plies.get(at), all[..len].get(at));
                assert!(plies.iter().skip(at).eq(all[..len].iter().skip(at)));
            }
            for shorter in 0..len + 2 {
                let mut cut = plies.clone();
                cut.truncate(shorter);
                assert_eq!(cut, pushed(&all[..len.min(shorter)]));
                cut.push(all[0]);
                assert_eq!(cut.last(), Some(&all[0]));
                assert!(plies.iter().eq(&all[..len]), "a copy was changed with the other one");
            }
        }
    }

    #[test]
    fn copies_share_their_moves() {
        let all = some_plies(10 * BLOCK);
        let plies = pushed(&all[..all.len() - 1]);
        let copy = plies.clone();
        assert!(
            std::ptr::eq(&plies[0], &copy[0])
                && plies.last().map(std::ptr::from_ref) == copy.last().map(std::ptr::from_ref)
        );
        let mut longer = plies.clone();
        longer.push(all[0]);
        let shared = plies.iter().zip(&longer).filter(|(one, other)| std::ptr::eq(*one, *other)).count();
        assert_eq!(shared, plies.len() - (BLOCK - 1), "a push copies no more than the last block");
    }
}
