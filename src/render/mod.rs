//! Paints boards as PNG pictures. The same view gives the same bytes on every machine.
//!
//! | step | files |
//! |---|---|
//! | decide what is where | `draw_list`, `dimensions` |
//! | paint sprites in full colour, once for each theme and board size | `sprites`, `board`, `pieces`, `emblem`, `marks`, `ornaments`, `font`, with `distance`, `paint`, `texture`, `theme` |
//! | reduce them to a palette | `prepared_theme`, `quantize`, `palette`, `indexed_sprite` |
//! | compose a picture on a reused canvas | `canvas`, `indexed_sprite` |
//! | compress it | `match_finder`, `huffman`, `deflate`, `encode` |
//!
//! A picture costs a copy of the background, some copied rows, and one pass of compression with prepared codes.

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
mod match_finder;
mod ornaments;
mod paint;
mod palette;
mod pieces;
mod prepared_theme;
mod quantize;
mod sprites;
mod texture;
mod theme;

pub use dimensions::PICTURE_SIZE;
pub use png::EncodingError;

use crate::board_view::{BoardView, Theme};
use crate::rules::square::MAX_SIZE;
use canvas::{Workspace, WorkspacePool};
use dimensions::Dimensions;
use draw_list::draw_list;
use font::BoardFont;
use prepared_theme::PreparedTheme;
use sprites::SpriteSheet;
use std::sync::OnceLock;

/// Paints boards.
///
/// Create one renderer and share it between threads: a theme is prepared when its first picture is painted, which takes
/// about 100 times as long as a picture, and serves all later pictures.
///
/// ```
/// use ratatosk::render::Renderer;
/// use ratatosk::rules::Variant;
/// use ratatosk::board_view::{BoardView, Theme};
///
/// let variant = Variant::find("brandubh").expect("a known variant");
/// let start = variant.start_position(variant.default_layout());
/// let mut view = BoardView::of(variant, &variant.rulebook(), &start);
/// view.theme = Theme::Slate;
/// view.caption = String::from("Attackers to move");
///
/// let renderer = Renderer::new();
/// let picture = renderer.png(&view)?;
/// assert!(picture.starts_with(b"\x89PNG"));
/// assert!(picture.len() < 60_000);
/// # Ok::<(), ratatosk::render::EncodingError>(())
/// ```
pub struct Renderer {
    font: BoardFont,
    workspaces: WorkspacePool,
    /// Prepared themes by theme and board size.
    themes: [[OnceLock<PreparedTheme>; MAX_SIZE as usize + 1]; Theme::ALL.len()],
}

impl Renderer {
    /// Creates a renderer. Nothing is prepared yet.
    #[must_use]
    #[expect(clippy::expect_used, reason = "the font is a part of the program, and every test of a picture loads it")]
    pub fn new() -> Self {
        let font = BoardFont::load().expect("the font in the program is sound");
        let themes = std::array::from_fn(|_| std::array::from_fn(|_| OnceLock::new()));
        Self { font, workspaces: WorkspacePool::default(), themes }
    }

    /// Returns a picture of the view as a PNG file, [`PICTURE_SIZE`] pixels wide and high.
    ///
    /// The vector has almost no spare capacity, so it can be kept and shared as it is.
    ///
    /// # Errors
    /// Fails if the encoder does. No view is known for which it fails.
    pub fn png(&self, view: &BoardView) -> Result<Vec<u8>, EncodingError> {
        let list = draw_list(view, &self.font);
        self.workspaces.with(|workspace| {
            let theme = self.theme(view, workspace);
            theme.compose(&list, &mut workspace.canvas);
            encode::indexed_png(theme, view.orientation, workspace)
        })
    }

    /// Returns the same picture in full colour, painted from scratch.
    ///
    /// This is what [`Renderer::png`] is compared with in tests and benches. It takes almost 100 times as long.
    ///
    /// # Errors
    /// Fails if the encoder does. No view is known for which it fails.
    pub fn full_colour_png(&self, view: &BoardView) -> Result<Vec<u8>, EncodingError> {
        let sheet = SpriteSheet::paint(view.theme, Dimensions::of(view.size), &self.font);
        encode::full_colour_png(&sheet.compose(&draw_list(view, &self.font)))
    }

    /// Returns the theme of a view, prepared for the size of its board.
    fn theme(&self, view: &BoardView, workspace: &mut Workspace) -> &PreparedTheme {
        // Positions come from rulebooks, whose boards are never larger than MAX_SIZE.
        let size = view.size.min(MAX_SIZE);
        self.themes[view.theme as usize][usize::from(size)]
            .get_or_init(|| PreparedTheme::new(view.theme, size, &self.font, workspace))
    }
}

impl Default for Renderer {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;
    use crate::board_view::Orientation;
    use crate::rules::VARIANTS;
    use png::{DecodeOptions, Decoder};
    use std::io::Cursor;

    /// Returns the palette indices of all pixels in a file, after checking all checksums.
    fn decode(file: &[u8]) -> Vec<u8> {
        let mut options = DecodeOptions::default();
        options.set_ignore_checksums(false);
        let mut reader = Decoder::new_with_options(Cursor::new(file), options).read_info().expect("a header");
        let mut numbers = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut numbers).expect("all rows");
        numbers
    }

    #[test]
    fn files_decode_to_the_composed_canvas() {
        let renderer = Renderer::new();
        for (variant, theme) in VARIANTS.iter().flat_map(|variant| Theme::ALL.map(|theme| (variant, theme))) {
            let mut view =
                BoardView::of(variant, &variant.rulebook(), &variant.start_position(variant.default_layout()));
            view.theme = theme;
            // Sprites on all edges reach as far into the frame as they can.
            view.highlights = view.position.occupied();
            view.escape_squares = view.king_only;
            for orientation in [Orientation::Upright, Orientation::Flipped] {
                view.orientation = orientation;
                let file = renderer.png(&view).expect("a picture");
                let mut workspace = Workspace::new();
                let list = draw_list(&view, &renderer.font);
                renderer.theme(&view, &mut workspace).compose(&list, &mut workspace.canvas);
                let composed: Vec<u8> = workspace.canvas.rows_mut().flat_map(|row| row[1..].to_vec()).collect();
                assert!(decode(&file) == composed, "{} {}", variant.id, theme.id());
            }
        }
    }
}
