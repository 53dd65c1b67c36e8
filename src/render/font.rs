//! Paints letters and digits with the font that is built into the program.

use super::emblem::lay_in;
use super::paint::Colour;
use ab_glyph::{Font, FontRef, InvalidFont, PxScale, ScaleFont};
use image::{GrayImage, Luma, Rgba, RgbaImage};
use imageproc::drawing::draw_text_mut;

/// Cinzel, modelled on Roman inscriptions. Its licence is beside it.
static CINZEL: &[u8] = include_bytes!("../../fonts/Cinzel-Bold.ttf");

/// The size of text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum TextSize {
    /// Files and ranks, legible when the picture is scaled to half its size.
    Coordinate,
    /// Ranks with two digits, which would otherwise touch the edges of the frame.
    Narrow,
    /// The line at the top of the frame.
    Caption,
}

impl TextSize {
    /// Returns the width and the height of the font in pixels. A capital has 0.52 of the height.
    const fn scale(self) -> PxScale {
        match self {
            Self::Coordinate => PxScale { x: 44.0, y: 44.0 },
            Self::Narrow => PxScale { x: 36.0, y: 44.0 },
            Self::Caption => PxScale { x: 36.0, y: 36.0 },
        }
    }
}

/// The font of all pictures.
pub(super) struct BoardFont {
    font: FontRef<'static>,
}

impl BoardFont {
    /// Parses the font.
    ///
    /// # Errors
    /// Fails if the font in the program is damaged.
    pub(super) fn load() -> Result<Self, InvalidFont> {
        FontRef::try_from_slice(CINZEL).map(|font| Self { font })
    }

    /// Returns the distance to the next letter.
    pub(super) fn advance(&self, letter: char, size: TextSize) -> f32 {
        let font = self.font.as_scaled(size.scale());
        font.h_advance(font.glyph_id(letter))
    }

    /// Paints a letter in the middle of a sprite.
    pub(super) fn paint(&self, letter: char, size: TextSize, colour: Colour) -> RgbaImage {
        let scale = size.scale();
        let font = self.font.as_scaled(scale);
        let side = scale.y as u32 + 4;
        let mut cut = GrayImage::new(side, side);
        // The middle of a capital, which stands on the base line, goes into the middle of the sprite.
        let capital = font.outline_glyph(font.scaled_glyph('H')).map_or(0.0, |glyph| -glyph.px_bounds().min.y);
        let left = (side as f32 - self.advance(letter, size)) / 2.0;
        // The J goes below the base line. As a coordinate it is centred with that part, in a caption it is not.
        let hangs = font.outline_glyph(font.scaled_glyph(letter)).map_or(0.0, |glyph| glyph.px_bounds().max.y);
        let lift = if size == TextSize::Caption { 0.0 } else { hangs.max(0.0) / 2.0 };
        let top = side as f32 / 2.0 + capital / 2.0 - lift - font.ascent();
        draw_text_mut(
            &mut cut,
            Luma([255]),
            left as i32,
            (top + 0.5) as i32,
            scale,
            &self.font,
            letter.encode_utf8(&mut [0; 4]),
        );
        // Transparent pixels have the colour too, or the edges of the letter would be dark.
        let [red, green, blue] = colour.bytes();
        let mut image = RgbaImage::from_pixel(side, side, Rgba([red, green, blue, 0]));
        lay_in(&mut image, &cut, colour, 0.0);
        image
    }
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;
    use crate::render::sprites::caption_letters;

    #[test]
    fn the_font_has_every_letter_that_is_drawn() {
        let font = BoardFont::load().expect("the font is sound");
        for letter in ('A'..='K').chain('0'..='9').chain(caption_letters()) {
            let glyph = font.font.glyph_id(letter);
            assert!(glyph.0 != 0 && font.font.outline(glyph).is_some(), "{letter}");
        }
    }

    #[test]
    fn coordinates_are_legible_at_half_size() {
        let font = BoardFont::load().expect("the font is sound");
        let image = font.paint('H', TextSize::Coordinate, super::super::paint::hex(0));
        let rows = image.rows().filter(|row| row.clone().any(|pixel| pixel[3] > 127)).count();
        assert!(rows >= 22, "a capital is {rows} pixels high");
    }
}
