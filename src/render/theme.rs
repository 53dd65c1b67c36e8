//! The themes: the colours and materials of everything in a picture.

use super::paint::{Colour, hex};
use crate::board_view::Theme;

/// The colours and materials of a theme.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThemeStyle {
    /// How many colours a picture has. Fewer make the file smaller, but light and shadow on pieces need many.
    pub(super) colours: u8,
    /// How many steps of opacity translucent pixels have. Smooth edges need a few; more make no visible difference.
    pub(super) opacities: u32,
    /// The texture of squares and frame.
    pub(super) grain: Grain,
    /// The squares.
    pub(super) tile: Surface,
    /// The squares on which only the king may rest.
    pub(super) king_tile: Surface,
    /// The ornaments on them.
    pub(super) knot: Colour,
    /// The gaps between the squares.
    pub(super) gap: Colour,
    pub(super) frame: Surface,
    /// The thin lines and the ornaments in the frame.
    pub(super) inlay: Colour,
    /// Letters and digits on the frame.
    pub(super) letters: Colour,
    pub(super) attacker: PieceColours,
    pub(super) defender: PieceColours,
    pub(super) king: PieceColours,
    /// The trail of the last move.
    pub(super) last_move: Colour,
    /// The tint of the squares where the last move began and ended.
    pub(super) last_move_tint: Tint,
    /// The width of its lines relative to the usual one.
    pub(super) last_move_width: f32,
    /// The cross on a captured piece.
    pub(super) capture_cross: Colour,
    /// The marks on highlighted squares.
    pub(super) highlight: Colour,
    /// The glow around a king in danger.
    pub(super) danger: Colour,
    /// The path on which the king can escape with one move.
    pub(super) escape: Colour,
}

/// The darkest and the lightest tone of a surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surface {
    pub(super) dark: Colour,
    pub(super) light: Colour,
}

/// A colour that is laid over squares, and how opaque it is on the first and the last square of a move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tint {
    pub(super) colour: Colour,
    pub(super) origin: f32,
    pub(super) target: f32,
}

/// The texture of a surface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Grain {
    Wood,
    Stone,
    Smooth,
}

/// The colours of a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct PieceColours {
    /// The face.
    pub(super) base: Colour,
    pub(super) rim: Colour,
    /// The emblem.
    pub(super) mark: Colour,
    /// The pearls in a broad rim, by which a king is recognised without colours.
    pub(super) pearls: Option<Colour>,
    /// How much the piece glints, from 0 to 1. A piece with 0 is a flat shape without light and shadow.
    pub(super) polish: f32,
}

impl PieceColours {
    /// Returns whether the piece is a flat shape, without light and shadow.
    pub(super) const fn is_flat(&self) -> bool {
        self.polish == 0.0
    }

    /// Returns how deep the emblem seems to be cut into the piece.
    pub(super) const fn depth(&self) -> f32 {
        if self.is_flat() { 0.0 } else { 0.35 + 0.25 * self.polish }
    }
}

/// Returns the colours and materials of a theme.
pub(super) const fn style(theme: Theme) -> &'static ThemeStyle {
    match theme {
        Theme::Oak => &OAK,
        Theme::Slate => &SLATE,
        Theme::Contrast => &CONTRAST,
    }
}

const OAK: ThemeStyle = ThemeStyle {
    colours: 112,
    opacities: 6,
    grain: Grain::Wood,
    tile: Surface { dark: hex(0x946535), light: hex(0xb07d46) },
    king_tile: Surface { dark: hex(0x57321a), light: hex(0x744725) },
    knot: hex(0xe8c98a),
    gap: hex(0x3b2212),
    frame: Surface { dark: hex(0x38200f), light: hex(0x5f3a20) },
    inlay: hex(0xb98d4b),
    letters: hex(0xf6e3b8),
    attacker: PieceColours { base: hex(0x2a2320), rim: hex(0x120d0b), mark: hex(0xe3b878), pearls: None, polish: 0.55 },
    defender: PieceColours { base: hex(0xf5ecd8), rim: hex(0x5a3a1e), mark: hex(0x7d5a34), pearls: None, polish: 0.35 },
    king: PieceColours {
        base: hex(0xffc637),
        rim: hex(0x3a2204),
        mark: hex(0x7a0f1a),
        pearls: Some(hex(0xfff6dc)),
        polish: 0.9,
    },
    last_move: hex(0x0c4178),
    last_move_tint: Tint { colour: hex(0xffe6a6), origin: 0.34, target: 0.44 },
    last_move_width: 1.0,
    capture_cross: hex(0xb3201a),
    highlight: hex(0x07523a),
    danger: hex(0xd2210f),
    escape: hex(0xffe27a),
};

const SLATE: ThemeStyle = ThemeStyle {
    colours: 112,
    opacities: 6,
    grain: Grain::Stone,
    tile: Surface { dark: hex(0x5f6a74), light: hex(0x73808b) },
    king_tile: Surface { dark: hex(0x2b3640), light: hex(0x384650) },
    knot: hex(0xb9d3e6),
    gap: hex(0x23292e),
    frame: Surface { dark: hex(0x262c32), light: hex(0x353d45) },
    inlay: hex(0x7f97a8),
    letters: hex(0xe6eff6),
    attacker: PieceColours { base: hex(0x1c1a1d), rim: hex(0x08080a), mark: hex(0xe08a5a), pearls: None, polish: 0.5 },
    defender: PieceColours { base: hex(0xeaf0f4), rim: hex(0x2c3842), mark: hex(0x496172), pearls: None, polish: 0.35 },
    king: PieceColours {
        base: hex(0xffcd55),
        rim: hex(0x2c1e06),
        mark: hex(0x0d2f54),
        pearls: Some(hex(0xffffff)),
        polish: 0.9,
    },
    last_move: hex(0x7ad6ff),
    last_move_tint: Tint { colour: hex(0x1c608c), origin: 0.34, target: 0.44 },
    last_move_width: 1.0,
    capture_cross: hex(0xe0402e),
    highlight: hex(0x8ff0c0),
    danger: hex(0xff4a2e),
    escape: hex(0xffe680),
};

const CONTRAST: ThemeStyle = ThemeStyle {
    colours: 28,
    opacities: 3,
    grain: Grain::Smooth,
    tile: Surface { dark: hex(0x747474), light: hex(0x747474) },
    king_tile: Surface { dark: hex(0x20242c), light: hex(0x20242c) },
    knot: hex(0xffffff),
    gap: hex(0x000000),
    frame: Surface { dark: hex(0x000000), light: hex(0x000000) },
    inlay: hex(0xffffff),
    letters: hex(0xffffff),
    attacker: PieceColours { base: hex(0x000000), rim: hex(0x000000), mark: hex(0xffffff), pearls: None, polish: 0.0 },
    defender: PieceColours { base: hex(0xffffff), rim: hex(0x000000), mark: hex(0x000000), pearls: None, polish: 0.0 },
    king: PieceColours {
        base: hex(0xffd400),
        rim: hex(0x000000),
        mark: hex(0x000000),
        pearls: Some(hex(0xffffff)),
        polish: 0.0,
    },
    last_move: hex(0x000070),
    last_move_tint: Tint { colour: hex(0x8fd4ff), origin: 0.9, target: 0.9 },
    last_move_width: 1.6,
    capture_cross: hex(0xd00000),
    highlight: hex(0x00f0ff),
    danger: hex(0xff2000),
    escape: hex(0xffff40),
};
