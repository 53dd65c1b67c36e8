//! A scene becomes a picture: PNG bytes, the same on every machine.
//!
//! | question | file |
//! |---|---|
//! | Where do things lie? | `dimensions` |
//! | What is laid where? | `draw_list` |
//! | What is everything made of? | `theme`, `texture` |
//! | What does it look like? | `board`, `ornaments`, `pieces`, `emblem`, `marks`, `wreath`, `font` |
//! | How is it painted? | `distance`, `paint`, collected in `sprites` |
//! | How is it quick and small? | `palette`, `prepared_theme`, `encode` |
//!
//! Everything is painted in full colour once for each theme and size of board, and pressed into 256 colours. A picture
//! is then a copy of the background, some rows copied onto it, and a fast deflate.

mod board;
mod canvas;
#[cfg(test)]
mod contrast_test;
mod deflate;
mod dimensions;
mod distance;
mod draw_list;
mod emblem;
mod encode;
mod font;
mod huffman;
mod indexed_sprite;
mod marks;
mod ornaments;
mod paint;
mod palette;
mod pieces;
mod prepared_theme;
mod quantize;
mod sprites;
mod texture;
mod theme;

pub use dimensions::SIDE;

use crate::rules::square::MAX_SIZE;
use crate::scene::{Scene, Theme};
use canvas::{Workspace, WorkspacePool};
use dimensions::Dimensions;
use font::BoardFont;
use image::imageops::overlay;
use png::EncodingError;
use prepared_theme::PreparedTheme;
use sprites::SpriteSheet;
use std::sync::OnceLock;

/// Paints scenes. Make one and keep it: what it has prepared for one picture serves all later ones.
pub struct Renderer {
    letters: BoardFont,
    workspaces: WorkspacePool,
    /// Prepared themes by theme and size of board, each made when it is first wanted.
    themes: [[OnceLock<PreparedTheme>; MAX_SIZE as usize + 1]; Theme::ALL.len()],
}

impl Renderer {
    /// Gets ready to paint.
    #[must_use]
    #[expect(clippy::expect_used, reason = "the font is a part of the program, and every test of a picture loads it")]
    pub fn new() -> Self {
        let letters = BoardFont::load().expect("the font in the program is sound");
        Self {
            letters,
            workspaces: WorkspacePool::default(),
            themes: std::array::from_fn(|_| std::array::from_fn(|_| OnceLock::new())),
        }
    }

    /// Paints a scene and gives the picture as PNG.
    pub fn png(&self, scene: &Scene) -> Result<Vec<u8>, EncodingError> {
        let laid = draw_list::plan(scene, &self.letters);
        self.workspaces.with(|workspace| {
            let theme = self.theme(scene, workspace);
            theme.compose(&laid, &mut workspace.canvas);
            encode::indexed_png(theme, scene.orientation, workspace)
        })
    }

    /// Paints a scene the plain way: everything anew, in full colour. The yardstick for what the palette costs the eye
    /// and what it spares.
    pub fn plain_png(&self, scene: &Scene) -> Result<Vec<u8>, EncodingError> {
        let art = SpriteSheet::paint(scene.theme, Dimensions::of(scene.size), &self.letters);
        let mut image = art.background;
        for (sprite, x, y) in draw_list::plan(scene, &self.letters) {
            if let Some(sprite) = art.sprites.get(&sprite) {
                let half = i64::from(sprite.width()) / 2;
                overlay(&mut image, sprite, i64::from(x) - half, i64::from(y) - half);
            }
        }
        encode::plain_picture(&image)
    }

    /// Returns the theme of a scene, prepared for its board.
    fn theme(&self, scene: &Scene, workspace: &mut Workspace) -> &PreparedTheme {
        // Positions come from rulebooks, whose boards are never larger than the largest.
        let size = scene.size.min(MAX_SIZE);
        self.themes[scene.theme as usize][usize::from(size)]
            .get_or_init(|| PreparedTheme::new(scene.theme, size, &self.letters, workspace))
    }
}

impl Default for Renderer {
    fn default() -> Self {
        Self::new()
    }
}
