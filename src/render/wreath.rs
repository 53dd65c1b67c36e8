//! The wreath around the token of a side that has won.

use super::distance::{Point, at, ring};
use super::paint::{Ink, sprite};
use super::theme::Paints;
use image::RgbaImage;

/// The directions of the leaves on the right side, from below upwards: every 24 degrees.
const LEAVES: [Point; 6] =
    [at(0.309, 0.951), at(0.669, 0.743), at(0.914, 0.407), at(0.999, -0.035), at(0.883, -0.469), at(0.588, -0.809)];

/// Paints a wreath around a token of this size.
pub(super) fn paint(paints: &Paints, token: u32) -> RgbaImage {
    let radius = token as f32 * 0.53;
    sprite(token + 12, |p| {
        let q = at(p.x.abs(), p.y);
        let leaf = LEAVES.into_iter().fold(f32::INFINITY, |nearest, way| nearest.min(leaf(q, way, radius)));
        let stem = if q.y > -radius * 0.8 { ring(p, radius, 1.1) } else { f32::INFINITY };
        Ink::CLEAR.shape(leaf.min(stem) - 0.9, paints.frame.dark).shape(leaf.min(stem), paints.king.base)
    })
}

/// Gives the distance to a leaf: where two circles overlap, longer than broad, leaning outwards.
fn leaf(p: Point, way: Point, radius: f32) -> f32 {
    let from_middle = p.minus(way.times(radius));
    // Along the stem, upwards on the right side, turned a little outwards.
    let along = at(way.y * 0.85 + way.x * 0.53, -way.x * 0.85 + way.y * 0.53);
    let (x, y) = (from_middle.x * along.x + from_middle.y * along.y, from_middle.x * along.y - from_middle.y * along.x);
    let (long, broad) = (radius * 0.26, radius * 0.13);
    let bow = (long * long + broad * broad) / (2.0 * broad);
    at(x, y.abs() + bow - broad).length() - bow
}
