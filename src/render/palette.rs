//! The palette of a theme: finds the index of the colour that is nearest to a wanted one.

use super::quantize::choose_colours;
use image::Rgba;

/// How much a colour may differ from the wanted one where that gives longer runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tolerance {
    /// How much brighter or darker it may be.
    brightness: i32,
    /// How much its hue may differ, which is more visible.
    hue: i32,
}

impl Tolerance {
    /// For the board and the frame, whose grain is made of tones that differ little.
    pub(super) const GRAIN: Self = Self { brightness: 3, hue: 3 };
    /// For sprites, whose light and shadow need no fine steps.
    pub(super) const SPRITE: Self = Self { brightness: 10, hue: 5 };

    fn allows(self, one: Rgba<u8>, other: Rgba<u8>) -> bool {
        let [red, green, blue, alpha] = [0, 1, 2, 3].map(|channel| i32::from(one[channel]) - i32::from(other[channel]));
        let brightness = (3 * red + 6 * green + blue) / 10;
        alpha == 0
            && brightness.abs() <= self.brightness
            && (red - green).abs() <= self.hue
            && (blue - green).abs() <= self.hue
    }
}

/// The colours of a theme, sorted by red.
pub(super) struct Palette {
    colours: Vec<Rgba<u8>>,
}

impl Palette {
    /// Chooses at most `max` colours that together are close to the ones that are shown.
    pub(super) fn choose(shown: impl Iterator<Item = Rgba<u8>>, max: u8) -> Self {
        let mut colours = choose_colours(shown, usize::from(max));
        colours.sort_unstable_by_key(|colour| colour.0);
        colours.dedup();
        Self { colours }
    }

    /// Returns the colours in the order of their indices.
    pub(super) fn colours(&self) -> &[Rgba<u8>] {
        &self.colours
    }

    /// Returns the index of the nearest colour.
    pub(super) fn nearest(&self, wanted: Rgba<u8>) -> u8 {
        let (mut best, mut least) = (0, u32::MAX);
        // Returns whether a colour whose red differs even more could still be nearer.
        let mut look = |index: usize| {
            let colour = self.colours[index];
            let here = distance(colour, wanted);
            if here < least {
                (best, least) = (index, here);
            }
            channel_distance(colour, wanted, 0) < least
        };
        let start = self.colours.partition_point(|colour| colour[0] < wanted[0]);
        let _ = (start..self.colours.len()).all(&mut look);
        let _ = (0..start).rev().all(&mut look);
        // There are at most 255 colours.
        best as u8
    }

    /// Returns the indices of a row of pixels, given those of the row above it.
    ///
    /// The colour to the left or the one above is taken again where it is close enough, because runs and repeated rows
    /// compress well.
    pub(super) fn row(&self, pixels: &[Rgba<u8>], above: &[u8], tolerance: Tolerance) -> Vec<u8> {
        let mut indices: Vec<u8> = Vec::with_capacity(pixels.len());
        let mut copies_above = false;
        for (column, pixel) in pixels.iter().enumerate() {
            let close = |index: &u8| tolerance.allows(self.colours[usize::from(*index)], *pixel);
            let left = indices.last().copied().filter(close);
            let above = above.get(column).copied().filter(close);
            let (first, second) = if copies_above { (above, left) } else { (left, above) };
            copies_above = above.is_some() && (copies_above || left.is_none());
            indices.push(first.or(second).unwrap_or_else(|| self.nearest(*pixel)));
        }
        indices
    }

    /// Counts the bytes that are kept.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.colours.capacity() * 4
    }
}

/// Returns how much two colours differ in one channel. The eye sees green best; a wrong transparency is worst.
fn channel_distance(one: Rgba<u8>, other: Rgba<u8>, channel: usize) -> u32 {
    const WEIGHTS: [u32; 4] = [3, 4, 2, 8];
    u32::from(one[channel].abs_diff(other[channel])).pow(2) * WEIGHTS[channel]
}

/// Returns how much two colours differ.
fn distance(one: Rgba<u8>, other: Rgba<u8>) -> u32 {
    (0..4).map(|channel| channel_distance(one, other, channel)).sum()
}
