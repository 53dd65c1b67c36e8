//! A theme prepared for boards of one size: everything that does not depend on the view.

use super::canvas::{Canvas, NO_FILTER, ROW, Workspace};
use super::deflate::{Codes, FixedParts};
use super::dimensions::{Dimensions, FRAME, INNER, MARGIN, PICTURE_SIZE};
use super::draw_list;
use super::font::BoardFont;
use super::indexed_sprite::{Blends, IndexedSprite, SpriteIndexer, simplify};
use super::match_finder::Search;
use super::palette::{Palette, Tolerance};
use super::sprites::{Placed, Sprite, SpriteSheet, overlay_centred};
use super::theme::{Grain, style};
use crate::board_view::{BoardView, Orientation, Theme};
use crate::rules::VARIANTS;
use image::{Rgba, RgbaImage};
use std::collections::BTreeMap;

/// A background and sprites in the colours of a palette, and the codes to compress them with.
pub(super) struct PreparedTheme {
    palette: Palette,
    background: Background,
    sprites: Sprites,
    blends: Blends,
    codes: Codes,
    /// The compressed frame with its coordinates, by orientation.
    frames: [FixedParts; 2],
}

impl PreparedTheme {
    /// Paints a theme, and chooses its colours and codes.
    pub(super) fn new(theme: Theme, size: u8, font: &BoardFont, workspace: &mut Workspace) -> Self {
        let dimensions = Dimensions::of(size);
        let mut sheet = SpriteSheet::paint(theme, dimensions, font);
        sheet.sprites.values_mut().for_each(|sprite| simplify(sprite, style(theme).opacities));
        let palette = Palette::choose(specimen(&sheet, dimensions).into_iter(), style(theme).colours);
        let background = Background::new(&sheet.background, &palette, dimensions);
        let mut indexer = SpriteIndexer::new(&palette);
        let mut sprites = Sprites::new();
        for (sprite, image) in &sheet.sprites {
            let has_grain = matches!(sprite, Sprite::KingSquare(_));
            let tolerance = if has_grain { Tolerance::GRAIN } else { Tolerance::SPRITE };
            sprites.insert(*sprite, indexer.index(image, tolerance));
        }
        let blends = indexer.finish();
        let Workspace { canvas, finder, .. } = workspace;
        let draw = |placed: &[Placed], canvas: &mut Canvas| compose(&background, &sprites, &blends, placed, canvas);
        draw(&typical_picture(size, font), canvas);
        let codes = Codes::for_data_like(canvas.bytes(), search(theme, dimensions), finder);
        let frames = ORIENTATIONS.map(|orientation| {
            draw(&draw_list::coordinates(size, orientation, font), canvas);
            cover_variable_parts(canvas, dimensions);
            FixedParts::new(canvas.bytes(), VARIABLE, &codes, finder)
        });
        Self { palette, background, sprites, blends, codes, frames }
    }

    /// Returns the colours of the theme.
    pub(super) const fn palette(&self) -> &Palette {
        &self.palette
    }

    /// Returns the codes that suit its pictures.
    pub(super) const fn codes(&self) -> &Codes {
        &self.codes
    }

    /// Returns the parts of a picture that depend only on the orientation.
    pub(super) const fn frame(&self, orientation: Orientation) -> &FixedParts {
        &self.frames[orientation as usize]
    }

    /// Paints the background and lays everything onto it.
    pub(super) fn compose(&self, placed: &[Placed], canvas: &mut Canvas) {
        compose(&self.background, &self.sprites, &self.blends, placed, canvas);
    }
}

type Sprites = BTreeMap<Sprite, IndexedSprite>;

fn compose(background: &Background, sprites: &Sprites, blends: &Blends, placed: &[Placed], canvas: &mut Canvas) {
    background.fill(canvas);
    for (sprite, x, y) in placed {
        if let Some(sprite) = sprites.get(sprite) {
            sprite.draw(canvas, blends, *x, *y);
        }
    }
}

/// The orientations in the order in which they are declared.
const ORIENTATIONS: [Orientation; 2] = [Orientation::Upright, Orientation::Flipped];

/// Marks a pixel that differs between pictures. No colour has this index: a palette has at most 255 colours.
const VARIABLE: u8 = u8::MAX;

/// Covers everything that differs between pictures: the caption, and the squares with what their sprites reach around
/// them, a sixteenth of a square.
fn cover_variable_parts(canvas: &mut Canvas, dimensions: Dimensions) {
    let reach = dimensions.cell / 16 + 1;
    let (start, end) = (INNER - reach, PICTURE_SIZE - INNER + reach);
    for row in 0..start {
        canvas.pixels(0, row as usize, PICTURE_SIZE as usize).fill(VARIABLE);
    }
    for row in start..end {
        canvas.pixels(start as usize, row as usize, (end - start) as usize).fill(VARIABLE);
    }
}

/// Returns how pictures of such boards repeat themselves: two squares to the left, and one row up.
fn search(theme: Theme, dimensions: Dimensions) -> Search {
    // Plain colours repeat in long runs, which are worth looking for; a grain has none.
    let thorough = matches!(style(theme).grain, Grain::Smooth);
    Search { strides: [2 * dimensions.cell as usize, ROW], thorough }
}

/// Returns what a typical picture of such a board shows: the first position of a game.
fn typical_picture(size: u8, font: &BoardFont) -> Vec<Placed> {
    let variant = VARIANTS.iter().find(|variant| variant.rules.size == size);
    let view = variant.map(|variant| {
        let mut view = BoardView::of(variant, &variant.rulebook(), &variant.start_position(variant.default_layout()));
        view.caption = String::from("Attackers to move");
        view
    });
    view.map_or_else(Vec::new, |view| draw_list::draw_list(&view, font))
}

/// The empty board. Two kinds of squares alternate along a row, so only the frame and the first three squares of each
/// row are kept: the first has the shadow of the frame, the other two repeat.
struct Background {
    rows: Vec<BackgroundRow>,
    /// After how many pixels the squares repeat themselves.
    period: usize,
}

struct BackgroundRow {
    /// The pixels to the end of the third square.
    start: Box<[u8]>,
    /// The pixels from the end of the last square.
    end: Box<[u8]>,
}

impl Background {
    fn new(image: &RgbaImage, palette: &Palette, dimensions: Dimensions) -> Self {
        let Dimensions { size, cell, origin } = dimensions;
        let (first, last) = (origin + cell * size.min(3), origin + cell * size);
        let (mut above_start, mut above_end) = (Vec::new(), Vec::new());
        let rows = image.rows().map(|row| {
            let pixels: Vec<Rgba<u8>> = row.copied().collect();
            above_start = palette.row(&pixels[..first as usize], &above_start, Tolerance::GRAIN);
            above_end = palette.row(&pixels[last as usize..], &above_end, Tolerance::GRAIN);
            BackgroundRow { start: above_start.as_slice().into(), end: above_end.as_slice().into() }
        });
        Self { rows: rows.collect(), period: 2 * cell as usize }
    }

    fn fill(&self, canvas: &mut Canvas) {
        for (row, BackgroundRow { start, end }) in canvas.rows_mut().zip(&self.rows) {
            row[0] = NO_FILTER;
            row[1..=start.len()].copy_from_slice(start);
            let squares_end = row.len() - end.len();
            row[squares_end..].copy_from_slice(end);
            let mut at = start.len() + 1;
            while at < squares_end {
                let length = self.period.min(squares_end - at);
                row.copy_within(at - self.period..at - self.period + length, at);
                at += length;
            }
        }
    }

    /// Counts the bytes that are kept.
    #[cfg(test)]
    fn bytes(&self) -> usize {
        self.rows.iter().map(|row| row.start.len() + row.end.len() + size_of::<BackgroundRow>()).sum()
    }
}

/// Returns pixels with all colours of a theme: a background onto which every sprite is placed once.
fn specimen(sheet: &SpriteSheet, dimensions: Dimensions) -> Vec<Rgba<u8>> {
    let mut board = sheet.background.clone();
    for (n, (sprite, image)) in (0..).zip(&sheet.sprites) {
        let (x, y) = match sprite {
            Sprite::Token(_) | Sprite::Wreath | Sprite::Letter(..) => {
                ((100 + n * 7 % (PICTURE_SIZE - 200)) as i32, (MARGIN + FRAME / 2) as i32)
            }
            Sprite::KingSquare(_) | Sprite::Mark(_) | Sprite::Piece(_) | Sprite::Ghost(_) => {
                let square = n % (dimensions.size * dimensions.size);
                (dimensions.middle_of(square % dimensions.size), dimensions.middle_of(square / dimensions.size))
            }
        };
        overlay_centred(&mut board, image, x, y);
    }
    // Every third pixel is enough. Three does not divide the width, so every column is seen.
    board.pixels().step_by(3).copied().collect()
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;

    impl PreparedTheme {
        /// Counts the bytes that are kept.
        fn bytes(&self) -> usize {
            let sprites = self.sprites.values().map(IndexedSprite::bytes).sum::<usize>();
            self.background.bytes()
                + self.palette.bytes()
                + self.blends.bytes()
                + self.codes.bytes()
                + sprites
                + self.frames.iter().map(FixedParts::bytes).sum::<usize>()
        }
    }

    #[test]
    fn all_themes_for_all_boards_fit_into_7_megabytes() {
        let font = BoardFont::load().expect("the font is sound");
        let mut workspace = Workspace::new();
        let mut bytes = 0;
        for (theme, size) in Theme::ALL.into_iter().flat_map(|theme| [7, 9, 11].map(|size| (theme, size))) {
            bytes += PreparedTheme::new(theme, size, &font, &mut workspace).bytes();
        }
        assert!(bytes < 7_000_000, "{bytes}");
    }
}
