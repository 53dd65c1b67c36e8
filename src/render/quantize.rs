//! Chooses the colours of a palette: splits all colours that are shown into boxes, and takes one colour from each.

use image::Rgba;

/// A colour and how often it is shown.
struct Shown {
    colour: Rgba<u8>,
    count: u64,
}

impl Shown {
    /// Returns how much the colour matters. The colours of edges and glints are rare but matter for the picture: the
    /// square root gives them more weight.
    fn weight(&self) -> u64 {
        self.count.isqrt()
    }
}

/// Returns at most `max` colours that together are close to the ones that are shown.
pub(super) fn choose_colours(shown: impl Iterator<Item = Rgba<u8>>, max: usize) -> Vec<Rgba<u8>> {
    let mut boxes = vec![ColourBox::new(count(shown))];
    while boxes.len() < max {
        let worst = (0..boxes.len()).max_by_key(|n| boxes[*n].error).filter(|n| boxes[*n].error > 0);
        let Some(worst) = worst else { break };
        let (low, high) = boxes.swap_remove(worst).split();
        boxes.extend([low, high]);
    }
    boxes.iter().map(ColourBox::colour).collect()
}

/// Counts how often each colour is shown.
fn count(shown: impl Iterator<Item = Rgba<u8>>) -> Vec<Shown> {
    // Clear pixels have no colour.
    let mut all: Vec<u32> =
        shown.map(|Rgba(channels)| if channels[3] == 0 { 0 } else { u32::from_be_bytes(channels) }).collect();
    all.sort_unstable();
    all.chunk_by(|one, other| one == other)
        .map(|same| Shown { colour: Rgba(same[0].to_be_bytes()), count: same.len() as u64 })
        .collect()
}

/// Colours that one colour of the palette will replace.
struct ColourBox {
    members: Vec<Shown>,
    weight: u64,
    sums: [u64; 4],
    /// The channel in which the members differ most.
    widest: usize,
    /// By how much they differ in it, summed up.
    error: u64,
}

impl ColourBox {
    fn new(members: Vec<Shown>) -> Self {
        let (mut weight, mut sums, mut squares) = (0, [0; 4], [0; 4]);
        for member in &members {
            weight += member.weight();
            for channel in 0..4 {
                let value = u64::from(member.colour[channel]);
                sums[channel] += value * member.weight();
                squares[channel] += value * value * member.weight();
            }
        }
        let error = |channel: usize| squares[channel] - sums[channel] * sums[channel] / weight.max(1);
        let widest = (0..4).max_by_key(|channel| error(*channel)).unwrap_or(0);
        Self { error: error(widest), members, weight, sums, widest }
    }

    /// Returns the colour that replaces all members: one that more than a third of the pixels have, or the mean.
    fn colour(&self) -> Rgba<u8> {
        let pixels: u64 = self.members.iter().map(|member| member.count).sum();
        match self.members.iter().find(|member| 3 * member.count > pixels) {
            Some(member) => member.colour,
            // A mean of bytes is a byte.
            None => Rgba(self.sums.map(|sum| ((sum + self.weight / 2) / self.weight.max(1)) as u8)),
        }
    }

    /// Splits the box at the mean of its widest channel.
    fn split(self) -> (Self, Self) {
        let Self { sums, weight, widest, members, .. } = self;
        let (low, high) =
            members.into_iter().partition(|member| u64::from(member.colour[widest]) * weight <= sums[widest]);
        (Self::new(low), Self::new(high))
    }
}
