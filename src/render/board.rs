//! Paints the empty board: the frame, the plain squares, and the squares on which only the king may rest.

use super::dimensions::{Dimensions, FRAME, INNER, MARGIN, PICTURE_SIZE};
use super::distance::{Point, at, cover, rounded_box, smooth};
use super::ornaments;
use super::paint::{BLACK, Colour, Ink, picture, sprite};
use super::texture::Texture;
use super::theme::{Grain, Surface, ThemeStyle};
use image::RgbaImage;
use image::imageops::replace;

/// The radius of the corners of the frame.
const ROUND: f32 = 16.0;

/// The width of the chamfer of the frame, outside and inside.
const CHAMFER: f32 = 5.0;

/// Paints the frame and the plain squares.
pub(super) fn background(style: &ThemeStyle, texture: &Texture, dimensions: Dimensions) -> RgbaImage {
    let half = PICTURE_SIZE as f32 / 2.0;
    let frame_half = half - MARGIN as f32;
    let mut image = picture(PICTURE_SIZE, |p| {
        let middle = p.minus(at(half, half));
        let inner = middle.x.abs().max(middle.y.abs()) - (half - INNER as f32);
        if inner < 0.0 {
            return Ink::new(style.gap, 1.0);
        }
        let outer = rounded_box(middle, at(frame_half, frame_half), ROUND);
        let wood = if outer < 0.5 { frame(style, texture, p, middle, -outer, inner) } else { BLACK };
        if outer <= -0.5 {
            return Ink::new(wood, 1.0);
        }
        let shadow = rounded_box(middle.minus(at(0.0, 5.0)), at(frame_half - 3.0, frame_half - 3.0), ROUND);
        Ink::CLEAR.over(BLACK, 0.5 * (1.0 - smooth(-6.0, 11.0, shadow))).over(wood, cover(outer))
    });
    lay_squares(&mut image, style, texture, dimensions);
    if style.grain != Grain::Smooth {
        shade(&mut image);
    }
    image
}

/// How far the grain is followed for each pixel along the frame. Less gives a longer grain.
const STRETCH: f32 = 0.5;

/// Paints a point of the frame, `depth` away from its outer edge and `inner` from its inner one.
fn frame(style: &ThemeStyle, texture: &Texture, p: Point, middle: Point, depth: f32, inner: f32) -> Colour {
    let upright = middle.x.abs() > middle.y.abs();
    let side = u32::from(upright) * 2 + u32::from(if upright { middle.x > 0.0 } else { middle.y > 0.0 });
    let (along, across) = if upright { (p.y, p.x) } else { (p.x, p.y) };
    let wood = texture.colour(&style.frame, along * STRETCH, across, 900 + side);
    // The light comes from the upper left: the top and the left bar are lit on the outside, the others on the inside.
    let to_light = if side == 0 || side == 2 { 1.0 } else { -1.0 };
    let outside = (1.0 - depth / CHAMFER).clamp(0.0, 1.0);
    let inside = (1.0 - inner / CHAMFER).clamp(0.0, 1.0);
    let slope = if outside > 0.0 {
        0.5 * to_light
    } else if inside > 0.0 {
        -0.42 * to_light
    } else {
        0.0
    };
    let mitre = cover((middle.x.abs() - middle.y.abs()).abs() - 0.4);
    let line = cover((depth - CHAMFER - 2.5).abs() - 0.6).max(cover((inner - CHAMFER - 1.5).abs() - 0.6));
    let colour = wood.lit(1.0 + slope).towards(BLACK, mitre * 0.5).towards(style.inlay, line * 0.85);
    let corner = at(middle.x.abs(), middle.y.abs());
    let knot_at = (PICTURE_SIZE / 2 - MARGIN - FRAME / 2) as f32;
    let local = at(corner.x - knot_at, corner.y - knot_at);
    if local.x.abs().max(local.y.abs()) > 13.0 {
        return colour;
    }
    let width = 2.6;
    ornaments::looped_square(at(local.x, local.y), 10.5, width)
        .paint(Ink::new(colour, 1.0), width, style.inlay)
        .colour()
}

/// Lays the plain squares into the frame: two kinds in every row, in turn.
///
/// Squares of one kind are the same along a row. That is hardly seen under the pieces, and a row compresses to two
/// squares and a repetition.
fn lay_squares(image: &mut RgbaImage, style: &ThemeStyle, texture: &Texture, dimensions: Dimensions) {
    let Dimensions { size, cell, origin } = dimensions;
    let half = cell as f32 / 2.0;
    for (row, kind) in (0..size).flat_map(|row| [(row, 0), (row, 1)]) {
        let square = picture(cell, |p| {
            Ink::new(tile(&style.tile, style, texture, p.minus(at(half, half)), cell as f32, p, row * 2 + kind), 1.0)
        });
        for column in (0..size).filter(|column| (row + column) % 2 == kind) {
            let start = |index: u32| i64::from(origin + index * cell);
            replace(image, &square, start(column), start(row));
        }
    }
}

/// The width of the shadow of the frame on the squares.
const SHADE: u32 = 10;

/// Paints the shadow that the frame casts on the squares, from above and from the left.
fn shade(image: &mut RgbaImage) {
    let end = PICTURE_SIZE - INNER;
    let strips = (INNER..end).flat_map(|along| (0..SHADE).map(move |depth| (along, INNER + depth)));
    let below =
        strips.clone().chain(strips.filter(|(along, _)| *along >= INNER + SHADE).map(|(along, depth)| (depth, along)));
    for (x, y) in below {
        let depth = (x.min(y) - INNER) as f32 + 0.5;
        // A few steps give fewer colours than a smooth shadow.
        let step = (4.0 * (1.0 - smooth(0.0, SHADE as f32, depth)) + 0.5).floor() / 4.0;
        let keep = 1.0 - 0.42 * step;
        for part in &mut image.get_pixel_mut(x, y).0[..3] {
            *part = (f32::from(*part) * keep + 0.5) as u8;
        }
    }
}

/// The side of a square on the largest board, for which the grain is made.
const SMALL_CELL: f32 = 56.0;

/// Paints the point `p` of one square, which is `local` from its middle. Its wood is cut from a `plank` of its own.
fn tile(
    material: &Surface,
    style: &ThemeStyle,
    texture: &Texture,
    local: Point,
    cell: f32,
    p: Point,
    plank: u32,
) -> Colour {
    let half = cell / 2.0 - 1.0;
    // Larger squares show a smaller part of the wood, enlarged.
    let scale = (SMALL_CELL / cell).min(1.0);
    let surface = texture.colour(material, p.x * scale, p.y * scale, plank);
    if local.x.abs().max(local.y.abs()) < half - 3.0 {
        return surface;
    }
    // Without grain the edges are the same in every row, which makes the picture smaller and is not seen.
    let surface = material.dark.towards(material.light, 0.5);
    let edge = rounded_box(local, at(half, half), 2.5);
    // Rounded edges are bright towards the light and dark away from it.
    let near = if style.grain == Grain::Smooth { 0.0 } else { smooth(-2.6, -0.4, edge) };
    let towards = if local.x.abs() > local.y.abs() { -local.x } else { -local.y };
    let lit = surface.lit(1.0 + near * if towards > 0.0 { 0.28 } else { -0.3 });
    style.gap.towards(lit, cover(edge))
}

/// A square on which only the king may rest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum KingSquare {
    /// The centre of the board: throne, castle or refuge.
    Centre,
    /// A corner of the board.
    Corner,
}

/// Paints a square on which only the king may rest.
pub(super) fn king_square(style: &ThemeStyle, texture: &Texture, cell: u32, which: KingSquare) -> RgbaImage {
    let side = cell as f32;
    sprite(cell, |p| {
        let ground = tile(&style.king_tile, style, texture, p, side, p.minus(at(-200.0, -200.0)), 4000 + which as u32);
        let ground = Ink::new(ground, 1.0);
        match which {
            KingSquare::Centre => {
                let width = side * 0.072;
                ornaments::centre_knot(p, side * 0.395, width).paint(ground, width, style.knot)
            }
            KingSquare::Corner => {
                let width = side * 0.085;
                ornaments::looped_square(p, side * 0.36, width).paint(ground, width, style.knot)
            }
        }
    })
}
