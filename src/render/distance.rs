//! Signed distances to shapes, in pixels: negative inside, positive outside.
//!
//! Everything is painted from distances, so edges are smooth at any size. Here and wherever pixels are computed, only
//! addition, multiplication, division and the square root are used: their results are the same on every machine, while
//! sines and powers differ between libraries in the last digit.

/// A point or a direction. `y` points down.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Point {
    pub(super) x: f32,
    pub(super) y: f32,
}

/// Makes a point.
pub(super) const fn at(x: f32, y: f32) -> Point {
    Point { x, y }
}

impl Point {
    #[inline]
    pub(super) fn length(self) -> f32 {
        (self.x * self.x + self.y * self.y).sqrt()
    }

    #[inline]
    pub(super) fn minus(self, other: Self) -> Self {
        at(self.x - other.x, self.y - other.y)
    }

    #[inline]
    pub(super) fn times(self, by: f32) -> Self {
        at(self.x * by, self.y * by)
    }

    #[inline]
    fn dot(self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y
    }
}

/// Returns the distance to a disc.
#[inline]
pub(super) fn circle(p: Point, radius: f32) -> f32 {
    p.length() - radius
}

/// Returns the distance to the outline of a circle, drawn `width` wide.
#[inline]
pub(super) fn ring(p: Point, radius: f32, width: f32) -> f32 {
    (p.length() - radius).abs() - width / 2.0
}

/// Returns the distance to a line with round ends.
#[inline]
pub(super) fn stroke(p: Point, from: Point, to: Point, width: f32) -> f32 {
    let (along, line) = (p.minus(from), to.minus(from));
    let share = (along.dot(line) / line.dot(line).max(1e-6)).clamp(0.0, 1.0);
    along.minus(line.times(share)).length() - width / 2.0
}

/// Returns the distance to a box around the origin with rounded corners.
#[inline]
pub(super) fn rounded_box(p: Point, half: Point, radius: f32) -> f32 {
    let out = at(p.x.abs() - half.x + radius, p.y.abs() - half.y + radius);
    at(out.x.max(0.0), out.y.max(0.0)).length() + out.x.max(out.y).min(0.0) - radius
}

/// Returns the distance to a closed polygon.
pub(super) fn polygon(p: Point, corners: &[Point]) -> f32 {
    let Some(mut previous) = corners.last().copied() else { return f32::INFINITY };
    let (mut nearest, mut inside) = (f32::INFINITY, false);
    for &corner in corners {
        let (edge, along) = (previous.minus(corner), p.minus(corner));
        let share = (along.dot(edge) / edge.dot(edge).max(1e-6)).clamp(0.0, 1.0);
        let off = along.minus(edge.times(share));
        nearest = nearest.min(off.dot(off));
        if (corner.y > p.y) != (previous.y > p.y) {
            let crossing = corner.x + (p.y - corner.y) / (previous.y - corner.y) * (previous.x - corner.x);
            inside ^= p.x < crossing;
        }
        previous = corner;
    }
    if inside { -nearest.sqrt() } else { nearest.sqrt() }
}

/// Returns how much of a pixel a shape at this distance covers, from 0 to 1.
#[inline]
pub(super) fn cover(distance: f32) -> f32 {
    (0.5 - distance).clamp(0.0, 1.0)
}

/// Returns a value that goes smoothly from 0 at `from` to 1 at `to`.
#[inline]
pub(super) fn smooth(from: f32, to: f32, value: f32) -> f32 {
    let t = ((value - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
