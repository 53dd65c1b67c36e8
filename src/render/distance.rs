//! Distances to shapes: negative inside, positive outside, in pixels.
//!
//! Everything is painted from such distances, so that an edge is smooth at any size. Only addition, multiplication,
//! division and the square root are used, here and wherever pixels are made: these are exact everywhere, while the
//! sine or the power of one machine's library differs from another's in the last digit.

/// A point or a direction, y downwards.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Point {
    pub(super) x: f32,
    pub(super) y: f32,
}

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

#[inline]
pub(super) fn circle(p: Point, radius: f32) -> f32 {
    p.length() - radius
}

/// The outline of a circle, `width` broad.
#[inline]
pub(super) fn ring(p: Point, radius: f32, width: f32) -> f32 {
    (p.length() - radius).abs() - width / 2.0
}

/// A line with round ends.
#[inline]
pub(super) fn stroke(p: Point, from: Point, to: Point, width: f32) -> f32 {
    let (along, line) = (p.minus(from), to.minus(from));
    let share = (along.dot(line) / line.dot(line).max(1e-6)).clamp(0.0, 1.0);
    along.minus(line.times(share)).length() - width / 2.0
}

/// A box around the origin whose corners are rounded.
#[inline]
pub(super) fn rounded_box(p: Point, half: Point, radius: f32) -> f32 {
    let out = at(p.x.abs() - half.x + radius, p.y.abs() - half.y + radius);
    at(out.x.max(0.0), out.y.max(0.0)).length() + out.x.max(out.y).min(0.0) - radius
}

/// A closed polygon.
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

/// Tells how much of a pixel a shape covers.
#[inline]
pub(super) fn cover(distance: f32) -> f32 {
    (0.5 - distance).clamp(0.0, 1.0)
}

/// Goes smoothly from 0 at `from` to 1 at `to`.
#[inline]
pub(super) fn smooth(from: f32, to: f32, value: f32) -> f32 {
    let t = ((value - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
