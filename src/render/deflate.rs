//! Writes zlib streams of pictures in one pass, with codes that are prepared for a theme.

use super::huffman::{self, Bits, DISTANCES, LITERALS};
use super::match_finder::{MatchFinder, SHORTEST, Search, Sink};
use simd_adler32::Adler32;
use std::ops::Range;

/// The symbol that ends a block.
const END: usize = 256;

/// The symbol of the shortest length.
const FIRST_LENGTH: usize = 257;

/// How many bytes are written at once.
const WORD: usize = 8;

/// Huffman codes for the pictures of a theme, and where those pictures repeat themselves.
pub(super) struct Codes {
    search: Search,
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

/// How much each occurrence of a symbol counts. Every symbol starts with 1, because all of them need a code.
const COUNT: u32 = 8;

impl Codes {
    /// Makes codes that suit data like the sample.
    pub(super) fn for_data_like(sample: &[u8], search: Search, finder: &mut MatchFinder) -> Self {
        let mut counts = Counts { literals: [1; LITERALS], distances: [1; DISTANCES] };
        finder.reset();
        finder.parse(sample, 0..sample.len(), search, &mut counts);
        let (literals, distances) = (huffman::codes(&counts.literals), huffman::codes(&counts.distances));
        let length = |length: usize| {
            let (symbol, extra, count) = length_symbol(length);
            literals[FIRST_LENGTH + symbol].then(extra as u64, count)
        };
        let lengths = std::array::from_fn(|offset| length(SHORTEST + offset));
        Self { search, header: huffman::block_header(&literals, &distances), lengths, literals, distances }
    }

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

/// Compressed parts of the data that are the same in every picture.
pub(super) struct FixedParts {
    parts: Vec<FixedPart>,
    bits: Vec<Bits>,
}

struct FixedPart {
    bytes: Range<usize>,
    bits: Range<usize>,
}

impl FixedParts {
    /// Compresses all parts of a sample without `variable` bytes, if that is worth it.
    pub(super) fn new(sample: &[u8], variable: u8, codes: &Codes, finder: &mut MatchFinder) -> Self {
        finder.reset();
        let (mut parts, mut all, mut at) = (Vec::new(), Vec::new(), 0);
        for run in sample.chunk_by(|one, other| (*one == variable) == (*other == variable)) {
            let bytes = at..at + run.len();
            at = bytes.end;
            if run[0] != variable {
                let start = all.len();
                let mut collector = Collector { codes, bits: &mut all, waiting: Bits::default(), symbols: 0 };
                finder.parse(sample, bytes.clone(), codes.search, &mut collector);
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

/// How many symbols make a fixed part worth it. A part costs about two symbols, because no copy can go across its ends.
const WORTHWHILE: u32 = 8;

/// Collects codes, joined to as many bits as can be written at once.
struct Collector<'a> {
    codes: &'a Codes,
    bits: &'a mut Vec<Bits>,
    waiting: Bits,
    symbols: u32,
}

impl Collector<'_> {
    fn add(&mut self, bits: Bits) {
        self.symbols += 1;
        if self.waiting.count + bits.count > MAX_BITS {
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

/// How many bits can be written at once: 64, less up to 7 that wait for the rest of their byte.
const MAX_BITS: u32 = 56;

/// Writes codes as bytes.
struct Writer<'a> {
    codes: &'a Codes,
    out: &'a mut Vec<u8>,
    /// Where the next byte goes. What is behind it is free space.
    at: usize,
    waiting: Bits,
}

impl<'a> Writer<'a> {
    /// Makes a writer that appends to `out`.
    fn new(codes: &'a Codes, out: &'a mut Vec<u8>) -> Self {
        let at = out.len();
        out.resize(out.capacity(), 0);
        Self { codes, out, at, waiting: Bits::default() }
    }

    /// Writes at most [`MAX_BITS`].
    #[inline]
    fn write(&mut self, bits: Bits) {
        let all = self.waiting.then(bits.value, bits.count);
        if self.at + WORD > self.out.len() {
            self.out.resize(2 * self.out.len() + WORD, 0);
        }
        // Writing all eight bytes is fastest. Those that are not complete are overwritten by the next call.
        self.out[self.at..self.at + WORD].copy_from_slice(&all.value.to_le_bytes());
        self.at += (all.count / u8::BITS) as usize;
        self.waiting = Bits { value: all.value >> (all.count & !7), count: all.count & 7 };
    }

    /// Ends the block and removes the free space.
    fn finish(mut self) {
        self.write(self.codes.literals[END]);
        // Completes the last byte.
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

/// Appends the data as a zlib stream. The fixed parts must be in the data as they were in their sample.
pub(super) fn compress(data: &[u8], fixed: &FixedParts, codes: &Codes, finder: &mut MatchFinder, out: &mut Vec<u8>) {
    // The header of zlib: a window of 32 KB, fastest compression.
    out.extend_from_slice(&[0x78, 0x01]);
    let mut writer = Writer::new(codes, out);
    codes.header.iter().for_each(|bits| writer.write(*bits));
    finder.reset();
    let mut at = 0;
    for part in &fixed.parts {
        finder.parse(data, at..part.bytes.start, codes.search, &mut writer);
        fixed.bits[part.bits.clone()].iter().for_each(|bits| writer.write(*bits));
        at = part.bytes.end;
    }
    finder.parse(data, at..data.len(), codes.search, &mut writer);
    writer.finish();
    let mut checksum = Adler32::new();
    checksum.write(data);
    out.extend_from_slice(&checksum.finish().to_be_bytes());
}
