//! A prepared set: the art of a theme for one size of board, pressed into its palette.

use super::dimensions::{FRAME, MARGIN, Measures, SIDE};
use super::draw_list::Laid;
use super::encode::{NO_FILTER, ROW};
use super::palette::Palette;
use super::sprites::{Art, Sprite};
use image::imageops::overlay;
use image::{Rgba, RgbaImage};
use std::collections::BTreeMap;

/// A background and sprites of at most 256 colours.
pub(super) struct Set {
    pub(super) palette: Palette,
    background: Vec<u8>,
    sprites: BTreeMap<Sprite, Pressed>,
}

/// A sprite, ready to be laid onto rows of palette numbers.
struct Pressed {
    side: u32,
    spans: Vec<Span>,
    /// The palette numbers of all opaque spans, to be copied.
    numbers: Vec<u8>,
    /// The colours of all translucent spans, each part already multiplied by the cover, and what remains of the ground.
    colours: Vec<[u8; 4]>,
}

/// A part of a row of a sprite that is wholly opaque or wholly translucent.
struct Span {
    row: u16,
    column: u16,
    length: u16,
    opaque: bool,
}

impl Set {
    /// Chooses the colours and presses everything into them.
    pub(super) fn press(art: &Art, measures: Measures) -> Self {
        let palette = Palette::choose(specimen(art, measures).into_iter());
        // The numbers of the colours that were looked for last, because few of them make up nearly everything.
        let mut known = vec![(Rgba([0; 4]), palette.search(Rgba([0; 4]))); 1 << 12];
        let mut number = |pixel: &Rgba<u8>| {
            let place = u32::from_be_bytes(pixel.0).wrapping_mul(0x9e37_79b1) >> 20;
            let entry = &mut known[place as usize];
            if entry.0 != *pixel {
                *entry = (*pixel, palette.search(*pixel));
            }
            entry.1
        };
        let mut background = Vec::with_capacity(ROW * SIDE as usize);
        for row in art.background.rows() {
            background.push(NO_FILTER);
            background.extend(row.map(&mut number));
        }
        let sprites = art.sprites.iter().map(|(sprite, image)| (*sprite, Pressed::new(image, &mut number))).collect();
        Self { palette, background, sprites }
    }

    /// Lays everything onto the background and gives the rows of palette numbers.
    pub(super) fn compose(&self, laid: &[Laid]) -> Vec<u8> {
        let mut rows = self.background.clone();
        for (sprite, x, y) in laid {
            if let Some(pressed) = self.sprites.get(sprite) {
                let half = pressed.side as i32 / 2;
                pressed.lay(&mut rows, &self.palette, x - half, y - half);
            }
        }
        rows
    }
}

impl Pressed {
    fn new(image: &RgbaImage, number: &mut impl FnMut(&Rgba<u8>) -> u8) -> Self {
        let mut pressed = Self { side: image.width(), spans: Vec::new(), numbers: Vec::new(), colours: Vec::new() };
        for (row, pixels) in (0..).zip(image.rows()) {
            let pixels: Vec<Rgba<u8>> = pixels.copied().collect();
            let mut column = 0;
            for run in pixels.chunk_by(|one, other| kind(*one) == kind(*other)) {
                // No sprite is broader than the picture, which is far from what 16 bits hold.
                let (length, opaque) = (run.len() as u16, kind(run[0]) == Kind::Opaque);
                match kind(run[0]) {
                    Kind::Clear => {}
                    Kind::Opaque => pressed.numbers.extend(run.iter().map(&mut *number)),
                    Kind::Translucent => pressed.colours.extend(run.iter().map(|pixel| multiplied(*pixel))),
                }
                if kind(run[0]) != Kind::Clear {
                    pressed.spans.push(Span { row, column, length, opaque });
                }
                column += length;
            }
        }
        pressed.spans.shrink_to_fit();
        pressed.numbers.shrink_to_fit();
        pressed.colours.shrink_to_fit();
        pressed
    }

    /// Lays the sprite with its upper left corner at a place; one that would not fit into the picture is left out.
    fn lay(&self, rows: &mut [u8], palette: &Palette, left: i32, top: i32) {
        let (Ok(left), Ok(top)) = (usize::try_from(left), usize::try_from(top)) else { return };
        if left.max(top) + self.side as usize > SIDE as usize {
            return;
        }
        let (mut numbers, mut colours) = (self.numbers.as_slice(), self.colours.as_slice());
        for span in &self.spans {
            let start = (top + usize::from(span.row)) * ROW + 1 + left + usize::from(span.column);
            let ground = &mut rows[start..start + usize::from(span.length)];
            if span.opaque {
                let (here, later) = numbers.split_at(ground.len());
                ground.copy_from_slice(here);
                numbers = later;
            } else {
                let (here, later) = colours.split_at(ground.len());
                for (number, [red, green, blue, remains]) in ground.iter_mut().zip(here) {
                    let Rgba(under) = palette.colours()[usize::from(*number)];
                    let mix = |over: u8, under: u8| over.saturating_add(share(under, *remains));
                    *number = palette.find(mix(*red, under[0]), mix(*green, under[1]), mix(*blue, under[2]));
                }
                colours = later;
            }
        }
    }
}

/// How much a pixel covers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Clear,
    Translucent,
    Opaque,
}

const fn kind(Rgba([.., alpha]): Rgba<u8>) -> Kind {
    match alpha {
        0 => Kind::Clear,
        u8::MAX => Kind::Opaque,
        _ => Kind::Translucent,
    }
}

/// Multiplies two shares of 255.
fn share(value: u8, of: u8) -> u8 {
    // At most 255, since both are.
    ((u32::from(value) * u32::from(of) + 127) / 255) as u8
}

fn multiplied(Rgba([red, green, blue, alpha]): Rgba<u8>) -> [u8; 4] {
    [share(red, alpha), share(green, alpha), share(blue, alpha), u8::MAX - alpha]
}

/// Gives colours as they will be shown: everything that there is, laid onto the board and the frame once.
fn specimen(art: &Art, measures: Measures) -> Vec<Rgba<u8>> {
    let mut board = art.background.clone();
    for (n, (sprite, image)) in (0..).zip(&art.sprites) {
        let half = i64::from(image.width()) / 2;
        let (x, y) = match sprite {
            Sprite::Token(_) | Sprite::Wreath | Sprite::Letter(..) => (100 + n * 7 % (SIDE - 200), MARGIN + FRAME / 2),
            Sprite::Marked(_) | Sprite::Mark(_) | Sprite::Man(_) | Sprite::Ghost(_) => {
                let place = n % (measures.size * measures.size);
                let along = |place: u32| measures.along(place) as u32;
                (along(place % measures.size), along(place / measures.size))
            }
        };
        overlay(&mut board, image, i64::from(x) - half, i64::from(y) - half);
    }
    // Every third pixel will do; three does not divide the width, so that no column is left out.
    board.pixels().step_by(3).copied().collect()
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;
    use crate::render::font::Letters;
    use crate::scene::Theme;

    impl Set {
        /// Counts the bytes that the set keeps.
        fn bytes(&self) -> usize {
            let sprite = |pressed: &Pressed| {
                pressed.spans.capacity() * size_of::<Span>()
                    + pressed.numbers.capacity()
                    + pressed.colours.capacity() * 4
            };
            self.background.capacity() + self.palette.bytes() + self.sprites.values().map(sprite).sum::<usize>()
        }
    }

    #[test]
    fn all_themes_for_all_boards_fit_into_20_megabytes() {
        let letters = Letters::load().expect("the font is sound");
        let mut bytes = 0;
        for (theme, size) in Theme::ALL.into_iter().flat_map(|theme| [5, 7, 9, 11].map(|size| (theme, size))) {
            let measures = Measures::of(size);
            bytes += Set::press(&Art::paint(theme, measures, &letters), measures).bytes();
        }
        assert!(bytes < 20_000_000, "{bytes}");
    }
}
