//! Paints all sprites of a theme for boards of one size, in full colour.

use super::board::{self, KingSquare};
use super::dimensions::Dimensions;
use super::font::{BoardFont, TextSize};
use super::marks::Mark;
use super::ornaments;
use super::pieces::{self, PieceStyle};
use super::texture::Texture;
use super::theme::style;
use crate::board_view::Theme;
use image::RgbaImage;
use image::imageops::overlay;
use std::collections::BTreeMap;

/// Something that is laid onto the board or the frame.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Sprite {
    /// The ground of a square on which only the king may rest.
    KingSquare(KingSquare),
    /// A mark on a square.
    Mark(Mark),
    /// A piece on its square.
    Piece(PieceStyle),
    /// A piece that was just captured.
    Ghost(PieceStyle),
    /// A small piece on the frame, which shows whose turn it is or who won.
    Token(PieceStyle),
    /// The wreath around the token of the winner.
    Wreath,
    /// A letter or a digit on the frame.
    Letter(char, TextSize),
}

/// A sprite, and the point in the picture where its middle is.
pub(super) type Placed = (Sprite, i32, i32);

/// The background and the sprites of a theme for boards of one size.
pub(super) struct SpriteSheet {
    pub(super) background: RgbaImage,
    pub(super) sprites: BTreeMap<Sprite, RgbaImage>,
}

/// The side of a token on the frame, in pixels.
pub(super) const TOKEN: u32 = 32;

/// Returns the characters that can be drawn in a caption.
pub(super) fn caption_letters() -> impl Iterator<Item = char> {
    ('!'..='~').chain(['\u{2019}'])
}

impl SpriteSheet {
    /// Paints the background and all sprites.
    pub(super) fn paint(theme: Theme, dimensions: Dimensions, font: &BoardFont) -> Self {
        let style = style(theme);
        let texture = Texture::of(style.grain);
        let cell = dimensions.cell;
        let mut sprites = BTreeMap::new();
        for which in [KingSquare::Centre, KingSquare::Corner] {
            sprites.insert(Sprite::KingSquare(which), board::king_square(style, &texture, cell, which));
        }
        sprites.extend(Mark::paint_all(style, cell).into_iter().map(|(mark, image)| (Sprite::Mark(mark), image)));
        let cross = pieces::capture_cross(style, cell);
        for piece in PieceStyle::all() {
            let painted = pieces::paint(style, piece, cell);
            sprites.insert(Sprite::Ghost(piece), pieces::ghost(style, piece, cell, &painted, &cross));
            sprites.insert(Sprite::Piece(piece), painted);
            sprites.insert(Sprite::Token(piece), pieces::token(style, piece, TOKEN));
        }
        sprites.insert(Sprite::Wreath, ornaments::wreath(style, TOKEN));
        let coordinates = ('A'..='K').chain('0'..='9').map(|letter| (letter, TextSize::Coordinate));
        let narrow = ('0'..='9').map(|digit| (digit, TextSize::Narrow));
        for (letter, size) in
            coordinates.chain(narrow).chain(caption_letters().map(|letter| (letter, TextSize::Caption)))
        {
            sprites.insert(Sprite::Letter(letter, size), font.paint(letter, size, style.letters));
        }
        Self { background: board::background(style, &texture, dimensions), sprites }
    }

    /// Returns a copy of the background with sprites laid onto it.
    pub(super) fn compose(&self, list: &[Placed]) -> RgbaImage {
        let mut image = self.background.clone();
        for (sprite, x, y) in list {
            if let Some(sprite) = self.sprites.get(sprite) {
                overlay_centred(&mut image, sprite, *x, *y);
            }
        }
        image
    }
}

/// Lays a sprite onto a picture, with its middle at a point.
pub(super) fn overlay_centred(image: &mut RgbaImage, sprite: &RgbaImage, x: i32, y: i32) {
    let half = i64::from(sprite.width()) / 2;
    overlay(image, sprite, i64::from(x) - half, i64::from(y) - half);
}
