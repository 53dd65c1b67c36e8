//! Deflate for pictures of boards: one pass, with codes that were made beforehand.
//!
//! A board repeats itself at distances that are known: one row up, two squares to the left. Looking there first, and
//! once into a small table for everything else, takes half the time of a general compressor at its fastest level, and
//! the codes made for the theme spare a fifth of the bytes.

use super::huffman::{self, Bits, DISTANCES, LITERALS};
use simd_adler32::Adler32;
use std::ops::Range;

/// The symbol that ends a block.
const END: usize = 256;

/// The symbol of the shortest length.
const FIRST_LENGTH: usize = 257;

/// How many bytes one copy can have, at least and at most.
const SHORTEST: usize = 3;
const LONGEST: usize = 258;

/// How far back a copy can reach.
const WINDOW: usize = 32 * 1024;

/// How many bits of a hash are used: as many places are remembered.
const HASH_BITS: u32 = 12;

/// How many bytes are compared at once, and therefore how far before the end the search for copies stops.
const WORD: usize = 8;

/// The shortest copy that is looked for. A shorter one is hardly smaller than its bytes by themselves.
const SHORTEST_SOUGHT: usize = 4;

/// A copy of this length is taken without looking for a longer one.
const LONG: usize = 12;

/// What receives the parts into which data is taken apart.
trait Sink {
    fn literal(&mut self, byte: u8);
    fn copy(&mut self, length: usize, distance: usize);
}

/// Remembers where a few bytes were seen last.
pub(super) struct MatchFinder {
    seen: Box<[u32; 1 << HASH_BITS]>,
}

impl MatchFinder {
    pub(super) fn new() -> Self {
        Self { seen: Box::new([0; 1 << HASH_BITS]) }
    }

    /// Forgets the data that were taken apart before.
    fn forget(&mut self) {
        self.seen.fill(0);
    }

    /// Takes a part of the data apart into literals and copies of what stands before them.
    ///
    /// Repetitions are first looked for at the distances in `strides`.
    fn parse(&mut self, data: &[u8], part: Range<usize>, strides: [usize; 2], sink: &mut impl Sink) {
        let Range { start: mut at, end } = part;
        while at < end {
            let Some(here) = word(data, at) else { break };
            // No picture has more than 4 GB.
            let last = std::mem::replace(&mut self.seen[hash(here)], at as u32) as usize;
            let (mut length, mut from) = (0, 0);
            for earlier in [at.saturating_sub(strides[1]), at.saturating_sub(strides[0]), last] {
                if length < LONG && earlier < at && at - earlier <= WINDOW && begins_with(data, earlier, here) {
                    let found = common(data, at, earlier);
                    if found > length {
                        (length, from) = (found, earlier);
                    }
                }
            }
            length = length.min(end - at);
            if length < SHORTEST {
                sink.literal(here as u8);
                at += 1;
                continue;
            }
            sink.copy(length, at - from);
            let next = at + length;
            for passed in [at + 1, next - 2, next - 1] {
                if let Some(bytes) = word(data, passed) {
                    self.seen[hash(bytes)] = passed as u32;
                }
            }
            at = next;
        }
        data[at.min(end)..end].iter().for_each(|byte| sink.literal(*byte));
    }
}

/// Reads the next bytes, the first of them lowest.
#[inline]
fn word(data: &[u8], at: usize) -> Option<u64> {
    data.get(at..)?.first_chunk::<WORD>().map(|bytes| u64::from_le_bytes(*bytes))
}

/// Hashes the first four bytes of a word.
#[inline]
const fn hash(word: u64) -> usize {
    ((word as u32).wrapping_mul(0x9e37_79b1) >> (u32::BITS - HASH_BITS)) as usize
}

/// Tells whether the bytes at a place begin as a word does: with so many of the same that a copy is worth it.
#[inline]
fn begins_with(data: &[u8], at: usize, here: u64) -> bool {
    word(data, at).is_some_and(|there| there as u32 == here as u32)
}

/// Counts how many bytes are the same at two places, of which the first four are known to be.
#[inline]
fn common(data: &[u8], at: usize, earlier: usize) -> usize {
    let mut length = SHORTEST_SOUGHT;
    while length < LONGEST {
        let (Some(one), Some(other)) = (word(data, at + length), word(data, earlier + length)) else { break };
        let differ = one ^ other;
        if differ != 0 {
            length += (differ.trailing_zeros() / u8::BITS) as usize;
            break;
        }
        length += WORD;
    }
    length.min(LONGEST)
}

/// Codes for the pictures of a theme.
pub(super) struct Codes {
    strides: [usize; 2],
    header: Vec<Bits>,
    literals: [Bits; LITERALS],
    /// For each length from the shortest, its code and its extra bits.
    lengths: [Bits; 256],
    distances: [Bits; DISTANCES],
}

/// Counts symbols.
struct Counts {
    literals: [u32; LITERALS],
    distances: [u32; DISTANCES],
}

impl Sink for Counts {
    fn literal(&mut self, byte: u8) {
        self.literals[usize::from(byte)] += COUNT;
    }

    fn copy(&mut self, length: usize, distance: usize) {
        self.literals[FIRST_LENGTH + length_symbol(length).0] += COUNT;
        self.distances[distance_symbol(distance).0] += COUNT;
    }
}

/// What a symbol that is seen counts, next to 1 for each symbol that was not: every symbol needs a code.
const COUNT: u32 = 8;

impl Codes {
    /// Makes codes that suit data like these.
    pub(super) fn for_data_like(sample: &[u8], strides: [usize; 2], finder: &mut MatchFinder) -> Self {
        let mut counts = Counts { literals: [1; LITERALS], distances: [1; DISTANCES] };
        finder.forget();
        finder.parse(sample, 0..sample.len(), strides, &mut counts);
        let (literals, distances) = (huffman::codes(&counts.literals), huffman::codes(&counts.distances));
        let length = |length: usize| {
            let (symbol, extra, count) = length_symbol(length);
            literals[FIRST_LENGTH + symbol].then(extra as u64, count)
        };
        let lengths = std::array::from_fn(|offset| length(SHORTEST + offset));
        Self { strides, header: huffman::block_header(&literals, &distances), lengths, literals, distances }
    }
}

impl Codes {
    #[inline]
    fn literal(&self, byte: u8) -> Bits {
        self.literals[usize::from(byte)]
    }

    #[inline]
    fn copy(&self, length: usize, distance: usize) -> Bits {
        let (symbol, extra, count) = distance_symbol(distance);
        let code = self.distances[symbol];
        // At most 15 and 5, then 15 and 13 bits. A length less the shortest is a byte.
        self.lengths[usize::from((length - SHORTEST) as u8)].then(code.value, code.count).then(extra as u64, count)
    }

    /// Counts the bytes that are kept.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.header.capacity() * size_of::<Bits>()
    }
}

/// Returns the symbol of a length, counted from that of the shortest, its extra bits and how many there are.
const fn length_symbol(length: usize) -> (usize, usize, u32) {
    match length - SHORTEST {
        255 => (28, 0, 0),
        offset => grouped(offset, 4),
    }
}

/// Returns the symbol of a distance, its extra bits and how many there are.
const fn distance_symbol(distance: usize) -> (usize, usize, u32) {
    grouped(distance - 1, 2)
}

/// Splits a number as deflate does: for each further bit that it has, there are `groups` symbols.
const fn grouped(number: usize, groups: usize) -> (usize, usize, u32) {
    let count = (number | groups).ilog2() - groups.ilog2();
    let high = number >> count;
    (high + groups * count as usize, number & ((1 << count) - 1), count)
}

/// Parts of the data that are the same in every picture, compressed beforehand.
pub(super) struct FixedParts {
    parts: Vec<FixedPart>,
    bits: Vec<Bits>,
}

struct FixedPart {
    bytes: Range<usize>,
    bits: Range<usize>,
}

impl FixedParts {
    /// Compresses the fixed parts of a sample, which are those without `variable` bytes.
    pub(super) fn new(sample: &[u8], variable: u8, codes: &Codes, finder: &mut MatchFinder) -> Self {
        finder.forget();
        let (mut parts, mut all, mut at) = (Vec::new(), Vec::new(), 0);
        for run in sample.chunk_by(|one, other| (*one == variable) == (*other == variable)) {
            let bytes = at..at + run.len();
            at = bytes.end;
            if run[0] != variable {
                let start = all.len();
                let mut collector = Collector { codes, bits: &mut all, waiting: Bits::default(), symbols: 0 };
                finder.parse(sample, bytes.clone(), codes.strides, &mut collector);
                let (rest, symbols) = (collector.waiting, collector.symbols);
                all.push(rest);
                if symbols < WORTHWHILE {
                    all.truncate(start);
                } else {
                    parts.push(FixedPart { bytes, bits: start..all.len() });
                }
            }
        }
        Self { parts, bits: all }
    }

    /// Counts the bytes that are kept.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.parts.capacity() * size_of::<FixedPart>() + self.bits.capacity() * size_of::<Bits>()
    }
}

/// From how many symbols on a part is worth it: it cuts the copies around it off, which costs two symbols.
const WORTHWHILE: u32 = 6;

/// Collects codes, several of them together.
struct Collector<'a> {
    codes: &'a Codes,
    bits: &'a mut Vec<Bits>,
    waiting: Bits,
    symbols: u32,
}

impl Collector<'_> {
    fn add(&mut self, bits: Bits) {
        self.symbols += 1;
        if self.waiting.count + bits.count > MOST_BITS {
            self.bits.push(std::mem::take(&mut self.waiting));
        }
        self.waiting = self.waiting.then(bits.value, bits.count);
    }
}

impl Sink for Collector<'_> {
    fn literal(&mut self, byte: u8) {
        self.add(self.codes.literal(byte));
    }

    fn copy(&mut self, length: usize, distance: usize) {
        self.add(self.codes.copy(length, distance));
    }
}

/// How many bits can be written at once: 64 without those that wait for a byte to become whole.
const MOST_BITS: u32 = 56;

/// Writes codes as bytes.
struct Writer<'a> {
    codes: &'a Codes,
    out: &'a mut Vec<u8>,
    /// Where the next byte goes. What lies behind it is room.
    at: usize,
    waiting: Bits,
}

impl<'a> Writer<'a> {
    /// Writes behind what is there.
    fn new(codes: &'a Codes, out: &'a mut Vec<u8>) -> Self {
        let at = out.len();
        out.resize(out.capacity(), 0);
        Self { codes, out, at, waiting: Bits::default() }
    }

    /// Writes at most [`MOST_BITS`].
    #[inline]
    fn write(&mut self, bits: Bits) {
        let all = self.waiting.then(bits.value, bits.count);
        if self.at + WORD > self.out.len() {
            self.out.resize(2 * self.out.len() + WORD, 0);
        }
        // All eight bytes are written; those that are not whole yet are written again.
        self.out[self.at..self.at + WORD].copy_from_slice(&all.value.to_le_bytes());
        self.at += (all.count / u8::BITS) as usize;
        self.waiting = Bits { value: all.value >> (all.count & !7), count: all.count & 7 };
    }

    /// Ends the block and cuts off the room that is left.
    fn finish(mut self) {
        self.write(self.codes.literals[END]);
        // Zeros up to the next whole byte.
        self.write(Bits { value: 0, count: 7 });
        self.out.truncate(self.at);
    }
}

impl Sink for Writer<'_> {
    #[inline]
    fn literal(&mut self, byte: u8) {
        self.write(self.codes.literal(byte));
    }

    #[inline]
    fn copy(&mut self, length: usize, distance: usize) {
        self.write(self.codes.copy(length, distance));
    }
}

/// Appends the data as a zlib stream. The fixed parts must stand in the data as they stood in their sample.
pub(super) fn compress(data: &[u8], fixed: &FixedParts, codes: &Codes, finder: &mut MatchFinder, out: &mut Vec<u8>) {
    // A window of 32 KB, and the fastest way of compressing.
    out.extend_from_slice(&[0x78, 0x01]);
    let mut writer = Writer::new(codes, out);
    codes.header.iter().for_each(|bits| writer.write(*bits));
    finder.forget();
    let mut at = 0;
    for part in &fixed.parts {
        finder.parse(data, at..part.bytes.start, codes.strides, &mut writer);
        fixed.bits[part.bits.clone()].iter().for_each(|bits| writer.write(*bits));
        at = part.bytes.end;
    }
    finder.parse(data, at..data.len(), codes.strides, &mut writer);
    writer.finish();
    let mut checksum = Adler32::new();
    checksum.write(data);
    out.extend_from_slice(&checksum.finish().to_be_bytes());
}
