//! Deflate for pictures of boards: one pass, with codes that were made beforehand.
//!
//! A board repeats itself at distances that are known: one row up, two squares to the left. Looking there first, and
//! once into a small table for everything else, takes half the time of a general compressor at its fastest level, and
//! the codes made for the theme spare a fifth of the bytes.

use super::huffman::{self, Bits, DISTANCES, LITERALS};

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

/// What receives the parts into which data is taken apart.
trait Sink {
    fn literal(&mut self, byte: u8);
    fn copy(&mut self, length: usize, distance: usize);
}

/// Remembers where a few bytes were seen last.
pub(super) struct MatchFinder {
    seen: Vec<u32>,
}

impl MatchFinder {
    pub(super) fn new() -> Self {
        Self { seen: vec![0; 1 << HASH_BITS] }
    }

    /// Takes data apart into literals and copies. Repetitions are first looked for at the distances in `strides`.
    fn parse(&mut self, data: &[u8], strides: [usize; 2], sink: &mut impl Sink) {
        let Some((first, _)) = data.split_first() else { return };
        self.seen.fill(0);
        sink.literal(*first);
        let mut at = 1;
        while let Some(here) = word(data, at) {
            // Every earlier place may be tried, because what stands there is compared. No picture has more than 4 GB.
            let last = std::mem::replace(&mut self.seen[hash(here)], at as u32) as usize;
            let last = if at - last > WINDOW { at - 1 } else { last };
            let above = at.saturating_sub(strides[0]);
            let left = at.saturating_sub(strides[1]);
            let best = rank(data, here, last, 0).max(rank(data, here, above, 1)).max(rank(data, here, left, 2));
            let (mut length, from) = (best >> 2, [last, above, left, 0][best & 3]);
            if length < SHORTEST || length == SHORTEST && at - from > 64 {
                sink.literal(here as u8);
                at += 1;
                continue;
            }
            if length == WORD - 1 {
                length = common(data, at, from);
            }
            sink.copy(length, at - from);
            let end = at + length;
            for passed in [at + 1, end - 1] {
                if let Some(bytes) = word(data, passed) {
                    self.seen[hash(bytes)] = passed as u32;
                }
            }
            at = end;
        }
        data[at.min(data.len())..].iter().for_each(|byte| sink.literal(*byte));
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

#[inline]
fn rank(data: &[u8], here: u64, earlier: usize, tag: usize) -> usize {
    let there = word(data, earlier).unwrap_or(!here);
    // The highest bit is never zero
    let length = ((here ^ there) | 1 << 63).trailing_zeros() / u8::BITS;
    (length as usize) << 2 | tag
}

/// Counts how many bytes are the same at two places.
#[inline]
fn common(data: &[u8], at: usize, earlier: usize) -> usize {
    let mut length = WORD - 1;
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
    literals: Vec<Bits>,
    /// For each length from the shortest, its code and its extra bits.
    lengths: Vec<Bits>,
    distances: Vec<Bits>,
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
        finder.parse(sample, strides, &mut counts);
        let (literals, distances) = (huffman::codes(&counts.literals), huffman::codes(&counts.distances));
        let length = |length: usize| {
            let (symbol, extra, count) = length_symbol(length);
            literals[FIRST_LENGTH + symbol].then(extra as u64, count)
        };
        let lengths = (SHORTEST..=LONGEST).map(length).collect();
        Self { strides, header: huffman::block_header(&literals, &distances), lengths, literals, distances }
    }
}

#[cfg(test)]
impl Codes {
    /// Counts the bytes that are kept.
    pub(super) fn bytes(&self) -> usize {
        let Self { header, literals, lengths, distances, .. } = self;
        [header, literals, lengths, distances].map(Vec::capacity).iter().sum::<usize>() * size_of::<Bits>()
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
    if number < 2 * groups {
        return (number, 0, 0);
    }
    let count = number.ilog2() - groups.ilog2();
    let high = number >> count;
    (high + groups * count as usize, number & ((1 << count) - 1), count)
}

/// Writes codes as bytes.
struct Writer<'a> {
    codes: &'a Codes,
    out: &'a mut Vec<u8>,
    waiting: Bits,
}

impl Writer<'_> {
    #[inline]
    fn write(&mut self, bits: Bits) {
        let all = self.waiting.then(bits.value, bits.count);
        let whole = all.count & !7;
        // Eight bytes are written, and those that are not whole yet are written again.
        self.out.extend_from_slice(&all.value.to_le_bytes());
        self.out.truncate(self.out.len() - WORD + whole as usize / 8);
        self.waiting = Bits { value: all.value >> whole, count: all.count & 7 };
    }
}

impl Sink for Writer<'_> {
    #[inline]
    fn literal(&mut self, byte: u8) {
        self.write(self.codes.literals[usize::from(byte)]);
    }

    #[inline]
    fn copy(&mut self, length: usize, distance: usize) {
        let (symbol, extra, count) = distance_symbol(distance);
        let code = self.codes.distances[symbol];
        let length = self.codes.lengths[length - SHORTEST];
        // At most 15 and 5, then 15 and 13 bits: they fit.
        self.write(length.then(code.value, code.count).then(extra as u64, count));
    }
}

/// Appends the data as a zlib stream.
pub(super) fn compress(data: &[u8], codes: &Codes, finder: &mut MatchFinder, out: &mut Vec<u8>) {
    // A window of 32 KB, and the fastest way of compressing.
    out.extend_from_slice(&[0x78, 0x01]);
    let mut writer = Writer { codes, out, waiting: Bits::default() };
    codes.header.iter().for_each(|bits| writer.write(*bits));
    finder.parse(data, codes.strides, &mut writer);
    writer.write(codes.literals[END]);
    writer.write(Bits { value: 0, count: 7 });
    out.extend_from_slice(&adler32(data).to_be_bytes());
}

/// Returns the checksum that ends a zlib stream.
fn adler32(data: &[u8]) -> u32 {
    const MODULUS: u32 = 65521;
    /// Short enough that the sums below fit into 32 bits.
    const BLOCK: usize = 1024;
    let (mut sum, mut sum_of_sums) = (1_u32, 0_u32);
    for block in data.chunks(BLOCK) {
        let length = block.len() as u32;
        let plain: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
        let weighted: u32 = block.iter().zip(0_u16..).map(|(byte, place)| u32::from(*byte) * u32::from(place)).sum();
        sum_of_sums = (sum_of_sums + sum * length % MODULUS + plain * length - weighted) % MODULUS;
        sum = (sum + plain) % MODULUS;
    }
    sum_of_sums << 16 | sum
}
