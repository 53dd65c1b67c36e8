//! Sprites as palette indices, ready to be laid onto a canvas.

use super::canvas::Canvas;
use super::palette::{Palette, Tolerance};
use image::{Rgba, RgbaImage};
use std::collections::HashMap;

/// How many bits of each channel of a translucent pixel's colour are kept.
const COLOUR_BITS: u32 = 4;

/// A sprite in the colours of a palette.
pub(super) struct IndexedSprite {
    side: u32,
    spans: Vec<Span>,
    /// The palette indices of all opaque spans.
    indices: Vec<u8>,
    /// The blends of all translucent spans.
    blends: Vec<u16>,
}

/// A part of a row of a sprite that is wholly opaque or wholly translucent.
struct Span {
    row: u16,
    column: u16,
    length: u16,
    opaque: bool,
}

/// Tables that say how translucent pixels change what is beneath them: for each blend, the new palette index for each
/// index.
pub(super) struct Blends {
    /// All tables, one after the other.
    tables: Vec<u8>,
    /// The length of each table.
    colours: usize,
}

impl Blends {
    /// Returns the table of a blend.
    #[inline]
    fn table(&self, blend: u16) -> &[u8] {
        let start = usize::from(blend) * self.colours;
        &self.tables[start..start + self.colours]
    }

    /// Counts the bytes that are kept.
    #[cfg(test)]
    pub(super) const fn bytes(&self) -> usize {
        self.tables.capacity()
    }
}

/// Translates sprites into the colours of a palette.
pub(super) struct SpriteIndexer<'p> {
    palette: &'p Palette,
    blends: Blends,
    /// The numbers of the blends so far, by colour.
    known: HashMap<Rgba<u8>, u16>,
    /// The palette indices of colours that were looked up, by their highest bits. Blends need many thousands of lookups.
    nearest: Vec<Option<u8>>,
}

impl<'p> SpriteIndexer<'p> {
    /// Starts with a palette.
    pub(super) fn new(palette: &'p Palette) -> Self {
        let blends = Blends { tables: Vec::new(), colours: palette.colours().len() };
        Self { palette, blends, known: HashMap::new(), nearest: vec![None; 1 << (3 * NEAREST_BITS)] }
    }

    /// Returns the blends of all sprites that were translated.
    pub(super) fn finish(mut self) -> Blends {
        self.blends.tables.shrink_to_fit();
        self.blends
    }

    /// Translates a sprite whose translucent pixels were [simplified](simplify).
    pub(super) fn index(&mut self, image: &RgbaImage, tolerance: Tolerance) -> IndexedSprite {
        let mut sprite =
            IndexedSprite { side: image.width(), spans: Vec::new(), indices: Vec::new(), blends: Vec::new() };
        let mut above = vec![0; image.width() as usize];
        for (row, pixels) in (0..).zip(image.rows()) {
            let pixels: Vec<Rgba<u8>> = pixels.copied().collect();
            let mut column = 0;
            for run in pixels.chunk_by(|one, other| opacity(*one) == opacity(*other)) {
                let (opacity, end) = (opacity(run[0]), column + run.len());
                match opacity {
                    Opacity::Clear => {}
                    Opacity::Opaque => {
                        let indices = self.palette.row(run, &above[column..end], tolerance);
                        above[column..end].copy_from_slice(&indices);
                        sprite.indices.extend(indices);
                    }
                    Opacity::Translucent => sprite.blends.extend(run.iter().map(|pixel| self.blend(*pixel))),
                }
                if opacity != Opacity::Clear {
                    let opaque = opacity == Opacity::Opaque;
                    // No sprite is broader than the picture, so 16 bits are enough.
                    sprite.spans.push(Span { row, column: column as u16, length: run.len() as u16, opaque });
                }
                column = end;
            }
        }
        sprite.spans.shrink_to_fit();
        sprite.indices.shrink_to_fit();
        sprite.blends.shrink_to_fit();
        sprite
    }

    /// Returns the number of the blend that lays this colour over others.
    fn blend(&mut self, colour: Rgba<u8>) -> u16 {
        if let Some(number) = self.known.get(&colour) {
            return *number;
        }
        // A colour has 12 bits here and comes with a few opacities, so there are fewer than 65,536.
        let number = self.known.len() as u16;
        for ground in self.palette.colours() {
            let result = self.nearest(over(colour, *ground));
            self.blends.tables.push(result);
        }
        self.known.insert(colour, number);
        number
    }

    /// Returns the palette index of a colour that is about as near as the nearest one.
    fn nearest(&mut self, Rgba(channels): Rgba<u8>) -> u8 {
        const SHIFT: u32 = u8::BITS - NEAREST_BITS;
        let key = channels[..3].iter().fold(0, |key, channel| key << NEAREST_BITS | usize::from(channel >> SHIFT));
        let palette = self.palette;
        *self.nearest[key].get_or_insert_with(|| {
            let middle = |channel: u8| channel >> SHIFT << SHIFT | 1 << (SHIFT - 1);
            palette.nearest(Rgba([middle(channels[0]), middle(channels[1]), middle(channels[2]), u8::MAX]))
        })
    }
}

/// How many bits of each channel of a colour decide which palette colour a blend gives.
const NEAREST_BITS: u32 = 5;

/// Lays a colour over an opaque one.
fn over(Rgba([red, green, blue, alpha]): Rgba<u8>, Rgba(ground): Rgba<u8>) -> Rgba<u8> {
    let mix = |over: u8, under: u8| {
        let (over, under, alpha) = (u32::from(over), u32::from(under), u32::from(alpha));
        // A mean of bytes is a byte.
        ((over * alpha + under * (255 - alpha) + 127) / 255) as u8
    };
    Rgba([mix(red, ground[0]), mix(green, ground[1]), mix(blue, ground[2]), 255])
}

/// Reduces translucent pixels to a number of opacities, and to few colours.
pub(super) fn simplify(image: &mut RgbaImage, opacities: u32) {
    for Rgba([red, green, blue, alpha]) in image.pixels_mut() {
        let step = (u32::from(*alpha) * opacities + 127) / 255;
        *alpha = (step * 255 / opacities) as u8;
        if *alpha < u8::MAX {
            for channel in [red, green, blue] {
                let kept = u32::from(*channel) >> (8 - COLOUR_BITS);
                // From 0 to 255 again.
                *channel = (kept * 255 / ((1 << COLOUR_BITS) - 1)) as u8;
            }
        }
    }
}

impl IndexedSprite {
    /// Draws the sprite with its middle at a point. A sprite that would leave the canvas is not drawn.
    pub(super) fn draw(&self, canvas: &mut Canvas, blends: &Blends, x: i32, y: i32) {
        let half = self.side as i32 / 2;
        let (Ok(left), Ok(top)) = (usize::try_from(x - half), usize::try_from(y - half)) else { return };
        if !Canvas::has_room(left, top, self.side as usize) {
            return;
        }
        let (mut indices, mut changes) = (self.indices.as_slice(), self.blends.as_slice());
        for span in &self.spans {
            let length = usize::from(span.length);
            let ground = canvas.pixels(left + usize::from(span.column), top + usize::from(span.row), length);
            if span.opaque {
                let (here, later) = indices.split_at(length);
                ground.copy_from_slice(here);
                indices = later;
            } else {
                let (here, later) = changes.split_at(length);
                for (index, change) in ground.iter_mut().zip(here) {
                    *index = blends.table(*change)[usize::from(*index)];
                }
                changes = later;
            }
        }
    }

    /// Counts the bytes that are kept.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.spans.capacity() * size_of::<Span>() + self.indices.capacity() + self.blends.capacity() * 2
    }
}

/// How opaque a pixel is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opacity {
    Clear,
    Translucent,
    Opaque,
}

const fn opacity(Rgba([.., alpha]): Rgba<u8>) -> Opacity {
    match alpha {
        0 => Opacity::Clear,
        u8::MAX => Opacity::Opaque,
        _ => Opacity::Translucent,
    }
}
