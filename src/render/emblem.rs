//! Paints the emblems on pieces: each is a shape that is laid into the surface of the piece.

use super::distance::{Point, at, circle, cover, polygon, ring, stroke};
use super::paint::{BLACK, Colour, SAMPLES, WHITE, byte};
use crate::rules::variants::Emblem;
use image::{GrayImage, Luma, Rgba, RgbaImage};

/// Returns the distance to an emblem on a piece whose radius is 1.
fn distance(emblem: Emblem, p: Point) -> f32 {
    match emblem {
        Emblem::Cross => cross(p),
        Emblem::Rings => ring(p, 0.56, 0.12).min(circle(p, 0.22)),
        Emblem::Crown => crown(p),
        Emblem::Shamrock => shamrock(p),
        Emblem::Ship => enlarged(ship, p),
        Emblem::Anchor => enlarged(anchor, p),
        Emblem::Sabres => sabres(p),
    }
}

/// Enlarges a shape that has many thin parts.
fn enlarged(shape: impl Fn(Point) -> f32, p: Point) -> f32 {
    const SCALE: f32 = 1.14;
    shape(p.times(1.0 / SCALE)) * SCALE
}

/// Folds the left half onto the right one, for shapes that are symmetric.
///
/// Parts that cross the middle must go on a little beyond it, or a seam is seen there.
const fn folded(p: Point) -> Point {
    at(p.x.abs(), p.y)
}

fn cross(p: Point) -> f32 {
    stroke(at(p.x.abs(), p.y.abs()), at(0.0, 0.0), at(0.46, 0.46), 0.19).min(circle(p, 0.17))
}

fn crown(p: Point) -> f32 {
    let q = folded(p);
    let band = polygon(q, &[at(-0.1, 0.30), at(0.50, 0.30), at(0.47, 0.48), at(-0.1, 0.48)]);
    let points = polygon(
        q,
        &[at(-0.22, 0.22), at(-0.22, -0.08), at(0.0, -0.46), at(0.22, -0.08), at(0.58, -0.34), at(0.50, 0.22)],
    );
    band.min(points).min(circle(p.minus(at(0.0, -0.46)), 0.10)).min(circle(q.minus(at(0.58, -0.34)), 0.09))
}

fn shamrock(p: Point) -> f32 {
    let q = folded(p);
    let leaf = |x: f32, y: f32| circle(q.minus(at(x, y)), 0.165);
    let leaves = leaf(0.36, -0.12).min(leaf(0.32, 0.12)).min(leaf(0.13, -0.42));
    let joints = polygon(q, &[at(0.0, 0.02), at(0.42, 0.20), at(0.46, -0.20)])
        .min(polygon(q, &[at(0.0, 0.02), at(0.24, -0.48), at(0.0, -0.44), at(-0.12, -0.24)]));
    let stem = stroke(p, at(0.0, 0.0), at(0.07, 0.40), 0.11).min(stroke(p, at(0.07, 0.40), at(0.16, 0.52), 0.11));
    leaves.min(joints).min(stem)
}

fn ship(p: Point) -> f32 {
    let hull = polygon(
        p,
        &[at(-0.58, 0.18), at(-0.42, 0.22), at(0.42, 0.22), at(0.58, 0.18), at(0.40, 0.48), at(-0.40, 0.48)],
    );
    let sail = polygon(folded(p), &[at(-0.1, -0.46), at(0.38, -0.42), at(0.43, -0.10), at(0.36, 0.08), at(-0.1, 0.06)]);
    let mast = stroke(p, at(0.0, -0.60), at(0.0, 0.25), 0.08);
    hull.min(sail).min(mast)
}

fn anchor(p: Point) -> f32 {
    let q = folded(p);
    let shank = stroke(p, at(0.0, -0.28), at(0.0, 0.50), 0.14);
    let stock = stroke(q, at(0.0, -0.14), at(0.26, -0.14), 0.12);
    let eye = ring(p.minus(at(0.0, -0.40)), 0.12, 0.10);
    let arms = if p.y > 0.12 { ring(p.minus(at(0.0, 0.08)), 0.43, 0.14) } else { f32::INFINITY };
    let fluke = polygon(q, &[at(0.30, 0.16), at(0.43, -0.04), at(0.56, 0.16)]);
    shank.min(stock).min(eye).min(arms).min(fluke)
}

fn sabres(p: Point) -> f32 {
    let q = folded(p);
    let blade = stroke(q, at(-0.40, 0.44), at(0.10, 0.06), 0.15)
        .min(stroke(q, at(0.10, 0.06), at(0.40, -0.34), 0.15))
        .min(stroke(q, at(0.40, -0.34), at(0.44, -0.50), 0.10))
        .min(stroke(at(-q.x, q.y), at(-0.40, 0.44), at(0.10, 0.06), 0.15));
    let guard = stroke(q, at(0.20, 0.16), at(0.42, 0.40), 0.11);
    blade.min(guard)
}

/// Lays an emblem into the middle of a piece of this radius. `depth` says how deep it seems to be cut.
pub(super) fn inlay(image: &mut RgbaImage, emblem: Emblem, radius: f32, colour: Colour, depth: f32) {
    let half = image.width() as f32 / 2.0;
    let step = 1.0 / SAMPLES as f32;
    let offsets = || (0..SAMPLES).map(|sample| (sample as f32 + 0.5) * step - half);
    let cut = GrayImage::from_fn(image.width(), image.height(), |x, y| {
        let near = at(x as f32 + 0.5 - half, y as f32 + 0.5 - half);
        // No emblem reaches farther, and most of a sprite is farther.
        if near.length() > 0.8 * radius {
            return Luma([0]);
        }
        let samples = offsets().flat_map(|down| offsets().map(move |right| at(x as f32 + right, y as f32 + down)));
        let covered: f32 = samples.map(|p| cover(distance(emblem, p.times(1.0 / radius)) * radius)).sum();
        Luma([(covered * 255.0 * step * step) as u8])
    });
    lay_in(image, &cut, colour, depth);
}

/// Lays a shape into a picture of the same size. With some depth its edges are dark towards the light and bright away
/// from it.
pub(super) fn lay_in(image: &mut RgbaImage, cut: &GrayImage, colour: Colour, depth: f32) {
    let covered = |x: i64, y: i64| {
        let inside =
            u32::try_from(x).ok().zip(u32::try_from(y).ok()).filter(|(x, y)| *x < cut.width() && *y < cut.height());
        inside.map_or(0.0, |(x, y)| f32::from(cut.get_pixel(x, y)[0]) / 255.0)
    };
    for (x, y, Rgba([red, green, blue, alpha])) in image.enumerate_pixels_mut() {
        let (column, row) = (i64::from(x), i64::from(y));
        let cover = covered(column, row);
        let slope = covered(column + 1, row + 1) - covered(column - 1, row - 1);
        if cover <= 0.0 && slope == 0.0 {
            continue;
        }
        let here = Colour::from_bytes([*red, *green, *blue]);
        let shade = if slope > 0.0 { BLACK } else { WHITE };
        let laid = here.towards(colour, cover).towards(shade, slope.abs().min(1.0) * depth);
        [*red, *green, *blue] = laid.bytes();
        *alpha = (*alpha).max(byte(cover));
    }
}
