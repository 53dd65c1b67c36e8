//! Colours, light, and the functions that turn them into pixels.

use super::distance::{Point, at, cover};
use image::{Rgba, RgbaImage};

/// A colour. Each channel goes from 0 to 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Colour {
    pub(super) red: f32,
    pub(super) green: f32,
    pub(super) blue: f32,
}

/// Makes a colour from its code: `0xff8000` is orange.
pub(super) const fn hex(code: u32) -> Colour {
    const fn channel(code: u32, shift: u32) -> f32 {
        (code >> shift & 0xff) as f32 / 255.0
    }
    Colour { red: channel(code, 16), green: channel(code, 8), blue: channel(code, 0) }
}

pub(super) const BLACK: Colour = hex(0);
pub(super) const WHITE: Colour = hex(0x00ff_ffff);

impl Colour {
    /// Mixes this colour with another. A share of 0 returns this colour, a share of 1 the other one.
    #[inline]
    pub(super) fn towards(self, other: Self, share: f32) -> Self {
        let mix = |from: f32, to: f32| from + (to - from) * share;
        Self { red: mix(self.red, other.red), green: mix(self.green, other.green), blue: mix(self.blue, other.blue) }
    }

    /// Returns black or white, whichever contrasts with the colour.
    pub(super) fn opposite(self) -> Self {
        if self.red * 0.3 + self.green * 0.6 + self.blue * 0.1 > 0.5 { BLACK } else { WHITE }
    }

    /// Darkens the colour with light below 1 and brightens it with light above 1.
    #[inline]
    pub(super) fn lit(self, light: f32) -> Self {
        let channel = |channel: f32| (channel * light.max(0.0)).min(1.0);
        Self { red: channel(self.red), green: channel(self.green), blue: channel(self.blue) }
    }

    /// Makes a colour from its channels as bytes.
    #[inline]
    pub(super) const fn from_bytes([red, green, blue]: [u8; 3]) -> Self {
        hex(u32::from_be_bytes([0, red, green, blue]))
    }

    /// Returns the channels as bytes.
    #[inline]
    pub(super) fn bytes(self) -> [u8; 3] {
        [self.red, self.green, self.blue].map(byte)
    }
}

/// A colour with an opacity.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Ink {
    colour: Colour,
    alpha: f32,
}

impl Ink {
    /// Fully transparent.
    pub(super) const CLEAR: Self = Self { colour: BLACK, alpha: 0.0 };

    /// Makes an ink from a colour and its opacity.
    pub(super) const fn new(colour: Colour, alpha: f32) -> Self {
        Self { colour, alpha }
    }

    /// Lays a colour over this ink.
    #[inline]
    pub(super) fn over(self, colour: Colour, alpha: f32) -> Self {
        let alpha = alpha.clamp(0.0, 1.0);
        let all = alpha + self.alpha * (1.0 - alpha);
        if all <= 0.0 {
            return Self::CLEAR;
        }
        Self { colour: self.colour.towards(colour, alpha / all), alpha: all }
    }

    /// Lays a shape over this ink, given the distance to it.
    #[inline]
    pub(super) fn shape(self, distance: f32, colour: Colour) -> Self {
        self.over(colour, cover(distance))
    }

    /// Returns the colour without its opacity.
    pub(super) const fn colour(self) -> Colour {
        self.colour
    }

    #[inline]
    fn pixel(self) -> Rgba<u8> {
        let [red, green, blue] = self.colour.bytes();
        Rgba([red, green, blue, byte(self.alpha)])
    }
}

/// Returns a channel or an opacity from 0 to 1 as a byte.
#[inline]
pub(super) fn byte(channel: f32) -> u8 {
    (channel.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}

/// How many samples of a sprite are taken along each side of a pixel.
pub(super) const SAMPLES: u32 = 2;

/// Paints a square sprite from a function that returns the ink at a point, measured from the middle of the sprite.
pub(super) fn sprite(side: u32, ink: impl Fn(Point) -> Ink) -> RgbaImage {
    let half = side as f32 / 2.0;
    RgbaImage::from_fn(side, side, |column, row| {
        let (mut colour, mut alpha) = (BLACK, 0.0);
        for (right, down) in (0..SAMPLES).flat_map(|down| (0..SAMPLES).map(move |right| (right, down))) {
            let place = |pixel: u32, sample: u32| pixel as f32 + (sample as f32 + 0.5) / SAMPLES as f32 - half;
            let sample = ink(at(place(column, right), place(row, down)));
            // Transparent samples do not count for the colour.
            alpha += sample.alpha;
            if alpha > 0.0 {
                colour = colour.towards(sample.colour, sample.alpha / alpha);
            }
        }
        Ink::new(colour, alpha / (SAMPLES * SAMPLES) as f32).pixel()
    })
}

/// Paints a square picture with one sample for each pixel, measured from its upper left corner.
///
/// Use it for pictures without hard edges, or if `ink` returns smooth edges.
pub(super) fn picture(side: u32, ink: impl Fn(Point) -> Ink) -> RgbaImage {
    RgbaImage::from_fn(side, side, |column, row| ink(at(column as f32 + 0.5, row as f32 + 0.5)).pixel())
}

/// Returns how bright a surface of this slope is (1 if it is level) and how much it glints.
///
/// The light comes from the upper left.
#[inline]
pub(super) fn light(dx: f32, dy: f32) -> (f32, f32) {
    const TO_LIGHT: (f32, f32, f32) = (-0.44, -0.59, 0.68);
    // Halfway between the light and the eye, which looks straight down.
    const HALFWAY: (f32, f32, f32) = (-0.24, -0.322, 0.916);
    let length = (dx * dx + dy * dy + 1.0).sqrt();
    let facing = |to: (f32, f32, f32)| ((to.2 - dx * to.0 - dy * to.1) / length).max(0.0);
    let mut glint = facing(HALFWAY).min(1.0);
    for _ in 0..5 {
        glint *= glint;
    }
    (facing(TO_LIGHT) / TO_LIGHT.2, glint)
}
