//! Paints the marks on squares: the last move, a king in danger, escape paths, and highlighted squares.

use super::distance::{Point, at, circle, cover, polygon, ring, rounded_box, smooth, stroke};
use super::paint::{BLACK, Colour, Ink, WHITE, sprite};
use super::theme::ThemeStyle;
use image::RgbaImage;
use image::imageops::{rotate90, rotate180, rotate270};
use std::cmp::Ordering;

/// How far a diagonal of length 1 goes along each side.
const DIAGONAL: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// One of the four directions in a picture.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Direction {
    Up,
    Right,
    Down,
    Left,
}

impl Direction {
    /// All directions.
    pub(super) const ALL: [Self; 4] = [Self::Up, Self::Right, Self::Down, Self::Left];

    /// Returns the direction from one column and row to another, if they are in line.
    pub(super) fn between(from: (u32, u32), to: (u32, u32)) -> Option<Self> {
        match (to.0.cmp(&from.0), to.1.cmp(&from.1)) {
            (Ordering::Equal, Ordering::Less) => Some(Self::Up),
            (Ordering::Greater, Ordering::Equal) => Some(Self::Right),
            (Ordering::Equal, Ordering::Greater) => Some(Self::Down),
            (Ordering::Less, Ordering::Equal) => Some(Self::Left),
            _ => None,
        }
    }

    /// Returns the step to the next column and row.
    pub(super) const fn step(self) -> (i32, i32) {
        match self {
            Self::Up => (0, -1),
            Self::Right => (1, 0),
            Self::Down => (0, 1),
            Self::Left => (-1, 0),
        }
    }

    /// Turns a picture of something that points to the right.
    fn turn(self, right: &RgbaImage) -> RgbaImage {
        match self {
            Self::Up => rotate270(right),
            Self::Right => right.clone(),
            Self::Down => rotate90(right),
            Self::Left => rotate180(right),
        }
    }
}

/// A mark on a square.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Mark {
    /// The first square of the last move.
    Origin,
    /// The last square of the last move.
    Target,
    /// The trail on the first square.
    Tail(Direction),
    /// The trail on a square in between.
    Trail(Direction),
    /// The arrowhead, on the border of the last square.
    Head(Direction),
    /// A highlighted empty square.
    Dot,
    /// A highlighted square with a piece.
    Circle,
    /// A king in danger.
    Danger,
    /// A square on a path on which the king can escape with one move.
    EscapePath(Direction),
    /// The winning square at its end.
    EscapeSquare,
}

impl Mark {
    /// Paints all marks for a square of this size.
    pub(super) fn paint_all(style: &ThemeStyle, cell: u32) -> Vec<(Self, RgbaImage)> {
        let still = [Self::Origin, Self::Target, Self::Dot, Self::Circle, Self::Danger, Self::EscapeSquare];
        let mut painted: Vec<_> = still.into_iter().map(|mark| (mark, mark.paint(style, cell))).collect();
        for kind in [Self::Tail, Self::Trail, Self::Head, Self::EscapePath] {
            let right = kind(Direction::Right).paint(style, cell);
            painted.extend(Direction::ALL.into_iter().map(|direction| (kind(direction), direction.turn(&right))));
        }
        painted
    }

    /// Paints the mark for a square of this size. Marks with a direction point to the right.
    fn paint(self, style: &ThemeStyle, cell: u32) -> RgbaImage {
        let c = cell as f32;
        let line = c * 0.085 * style.last_move_width;
        let square = |p: Point| rounded_box(p, at(c / 2.0 - 1.0, c / 2.0 - 1.0), 2.5);
        let tinted =
            |p: Point, strength: f32| Ink::CLEAR.over(style.last_move_tint.colour, cover(square(p)) * strength);
        let border = |p: Point, width: f32| cover((square(p) + width / 2.0).abs() - width / 2.0);
        let edged = |distance: f32, colour: Colour, thick: f32| {
            Ink::CLEAR.over(colour.opposite(), cover(distance - thick) * 0.55).shape(distance, colour)
        };
        let trail = |ink: Ink, distance: f32| {
            let edge = style.last_move.opposite();
            let breadth = style.last_move_width;
            ink.over(edge, cover(distance - c * 0.022 * breadth) * 0.5 * breadth)
                .over(style.last_move, cover(distance) * 0.95)
        };
        match self {
            Self::Origin => sprite(cell, |p| trail(tinted(p, style.last_move_tint.origin), ring(p, c * 0.22, line))),
            Self::Target => sprite(cell, |p| {
                let half = c * 0.03 * style.last_move_width;
                trail(tinted(p, style.last_move_tint.target), (square(p) + half).abs() - half)
            }),
            Self::Tail(_) => sprite(cell, |p| trail(Ink::CLEAR, stroke(p, at(c * 0.30, 0.0), at(c, 0.0), line))),
            Self::Trail(_) => sprite(cell, |p| trail(Ink::CLEAR, p.y.abs() - line / 2.0)),
            Self::Head(_) => sprite(cell, |p| {
                trail(Ink::CLEAR, polygon(p, &[at(-c * 0.16, -c * 0.17), at(c * 0.12, 0.0), at(-c * 0.16, c * 0.17)]))
            }),
            Self::Dot => sprite(cell, |p| edged(circle(p, c * 0.13), style.highlight, c * 0.03)),
            Self::Circle => sprite(cell + cell / 8, |p| edged(ring(p, c * 0.45, c * 0.075), style.highlight, c * 0.02)),
            Self::Danger => sprite(cell + cell / 8, |p| {
                let glow = 1.0 - smooth(c * 0.40, c * 0.56, p.length());
                // Spikes that point at the king from the corners, for people who do not see the red.
                let (x, y) = (p.x.abs() * DIAGONAL, p.y.abs() * DIAGONAL);
                let spike =
                    polygon(at(x + y, x - y), &[at(c * 0.42, 0.0), at(c * 0.63, -c * 0.09), at(c * 0.63, c * 0.09)]);
                Ink::CLEAR
                    .over(style.danger, glow * 0.8)
                    .over(WHITE, cover(spike - c * 0.02) * 0.8)
                    .shape(spike, style.danger)
            }),
            Self::EscapePath(_) => sprite(cell, |p| {
                let (tip, back) = (at(c * 0.09, 0.0), at(-c * 0.05, c * 0.13));
                edged(stroke(at(p.x, p.y.abs()), back, tip, c * 0.06), style.escape, c * 0.025)
            }),
            Self::EscapeSquare => sprite(cell, |p| {
                // Only the corners of a frame.
                let open = if p.x.abs().min(p.y.abs()) < c * 0.22 { 0.0 } else { 1.0 };
                Ink::CLEAR
                    .over(style.escape, 0.20 * cover(square(p)))
                    .over(BLACK, border(p, c * 0.10) * 0.5 * open)
                    .over(style.escape, border(p, c * 0.065) * open)
            }),
        }
    }
}
