//! Everything that a theme needs for boards of one size, painted in full colour.

use super::board::{self, Marked};
use super::dimensions::Measures;
use super::emblem::Emblem;
use super::font::{Letters, Size};
use super::marks::Mark;
use super::pieces::{self, Figure};
use super::texture::Sample;
use super::theme::paints;
use super::wreath;
use crate::rules::Man;
use crate::scene::Theme;
use image::RgbaImage;
use std::collections::BTreeMap;

/// Something that is laid onto the board or the frame, its middle at some place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Sprite {
    Marked(Marked),
    Mark(Mark),
    Man(Figure),
    Ghost(Figure),
    Token(Figure),
    Wreath,
    Letter(char, Size),
}

/// The painted parts of a theme, for boards of one size.
pub(super) struct Art {
    pub(super) background: RgbaImage,
    pub(super) sprites: BTreeMap<Sprite, RgbaImage>,
}

/// How large a token on the frame is.
pub(super) const TOKEN: u32 = 32;

/// The characters that can stand in a caption.
pub(super) fn caption_letters() -> impl Iterator<Item = char> {
    ('!'..='~').chain(['\u{2019}'])
}

impl Art {
    /// Paints everything.
    pub(super) fn paint(theme: Theme, measures: Measures, letters: &Letters) -> Self {
        let paints = paints(theme);
        let sample = Sample::of(paints.grain);
        let cell = measures.cell;
        let mut sprites = BTreeMap::new();
        for which in [Marked::Centre, Marked::Corner] {
            sprites.insert(Sprite::Marked(which), board::marked(paints, &sample, cell, which));
        }
        sprites.extend(Mark::paint_all(paints, cell).into_iter().map(|(mark, image)| (Sprite::Mark(mark), image)));
        let cross = pieces::taken_cross(paints, cell);
        for figure in Figure::all() {
            let man = pieces::man(paints, figure, cell);
            sprites.insert(Sprite::Ghost(figure), pieces::ghost(paints, figure, cell, &man, &cross));
            sprites.insert(Sprite::Man(figure), man);
            sprites.insert(Sprite::Token(figure), pieces::token(paints, figure, TOKEN));
        }
        sprites.insert(Sprite::Wreath, wreath::paint(paints, TOKEN));
        let coordinates = ('A'..='K').chain('0'..='9').map(|letter| (letter, Size::Coordinate));
        let narrow = ('0'..='9').map(|digit| (digit, Size::Narrow));
        for (letter, size) in coordinates.chain(narrow).chain(caption_letters().map(|letter| (letter, Size::Caption))) {
            sprites.insert(Sprite::Letter(letter, size), letters.paint(letter, size, paints.letters));
        }
        Self { background: board::background(paints, &sample, measures), sprites }
    }
}

impl Figure {
    /// Gives every man that there is a picture of.
    fn all() -> impl Iterator<Item = Self> {
        [
            (Man::Attacker, Emblem::Cross),
            (Man::Attacker, Emblem::Sabres),
            (Man::Defender, Emblem::Rings),
            (Man::Defender, Emblem::Anchor),
            (Man::King, Emblem::Crown),
            (Man::King, Emblem::Shamrock),
            (Man::King, Emblem::Ship),
        ]
        .into_iter()
        .map(|(man, emblem)| Self { man, emblem })
    }
}
