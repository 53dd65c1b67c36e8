//! A scene becomes a picture: PNG bytes, the same on every machine.
//!
//! | question | file |
//! |---|---|
//! | Where do things lie? | `measures` |
//! | What is laid where? | `plan` |
//! | What is everything made of? | `theme`, `texture` |
//! | What does it look like? | `board`, `knot`, `pieces`, `emblem`, `marks`, `wreath`, `letters` |
//! | How is it painted? | `shape`, `paint`, collected in `art` |
//! | How is it quick and small? | `palette`, `set`, `encode` |
//!
//! Everything is painted in full colour once for each theme and size of board, and pressed into 256 colours. A picture
//! is then a copy of the background, some rows copied onto it, and a fast deflate.

mod art;
mod board;
#[cfg(test)]
mod contrast;
mod emblem;
mod encode;
mod knot;
mod letters;
mod marks;
mod measures;
mod paint;
mod palette;
mod pieces;
mod plan;
mod set;
mod shape;
mod texture;
mod theme;
mod wreath;

pub use measures::SIDE;

use crate::board_view::{BoardView, Theme};
use crate::rules::square::MAX_SIZE;
use art::Art;
use image::imageops::overlay;
use letters::Letters;
use measures::Measures;
use png::EncodingError;
use set::Set;
use std::sync::OnceLock;

/// Paints scenes. Make one and keep it: what it has prepared for one picture serves all later ones.
pub struct Renderer {
    letters: Letters,
    /// Prepared sets by theme and size of board, each made when it is first wanted.
    sets: [[OnceLock<Set>; MAX_SIZE as usize + 1]; Theme::ALL.len()],
}

impl Renderer {
    /// Gets ready to paint.
    #[must_use]
    #[expect(clippy::expect_used, reason = "the font is a part of the program, and every test of a picture loads it")]
    pub fn new() -> Self {
        let letters = Letters::load().expect("the font in the program is sound");
        Self { letters, sets: std::array::from_fn(|_| std::array::from_fn(|_| OnceLock::new())) }
    }

    /// Paints a scene and gives the picture as PNG.
    pub fn png(&self, view: &BoardView) -> Result<Vec<u8>, EncodingError> {
        let set = self.set(view);
        let rows = set.compose(&plan::plan(view, &self.letters));
        encode::palette_picture(&set.palette, &rows)
    }

    /// Paints a scene the plain way: everything anew, in full colour. The yardstick for what the palette costs the eye
    /// and what it spares.
    pub fn plain_png(&self, view: &BoardView) -> Result<Vec<u8>, EncodingError> {
        let art = Art::paint(view.theme, Measures::of(view.size), &self.letters);
        let mut image = art.background;
        for (sprite, x, y) in plan::plan(view, &self.letters) {
            if let Some(sprite) = art.sprites.get(&sprite) {
                let half = i64::from(sprite.width()) / 2;
                overlay(&mut image, sprite, i64::from(x) - half, i64::from(y) - half);
            }
        }
        encode::plain_picture(&image)
    }

    fn set(&self, view: &BoardView) -> &Set {
        // Positions come from rulebooks, whose boards are never larger than the largest.
        let size = view.size.min(MAX_SIZE);
        self.sets[view.theme as usize][usize::from(size)].get_or_init(|| {
            let measures = Measures::of(size);
            Set::press(&Art::paint(view.theme, measures, &self.letters), measures)
        })
    }
}

impl Default for Renderer {
    fn default() -> Self {
        Self::new()
    }
}
