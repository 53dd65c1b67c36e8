//! Everything that a theme needs for boards of one size, painted in full colour.

use super::board::{self, KingSquare};
use super::dimensions::Dimensions;
use super::font::{BoardFont, TextSize};
use super::marks::Mark;
use super::ornaments;
use super::pieces::{self, PieceStyle};
use super::texture::Texture;
use super::theme::style;
use crate::scene::Theme;
use image::RgbaImage;
use std::collections::BTreeMap;

/// Something that is laid onto the board or the frame, its middle at some place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Sprite {
    KingSquare(KingSquare),
    Mark(Mark),
    Piece(PieceStyle),
    Ghost(PieceStyle),
    Token(PieceStyle),
    Wreath,
    Letter(char, TextSize),
}

/// The painted parts of a theme, for boards of one size.
pub(super) struct SpriteSheet {
    pub(super) background: RgbaImage,
    pub(super) sprites: BTreeMap<Sprite, RgbaImage>,
}

/// How large a token on the frame is.
pub(super) const TOKEN: u32 = 32;

/// The characters that can stand in a caption.
pub(super) fn caption_letters() -> impl Iterator<Item = char> {
    ('!'..='~').chain(['\u{2019}'])
}

impl SpriteSheet {
    /// Paints everything.
    pub(super) fn paint(theme: Theme, dimensions: Dimensions, letters: &BoardFont) -> Self {
        let style = style(theme);
        let sample = Texture::of(style.grain);
        let cell = dimensions.cell;
        let mut sprites = BTreeMap::new();
        for which in [KingSquare::Centre, KingSquare::Corner] {
            sprites.insert(Sprite::KingSquare(which), board::marked(style, &sample, cell, which));
        }
        sprites.extend(Mark::paint_all(style, cell).into_iter().map(|(mark, image)| (Sprite::Mark(mark), image)));
        let cross = pieces::taken_cross(style, cell);
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
            sprites.insert(Sprite::Letter(letter, size), letters.paint(letter, size, style.letters));
        }
        Self { background: board::background(style, &sample, dimensions), sprites }
    }
}
