//! The men: turned discs with light and shadow, each with the sign of what he is.

use super::distance::{Point, at, circle, cover, ring, smooth, stroke};
use super::emblem::{self, Emblem};
use super::paint::{BLACK, Colour, Ink, WHITE, light, sprite};
use super::theme::{Body, Paints};
use crate::rules::Man;
use crate::rules::variants::Words;
use image::{Rgba, RgbaImage};

/// What a man looks like.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Figure {
    pub(super) man: Man,
    pub(super) emblem: Emblem,
}

/// Which emblem stands for whom, where a game does not call him king, defender or attacker.
const EMBLEMS: [(&str, Emblem); 4] = [
    ("leprechaun", Emblem::Shamrock),
    ("cargo ship", Emblem::Ship),
    ("convoy ship", Emblem::Anchor),
    ("pirate", Emblem::Sabres),
];

impl Figure {
    /// Finds what a man looks like by what his game calls him.
    pub(super) fn of(man: Man, words: &Words) -> Self {
        let own = EMBLEMS.iter().find(|(word, _)| *word == words.man(man)).map(|(_, emblem)| *emblem);
        Self { man, emblem: own.unwrap_or(Self::usual(man)) }
    }

    const fn usual(man: Man) -> Emblem {
        match man {
            Man::Attacker => Emblem::Cross,
            Man::Defender => Emblem::Rings,
            Man::King => Emblem::Crown,
        }
    }

    const fn body(self, paints: &Paints) -> &Body {
        match self.man {
            Man::Attacker => &paints.attacker,
            Man::Defender => &paints.defender,
            Man::King => &paints.king,
        }
    }

    /// Tells how large the man is, as a share of his square.
    const fn radius(self) -> f32 {
        match self.man {
            Man::Attacker => 0.385,
            Man::Defender => 0.375,
            Man::King => 0.455,
        }
    }
}

/// Paints a man for a square of this size, his shadow beside him.
pub(super) fn man(paints: &Paints, figure: Figure, cell: u32) -> RgbaImage {
    let radius = figure.radius() * cell as f32;
    let body = figure.body(paints);
    let mut image = sprite(room(cell), |p| {
        let shadow = circle(p.minus(at(radius * 0.09, radius * 0.15)), radius);
        let ground = Ink::CLEAR.over(BLACK, if body.polish > 0.0 { 0.62 } else { 0.0 } * (1.0 - smooth(-radius * 0.12, radius * 0.2, shadow)));
        disc(ground, p, radius, figure, body)
    });
    emblem::inlay(&mut image, figure.emblem, radius, body.mark, body.polish);
    image
}

/// Paints a place of a turned disc.
fn disc(ground: Ink, p: Point, radius: f32, figure: Figure, body: &Body) -> Ink {
    let edge = circle(p, radius);
    if edge > 1.0 {
        return ground;
    }
    let r = p.length() / radius;
    let slope = slope(r, figure.man) / r.max(1e-3);
    let (bright, glint) = if body.polish > 0.0 { light(slope * p.x / radius, slope * p.y / radius) } else { (1.0, 0.0) };
    let shaded = |colour: Colour| colour.lit(0.42 + 0.58 * bright).towards(WHITE, glint * body.polish);
    let (from, to) = if body.pearls.is_some() { (0.785, 0.815) } else { (0.90, 0.965) };
    let rim = body.rim.lit(0.7 + 0.5 * bright);
    let turned = ground.shape(edge, shaded(body.base).towards(rim, smooth(from, to, r)));
    match body.pearls {
        Some(pearl) => turned.shape(pearls(p.times(1.0 / radius)) * radius, pearl),
        None => turned,
    }
}

/// Gives the distance to the nearest of twelve pearls in the rim of a man whose radius is 1.
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

/// Gives how steeply a man rises (below 0) or falls (above 0) towards his edge.
fn slope(r: f32, man: Man) -> f32 {
    let groove = |at: f32, width: f32, depth: f32| {
        let off = (r - at) / width;
        if off.abs() < 1.0 { -depth * off * (1.0 - off * off) * 2.6 } else { 0.0 }
    };
    let shoulder = smooth(0.78, 1.0, r) * 1.5;
    let dome = r * 0.16;
    match man {
        Man::Attacker => dome + shoulder + groove(0.76, 0.07, 0.5),
        Man::Defender => dome + shoulder,
        Man::King => dome + shoulder,
    }
}

/// Fades a man into the ghost of one who was taken, a cross over him.
pub(super) fn ghost(paints: &Paints, figure: Figure, cell: u32, man: &RgbaImage, cross: &RgbaImage) -> RgbaImage {
    let mut ghost = man.clone();
    for Rgba([.., alpha]) in ghost.pixels_mut() {
        // 45 parts of 100 remain.
        *alpha = (u32::from(*alpha) * 45 / 100) as u8;
    }
    // His outline stays: on a small screen what is faded alone is gone.
    let (cell, colour) = (cell as f32, figure.body(paints).base);
    let outline =
        sprite(man.width(), |p| Ink::CLEAR.over(colour, cover(ring(p, figure.radius() * cell, cell * 0.05)) * 0.9));
    image::imageops::overlay(&mut ghost, &outline, 0, 0);
    image::imageops::overlay(&mut ghost, cross, 0, 0);
    ghost
}

/// Paints the cross that lies over a man who was taken.
pub(super) fn taken_cross(paints: &Paints, cell: u32) -> RgbaImage {
    let (arm, width) = (cell as f32 * 0.20, cell as f32 * 0.085);
    sprite(room(cell), |p| {
        let line = |tip: Point, width: f32| stroke(p, at(-tip.x, -tip.y), tip, width);
        let both = |width: f32| line(at(arm, arm), width).min(line(at(arm, -arm), width));
        Ink::CLEAR.over(WHITE, cover(both(width + cell as f32 * 0.07)) * 0.8).shape(both(width), paints.taken)
    })
}

/// Gives the side of a man's sprite: his shadow falls to the lower right and may leave the square a little.
const fn room(cell: u32) -> u32 {
    cell + cell / 8
}

/// Paints a man small, as a sign on the frame, with a bright edge that parts him from it.
pub(super) fn token(paints: &Paints, figure: Figure, side: u32) -> RgbaImage {
    let radius = side as f32 * 0.42;
    let body = figure.body(paints);
    let mut image = sprite(side, |p| {
        let ground = Ink::CLEAR.shape(ring(p, radius + 1.2, 2.0), paints.inlay);
        disc(ground, p, radius, figure, body)
    });
    emblem::inlay(&mut image, figure.emblem, radius, body.mark, body.polish);
    image
}
