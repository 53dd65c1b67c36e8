//! Paints the pieces: turned discs with light and shadow, each with its emblem.

use super::distance::{Point, at, circle, cover, ring, smooth, stroke};
use super::emblem;
use super::paint::{BLACK, Colour, Ink, WHITE, light, sprite};
use super::theme::{PieceColours, ThemeStyle};
use crate::rules::variants::Emblem;
use crate::rules::{Piece, VARIANTS, Variant};
use image::{Rgba, RgbaImage};
use std::collections::BTreeSet;

/// Which piece it is and which emblem it has; the theme adds the colours.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct PieceStyle {
    piece: Piece,
    emblem: Emblem,
}

impl PieceStyle {
    /// Returns the style of a piece of a variant.
    pub(super) const fn of(piece: Piece, variant: &Variant) -> Self {
        Self { piece, emblem: variant.emblems.piece(piece) }
    }

    /// Returns the styles of all pieces of all variants, each once.
    pub(super) fn all() -> BTreeSet<Self> {
        VARIANTS.iter().flat_map(|variant| Piece::ALL.map(|piece| Self::of(piece, variant))).collect()
    }

    const fn colours(self, style: &ThemeStyle) -> &PieceColours {
        match self.piece {
            Piece::Attacker => &style.attacker,
            Piece::Defender => &style.defender,
            Piece::King => &style.king,
        }
    }

    /// Returns the radius as a share of the square.
    const fn radius(self) -> f32 {
        match self.piece {
            Piece::Attacker => 0.385,
            Piece::Defender => 0.375,
            Piece::King => 0.455,
        }
    }
}

/// Paints a piece for a square of this size, with its shadow.
pub(super) fn paint(style: &ThemeStyle, piece: PieceStyle, cell: u32) -> RgbaImage {
    let radius = piece.radius() * cell as f32;
    let colours = piece.colours(style);
    let mut image = sprite(room(cell), |p| {
        if colours.is_flat() {
            return disc(Ink::CLEAR, p, radius, piece, colours);
        }
        let shadow = circle(p.minus(at(radius * 0.09, radius * 0.15)), radius);
        let ground = Ink::CLEAR.over(BLACK, 0.62 * (1.0 - smooth(-radius * 0.12, radius * 0.2, shadow)));
        disc(ground, p, radius, piece, colours)
    });
    emblem::inlay(&mut image, piece.emblem, radius, colours.mark, colours.depth());
    image
}

/// Paints a point of a turned disc.
fn disc(ground: Ink, p: Point, radius: f32, piece: PieceStyle, colours: &PieceColours) -> Ink {
    let edge = circle(p, radius);
    if edge > 1.0 {
        return ground;
    }
    let r = p.length() / radius;
    let slope = slope(r, piece.piece) / r.max(1e-3);
    let slope_at = |along: f32| slope * along / radius;
    let (bright, glint) = if colours.is_flat() { (1.0, 0.0) } else { light(slope_at(p.x), slope_at(p.y)) };
    let shaded = |colour: Colour| colour.lit(0.42 + 0.58 * bright).towards(WHITE, glint * colours.polish);
    let (from, to) = if colours.pearls.is_some() { (0.785, 0.815) } else { (0.90, 0.965) };
    let rim = colours.rim.lit(0.7 + 0.5 * bright);
    let turned = ground.shape(edge, shaded(colours.base).towards(rim, smooth(from, to, r)));
    match colours.pearls {
        Some(pearl) => turned.shape(pearls(p.times(1.0 / radius)) * radius, pearl),
        None => turned,
    }
}

/// Returns the distance to the nearest of twelve pearls in the rim of a piece whose radius is 1.
fn pearls(p: Point) -> f32 {
    const MIDDLE: f32 = 0.9;
    const PEARL: f32 = 0.074;
    // The cosine and the sine of 30 degrees.
    const FAR: f32 = 0.866_025_4 * MIDDLE;
    const NEAR: f32 = 0.5 * MIDDLE;
    let q = at(p.x.abs(), p.y.abs());
    let places = [at(MIDDLE, 0.0), at(FAR, NEAR), at(NEAR, FAR), at(0.0, MIDDLE)];
    places.into_iter().fold(f32::INFINITY, |least, place| least.min(circle(q.minus(place), PEARL)))
}

/// Returns how steeply a piece rises (below 0) or falls (above 0) towards its edge.
fn slope(r: f32, piece: Piece) -> f32 {
    let groove = |at: f32, width: f32, depth: f32| {
        let off = (r - at) / width;
        if off.abs() < 1.0 { -depth * off * (1.0 - off * off) * 2.6 } else { 0.0 }
    };
    let shoulder = smooth(0.78, 1.0, r) * 1.5;
    let dome = r * 0.16;
    match piece {
        Piece::Attacker => dome + shoulder + groove(0.76, 0.07, 0.5),
        Piece::Defender | Piece::King => dome + shoulder,
    }
}

/// Fades a painted piece into the ghost of one that was captured, with a cross over it.
pub(super) fn ghost(
    style: &ThemeStyle,
    piece: PieceStyle,
    cell: u32,
    painted: &RgbaImage,
    cross: &RgbaImage,
) -> RgbaImage {
    let mut ghost = painted.clone();
    for Rgba([.., alpha]) in ghost.pixels_mut() {
        *alpha = (u32::from(*alpha) * 45 / 100) as u8;
    }
    // Without an outline, a faded piece could not be seen on a small screen.
    let (cell, colour) = (cell as f32, piece.colours(style).base);
    let outline =
        sprite(painted.width(), |p| Ink::CLEAR.over(colour, cover(ring(p, piece.radius() * cell, cell * 0.05)) * 0.9));
    image::imageops::overlay(&mut ghost, &outline, 0, 0);
    image::imageops::overlay(&mut ghost, cross, 0, 0);
    ghost
}

/// Paints the cross that lies over a captured piece.
pub(super) fn capture_cross(style: &ThemeStyle, cell: u32) -> RgbaImage {
    let (arm, width) = (cell as f32 * 0.20, cell as f32 * 0.085);
    sprite(room(cell), |p| {
        let line = |tip: Point, width: f32| stroke(p, at(-tip.x, -tip.y), tip, width);
        let both = |width: f32| line(at(arm, arm), width).min(line(at(arm, -arm), width));
        Ink::CLEAR.over(WHITE, cover(both(width + cell as f32 * 0.07)) * 0.8).shape(both(width), style.capture_cross)
    })
}

/// Returns the side of a piece's sprite. The shadow falls to the lower right and may leave the square a little.
const fn room(cell: u32) -> u32 {
    cell + cell / 8
}

/// Paints a small piece for the frame, with a bright edge around it.
pub(super) fn token(style: &ThemeStyle, piece: PieceStyle, side: u32) -> RgbaImage {
    let radius = side as f32 * 0.42;
    let colours = piece.colours(style);
    let mut image = sprite(side, |p| {
        let ground = Ink::CLEAR.shape(ring(p, radius + 1.2, 2.0), style.inlay);
        disc(ground, p, radius, piece, colours)
    });
    emblem::inlay(&mut image, piece.emblem, radius, colours.mark, colours.depth());
    image
}
