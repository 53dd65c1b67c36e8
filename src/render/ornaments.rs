//! Ornaments: the interlaced knots on special squares and on the frame, and the wreath of a winner.

use super::distance::{Point, at, cover, ring, rounded_box};
use super::paint::{Colour, Ink, sprite};
use super::theme::ThemeStyle;
use image::RgbaImage;

/// Two bands cross where the middles of both are within this many widths.
const NEAR: f32 = 1.4;

/// A band of a knot, as seen from a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Band {
    /// The distance to the middle of the band.
    off: f32,
    /// The distance to the middle of the nearest band that lies over this one.
    above: f32,
}

impl Band {
    const fn alone(off: f32) -> Self {
        Self { off, above: f32::INFINITY }
    }

    /// Paints the band: brighter along its middle, with a gap beside the band that lies over it.
    pub(super) fn paint(self, ground: Ink, width: f32, colour: Colour) -> Ink {
        let across = (self.off / (width / 2.0)).min(1.0);
        let parted = 1.0 - cover(self.above - width * 0.86);
        ground
            .over(colour.lit(0.22), cover(self.off - width * 0.64) * 0.8)
            .over(colour.lit(1.12 - across * across * 0.42), cover(self.off - width / 2.0) * parted)
    }

    /// Puts this band over another one, where both are near.
    fn on_top_of(self, under: Self, width: f32) -> Self {
        if self.off <= width / 2.0 { self } else { Self { off: under.off, above: self.off.min(under.above) } }
    }
}

/// Returns the band at a point of the knot of the centre: two long loops and a ring, interlaced.
///
/// `reach` is the distance from the middle to the ends of the loops.
pub(super) fn centre_knot(p: Point, reach: f32, width: f32) -> Band {
    let narrow = reach * 0.30;
    let loop_along = |p: Point| rounded_box(p, at(reach, narrow), narrow).abs();
    let (lying, upright) = (loop_along(p), loop_along(at(p.y, p.x)));
    let round = ring(p, reach * 0.70, 0.0);
    // Each band goes over and under in turn if, in one pair of opposite quarters, the lying loop is over the upright
    // one, the upright one over the ring, and the ring over the lying one, and the reverse in the other pair. All
    // three never meet in one point.
    let cycle = if p.x * p.y > 0.0 { [lying, upright, round] } else { [round, upright, lying] };
    (0..3)
        .map(|n| Band { off: cycle[n], above: cycle[(n + 2) % 3] })
        .find(|band| band.off <= width / 2.0 && band.above > width / 2.0)
        .unwrap_or_else(|| nearest(cycle.map(Band::alone)))
}

/// Returns the band at a point of the looped square, ⌘.
pub(super) fn looped_square(p: Point, reach: f32, width: f32) -> Band {
    // A loop's middle is as far beyond the crossing as the loop is round.
    let round = reach * 0.285;
    let crossing = reach - 2.0 * round;
    let q = at(p.x.abs(), p.y.abs());
    let line = |across: f32, along: f32| {
        let beyond = (along - crossing - round).max(0.0);
        at(across - crossing, beyond).length()
    };
    let (lying, upright) = (line(q.y, q.x), line(q.x, q.y));
    let eye = q.minus(at(crossing + round, crossing + round));
    let around = if eye.x > 0.0 || eye.y > 0.0 { ring(eye, round, 0.0) } else { f32::INFINITY };
    let [lying, upright, around] = [lying, upright, around].map(Band::alone);
    let (over, under) = if p.x * p.y > 0.0 { (lying, upright) } else { (upright, lying) };
    if around.off > over.off.min(under.off) && over.off.max(under.off) <= width * NEAR {
        over.on_top_of(under, width)
    } else {
        nearest([over, under, around])
    }
}

fn nearest(bands: [Band; 3]) -> Band {
    bands.into_iter().fold(Band::alone(f32::INFINITY), |best, band| if band.off < best.off { band } else { best })
}

/// The directions of the leaves on the right side, upwards, every 24 degrees.
const LEAVES: [Point; 6] =
    [at(0.309, 0.951), at(0.669, 0.743), at(0.914, 0.407), at(0.999, -0.035), at(0.883, -0.469), at(0.588, -0.809)];

/// Paints a wreath around a token of this size.
pub(super) fn wreath(style: &ThemeStyle, token: u32) -> RgbaImage {
    let radius = token as f32 * 0.53;
    sprite(token + 12, |p| {
        let q = at(p.x.abs(), p.y);
        let leaf = LEAVES.into_iter().fold(f32::INFINITY, |nearest, way| nearest.min(leaf(q, way, radius)));
        let stem = if q.y > -radius * 0.8 { ring(p, radius, 1.1) } else { f32::INFINITY };
        Ink::CLEAR.shape(leaf.min(stem) - 0.9, style.frame.dark).shape(leaf.min(stem), style.king.base)
    })
}

/// Returns the distance to a leaf: the overlap of two circles, leaning outwards.
fn leaf(p: Point, way: Point, radius: f32) -> f32 {
    let from_middle = p.minus(way.times(radius));
    // Along the stem, upwards on the right side, turned a little outwards.
    let along = at(way.y * 0.85 + way.x * 0.53, -way.x * 0.85 + way.y * 0.53);
    let (x, y) = (from_middle.x * along.x + from_middle.y * along.y, from_middle.x * along.y - from_middle.y * along.x);
    let (long, broad) = (radius * 0.26, radius * 0.13);
    let bow = (long * long + broad * broad) / (2.0 * broad);
    at(x, y.abs() + bow - broad).length() - bow
}
