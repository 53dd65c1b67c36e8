//! Chooses at most 256 colours for a set of pictures, and finds the nearest of them.

use image::Rgba;

/// How many colours a palette picture can have.
const MOST: usize = 128;

/// How much a colour may differ from the wanted one where that gives longer runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tolerance {
    /// How much brighter or darker it may be.
    brightness: i32,
    /// How much its hue may differ, which is seen sooner.
    hue: i32,
}

impl Tolerance {
    /// For the board and the frame, whose grain is made of tones that differ little.
    pub(super) const GRAIN: Self = Self { brightness: 3, hue: 3 };
    /// For sprites, whose light and shadow need no fine steps.
    pub(super) const SPRITE: Self = Self { brightness: 12, hue: 7 };

    fn allows(self, one: Rgba<u8>, other: Rgba<u8>) -> bool {
        let [red, green, blue, alpha] = [0, 1, 2, 3].map(|part| i32::from(one[part]) - i32::from(other[part]));
        let brightness = (3 * red + 6 * green + blue) / 10;
        alpha == 0
            && brightness.abs() <= self.brightness
            && (red - green).abs() <= self.hue
            && (blue - green).abs() <= self.hue
    }
}

/// A palette: its colours, and a table that finds the nearest one at once.
pub(super) struct Palette {
    colours: Vec<Rgba<u8>>,
}

impl Palette {
    /// Chooses colours that together are as near as can be to those which are shown.
    pub(super) fn choose(shown: impl Iterator<Item = Rgba<u8>>) -> Self {
        let mut colours: Vec<Rgba<u8>> = boxes(tally(shown)).iter().map(ColourBox::mean).collect();
        colours.sort_unstable_by_key(|colour| colour.0);
        colours.dedup();
        Self { colours }
    }

    /// Gives the colours.
    pub(super) fn colours(&self) -> &[Rgba<u8>] {
        &self.colours
    }

    /// Counts the bytes that it keeps.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.colours.capacity() * 4
    }

    /// Finds the nearest colour.
    pub(super) fn nearest(&self, wanted: Rgba<u8>) -> u8 {
        // They are sorted by red: from where it is right, each way only as far as red alone is not too wrong.
        let start = self.colours.partition_point(|colour| colour[0] < wanted[0]);
        let (mut best, mut least) = (0, u32::MAX);
        let (below, above) = self.colours.split_at(start);
        let mut look = |index: usize, colour: &Rgba<u8>| {
            let here = distance(*colour, wanted);
            if here < least {
                (best, least) = (index, here);
            }
            part_distance(*colour, wanted, 0) < least
        };
        for (index, colour) in (start..).zip(above) {
            if !look(index, colour) {
                break;
            }
        }
        for (index, colour) in below.iter().enumerate().rev() {
            if !look(index, colour) {
                break;
            }
        }
        // There are at most 256 of them.
        best as u8
    }

    /// Translates a row of pixels, given the numbers of the row above it.
    ///
    /// Where the colour to the left or the one above is as good as the nearest one, it is taken again: runs and repeated
    /// rows compress well, and so small a difference is not seen.
    pub(super) fn row(&self, pixels: &[Rgba<u8>], above: &[u8], tolerance: Tolerance) -> Vec<u8> {
        let mut numbers: Vec<u8> = Vec::with_capacity(pixels.len());
        let mut copies_above = false;
        for (column, pixel) in pixels.iter().enumerate() {
            let good = |number: &u8| tolerance.allows(self.colours[usize::from(*number)], *pixel);
            let left = numbers.last().copied().filter(good);
            let above = above.get(column).copied().filter(good);
            let (first, second) = if copies_above { (above, left) } else { (left, above) };
            copies_above = above.is_some() && (copies_above || left.is_none());
            numbers.push(first.or(second).unwrap_or_else(|| self.nearest(*pixel)));
        }
        numbers
    }
}

/// Returns how much two colours differ in one part. The eye sees green best; a wrong transparency is worst.
fn part_distance(one: Rgba<u8>, other: Rgba<u8>, part: usize) -> u32 {
    const WEIGHTS: [u32; 4] = [3, 4, 2, 8];
    u32::from(one[part].abs_diff(other[part])).pow(2) * WEIGHTS[part]
}

/// Returns how much two colours differ.
fn distance(one: Rgba<u8>, other: Rgba<u8>) -> u32 {
    (0..4).map(|part| part_distance(one, other, part)).sum()
}

/// Counts how often each colour is shown.
fn tally(shown: impl Iterator<Item = Rgba<u8>>) -> Vec<(Rgba<u8>, u64)> {
    // What is clear has no colour.
    let mut all: Vec<u32> =
        shown.map(|Rgba(parts)| if parts[3] == 0 { 0 } else { u32::from_be_bytes(parts) }).collect();
    all.sort_unstable();
    // Rare colours are the edges and glints that make a picture fine: the root gives them weight.
    all.chunk_by(|one, other| one == other)
        .map(|same| (Rgba(same[0].to_be_bytes()), (same.len() as u64).isqrt().max(1)))
        .collect()
}

/// Colours that will become one.
struct ColourBox {
    members: Vec<(Rgba<u8>, u64)>,
    weight: u64,
    sums: [u64; 4],
    /// The part in which the members differ most, and by how much, summed up.
    widest: usize,
    error: u64,
}

impl ColourBox {
    fn new(members: Vec<(Rgba<u8>, u64)>) -> Self {
        let (mut weight, mut sums, mut squares) = (0, [0; 4], [0; 4]);
        for (Rgba(colour), count) in &members {
            weight += count;
            for part in 0..4 {
                let value = u64::from(colour[part]);
                sums[part] += value * count;
                squares[part] += value * value * count;
            }
        }
        let error = |part: usize| squares[part] - sums[part] * sums[part] / weight.max(1);
        let widest = (0..4).max_by_key(|part| error(*part)).unwrap_or(0);
        Self { error: error(widest), members, weight, sums, widest }
    }

    fn mean(&self) -> Rgba<u8> {
        // A mean of bytes is a byte.
        Rgba(self.sums.map(|sum| ((sum + self.weight / 2) / self.weight.max(1)) as u8))
    }

    /// Parts the swarm at its mean.
    fn split(self) -> (Self, Self) {
        let Self { sums, weight, widest, members, .. } = self;
        let (low, high) =
            members.into_iter().partition(|(colour, _)| u64::from(colour[widest]) * weight <= sums[widest]);
        (Self::new(low), Self::new(high))
    }
}

fn boxes(tally: Vec<(Rgba<u8>, u64)>) -> Vec<ColourBox> {
    let mut boxes = vec![ColourBox::new(tally)];
    while boxes.len() < MOST {
        let Some(worst) = (0..boxes.len()).max_by_key(|n| boxes[*n].error).filter(|n| boxes[*n].error > 0) else {
            break;
        };
        let (low, high) = boxes.swap_remove(worst).split();
        boxes.extend([low, high]);
    }
    boxes
}
