//! Huffman codes for deflate, made once for each prepared theme and then used for all of its pictures.
//!
//! A general compressor counts symbols and builds new codes for every block. All pictures of a theme look alike, so
//! one code fits all of them, and writing a picture needs a single pass.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The number of literal and length symbols that deflate defines: 256 bytes, the end of the block, 29 lengths.
pub(super) const LITERALS: usize = 286;

/// The number of distance symbols that deflate defines.
pub(super) const DISTANCES: usize = 30;

/// The longest code that deflate allows for a literal, a length or a distance.
const LONGEST: u8 = 15;

/// The longest code that deflate allows in the table of code lengths.
const LONGEST_IN_HEADER: u8 = 7;

/// The order in which deflate writes the code lengths of the code lengths.
const HEADER_ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// A few bits, the first of them lowest.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Bits {
    pub(super) value: u64,
    pub(super) count: u32,
}

impl Bits {
    /// Appends the lowest `count` bits of `value`.
    #[inline]
    pub(super) const fn then(self, value: u64, count: u32) -> Self {
        Self { value: self.value | value << self.count, count: self.count + count }
    }
}

/// Returns the code of each symbol for these frequencies.
pub(super) fn codes<const SYMBOLS: usize>(frequencies: &[u32; SYMBOLS]) -> [Bits; SYMBOLS] {
    canonical(&lengths(frequencies, LONGEST))
}

/// Returns the bits that describe two codes at the beginning of a block: dynamic, and the last one of its stream.
pub(super) fn block_header(literals: &[Bits], distances: &[Bits]) -> Vec<Bits> {
    let all = || literals.iter().chain(distances).map(|code| code.count as usize);
    let mut frequencies = [0; HEADER_ORDER.len()];
    all().for_each(|length| frequencies[length] += 1);
    let codes = canonical(&lengths(&frequencies, LONGEST_IN_HEADER));
    let counts = Bits::default()
        .then(1, 1)
        .then(2, 2)
        .then((literals.len() - 257) as u64, 5)
        .then((distances.len() - 1) as u64, 5)
        .then((HEADER_ORDER.len() - 4) as u64, 4);
    let own_lengths = HEADER_ORDER.map(|symbol| Bits { value: u64::from(codes[symbol].count), count: 3 });
    [counts].into_iter().chain(own_lengths).chain(all().map(|length| codes[length])).collect()
}

/// Returns the length of each symbol's code, none of them longer than `longest`; symbols that never occur have none.
fn lengths<const SYMBOLS: usize>(frequencies: &[u32; SYMBOLS], longest: u8) -> [u8; SYMBOLS] {
    let mut frequencies = *frequencies;
    loop {
        let lengths = unlimited_lengths(&frequencies);
        if lengths.iter().all(|length| *length <= longest) {
            return lengths;
        }
        // Flattening the frequencies flattens the tree. It ends at the latest when all of them are 1.
        for frequency in &mut frequencies {
            *frequency = frequency.div_ceil(2);
        }
    }
}

fn unlimited_lengths<const SYMBOLS: usize>(frequencies: &[u32; SYMBOLS]) -> [u8; SYMBOLS] {
    let used: Vec<usize> = (0..SYMBOLS).filter(|symbol| frequencies[*symbol] > 0).collect();
    let mut lengths = [0; SYMBOLS];
    if let [only] = used[..] {
        lengths[only] = 1;
        return lengths;
    }
    let mut parents = vec![0; used.len()];
    let mut trees: BinaryHeap<_> =
        used.iter().enumerate().map(|(node, symbol)| Reverse((u64::from(frequencies[*symbol]), node))).collect();
    while let (Some(Reverse((one, left))), Some(Reverse((other, right)))) = (trees.pop(), trees.pop()) {
        let node = parents.len();
        parents.push(node);
        (parents[left], parents[right]) = (node, node);
        trees.push(Reverse((one + other, node)));
        if trees.len() == 1 {
            break;
        }
    }
    // A parent is always made after its children, so its depth is known before theirs.
    let mut depths = vec![0_u8; parents.len()];
    for node in (0..parents.len()).rev() {
        let parent = parents[node];
        depths[node] = if parent == node { 0 } else { depths[parent].saturating_add(1) };
    }
    for (node, symbol) in used.into_iter().enumerate() {
        lengths[symbol] = depths[node];
    }
    lengths
}

/// Returns the codes that deflate derives from lengths: by length, then by symbol, written from the highest bit down.
fn canonical<const SYMBOLS: usize>(lengths: &[u8; SYMBOLS]) -> [Bits; SYMBOLS] {
    let mut codes = [Bits::default(); SYMBOLS];
    let mut next = 0_u64;
    for length in 1..=LONGEST {
        for (symbol, _) in lengths.iter().enumerate().filter(|(_, own)| **own == length) {
            let count = u32::from(length);
            codes[symbol] = Bits { value: next.reverse_bits() >> (u64::BITS - count), count };
            next += 1;
        }
        next <<= 1;
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequent_symbols_have_short_codes() {
        assert_eq!(lengths(&[10, 1, 0, 4, 2], LONGEST), [1, 3, 0, 2, 3]);
    }

    #[test]
    fn no_code_is_longer_than_allowed() {
        let mut fibonacci = [1; 30];
        for place in 2..fibonacci.len() {
            fibonacci[place] = fibonacci[place - 1] + fibonacci[place - 2];
        }
        let lengths = lengths(&fibonacci, LONGEST_IN_HEADER);
        assert!(lengths.iter().all(|length| (1..=LONGEST_IN_HEADER).contains(length)));
        // The codes fill their space exactly, as decoders ask.
        assert_eq!(lengths.iter().map(|length| 1 << (LONGEST_IN_HEADER - length)).sum::<u32>(), 1 << LONGEST_IN_HEADER);
    }
}
