//! Finds repetitions in pictures of boards, for the compressor.
//!
//! A board repeats itself at known distances: one row up, two squares to the left. The finder looks there first, and then
//! at one place that a small table remembers. A general compressor at its fastest level takes longer and finds less.

use std::ops::Range;

/// The lengths that one copy can have.
pub(super) const SHORTEST: usize = 3;
pub(super) const LONGEST: usize = 258;

/// How far back a copy can reach.
const WINDOW: usize = 32 * 1024;

/// The number of bits of a hash. The table has one place for each hash.
const HASH_BITS: u32 = 12;

/// How many bytes are compared at once.
const WORD: usize = 8;

/// The shortest copy that is looked for. Shorter ones save next to nothing.
const SHORTEST_SOUGHT: usize = 4;

/// Where to look for copies, and for how long.
#[derive(Clone, Copy)]
pub(super) struct Search {
    /// The distances at which copies are looked for first.
    pub(super) strides: [usize; 2],
    /// Whether to look for the longest copy there is, including one that begins a byte later. That makes smaller
    /// pictures and takes longer.
    pub(super) thorough: bool,
}

/// A copy of this length is taken without looking for a longer one, unless the search is thorough.
const LONG_ENOUGH: usize = 12;

/// Receives data as literals and copies of earlier data.
pub(super) trait Sink {
    fn literal(&mut self, byte: u8);
    fn copy(&mut self, length: usize, distance: usize);
}

/// Remembers where bytes were seen last.
pub(super) struct MatchFinder {
    seen: Box<[u32; 1 << HASH_BITS]>,
}

impl MatchFinder {
    /// Creates a finder that has seen nothing.
    pub(super) fn new() -> Self {
        Self { seen: Box::new([0; 1 << HASH_BITS]) }
    }

    /// Forgets everything, before other data.
    pub(super) fn reset(&mut self) {
        self.seen.fill(0);
    }

    /// Splits a part of the data into literals and copies of what is before them.
    pub(super) fn parse(&mut self, data: &[u8], part: Range<usize>, search: Search, sink: &mut impl Sink) {
        let Range { start: mut at, end } = part;
        while at < end {
            let Some(here) = word(data, at) else { break };
            let (mut length, mut from) = self.longest(data, at, here, search);
            if length.min(end - at) < SHORTEST {
                sink.literal(here as u8);
                at += 1;
                continue;
            }
            while search.thorough
                && at + 1 + length < end
                && let Some(next) = word(data, at + 1)
            {
                let later = self.longest(data, at + 1, next, search);
                if later.0 <= length {
                    break;
                }
                sink.literal(data[at]);
                at += 1;
                (length, from) = later;
            }
            let length = length.min(end - at);
            sink.copy(length, at - from);
            let next = at + length;
            // Remembering every place would take longer than it saves bytes.
            for passed in [at + 1, next - 2, next - 1] {
                if let Some(bytes) = word(data, passed) {
                    self.remember(bytes, passed);
                }
            }
            at = next;
        }
        data[at.min(end)..end].iter().for_each(|byte| sink.literal(*byte));
    }

    /// Returns the length of the longest copy that is found and the place where it begins, or a length of 0.
    #[inline(always)]
    fn longest(&mut self, data: &[u8], at: usize, here: u64, search: Search) -> (usize, usize) {
        let Search { strides, thorough } = search;
        let last = self.remember(here, at);
        let mut best = (0, 0);
        for earlier in [at.saturating_sub(strides[0]), at.saturating_sub(strides[1]), last] {
            if (thorough || best.0 < LONG_ENOUGH)
                && earlier < at
                && at - earlier <= WINDOW
                && begins_alike(data, earlier, here)
            {
                let length = common_length(data, at, earlier);
                if length > best.0 {
                    best = (length, earlier);
                }
            }
        }
        best
    }

    /// Remembers where bytes are, and returns where bytes like them were seen last.
    #[inline]
    fn remember(&mut self, bytes: u64, at: usize) -> usize {
        // No picture has more than 4 GB.
        std::mem::replace(&mut self.seen[hash(bytes)], at as u32) as usize
    }
}

/// Reads the next bytes as a number, the first byte lowest.
#[inline]
fn word(data: &[u8], at: usize) -> Option<u64> {
    data.get(at..)?.first_chunk::<WORD>().map(|bytes| u64::from_le_bytes(*bytes))
}

/// Hashes the first four bytes of a word.
#[inline]
const fn hash(word: u64) -> usize {
    ((word as u32).wrapping_mul(0x9e37_79b1) >> (u32::BITS - HASH_BITS)) as usize
}

/// Returns whether the first four bytes at a place are those of a word.
#[inline]
fn begins_alike(data: &[u8], at: usize, here: u64) -> bool {
    word(data, at).is_some_and(|there| there as u32 == here as u32)
}

/// Counts the equal bytes at two places. The first four are known to be equal.
#[inline]
fn common_length(data: &[u8], at: usize, earlier: usize) -> usize {
    let mut length = SHORTEST_SOUGHT;
    while length < LONGEST {
        let (Some(one), Some(other)) = (word(data, at + length), word(data, earlier + length)) else { break };
        let difference = one ^ other;
        if difference != 0 {
            length += (difference.trailing_zeros() / u8::BITS) as usize;
            break;
        }
        length += WORD;
    }
    length.min(LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Puts data together again.
    struct Copier(Vec<u8>);

    impl Sink for Copier {
        fn literal(&mut self, byte: u8) {
            self.0.push(byte);
        }

        fn copy(&mut self, length: usize, distance: usize) {
            assert!((SHORTEST..=LONGEST).contains(&length) && (1..=WINDOW).contains(&distance));
            for _ in 0..length {
                self.0.push(self.0[self.0.len() - distance]);
            }
        }
    }

    #[test]
    fn tokens_reproduce_the_input() {
        const LENGTHS: [usize; 8] = [0, 1, 7, 8, 9, 300, 5000, 70_000];
        let mut finder = MatchFinder::new();
        for (thorough, length) in
            [false, true].into_iter().flat_map(|thorough| LENGTHS.map(|length| (thorough, length)))
        {
            let search = Search { strides: [24, 90], thorough };
            let data: Vec<u8> = (0..length).map(|n: usize| (n / 3 % 7 * (n / 1000 % 5)) as u8).collect();
            for cut in [0, length / 3, length] {
                let mut copier = Copier(Vec::new());
                finder.reset();
                finder.parse(&data, 0..cut, search, &mut copier);
                finder.parse(&data, cut..length, search, &mut copier);
                assert!(copier.0 == data, "{length} bytes cut at {cut}, thorough: {thorough}");
            }
        }
    }
}
