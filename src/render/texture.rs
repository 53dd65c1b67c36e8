//! Surface textures: the grain of wood and the clouds of stone.

use super::distance::smooth;
use super::paint::Colour;
use super::theme::{Grain, Surface};

/// How many tones a surface has. A few tones in long runs along the rows keep the picture small.
const TONES: f32 = 5.0;

/// The width and the height of a texture in pixels.
const TEXTURE_SIZE: usize = 192;

/// How much planks differ: some are darker than others.
const PLANK_CONTRAST: f32 = 0.26;

/// A texture, computed once. Planks and tiles are cut from different places of it.
pub(super) struct Texture {
    tones: Vec<f32>,
}

impl Texture {
    /// Computes the texture of a grain.
    pub(super) fn of(grain: Grain) -> Self {
        let tone = match grain {
            Grain::Wood => wood,
            Grain::Stone => stone,
            Grain::Smooth => |_, _| 0.5,
        };
        let places = (0..TEXTURE_SIZE).flat_map(|y| (0..TEXTURE_SIZE).map(move |x| (x as f32, y as f32)));
        Self { tones: places.map(|(x, y)| tone(x, y)).collect() }
    }

    /// Returns the colour at a place of a plank, whose grain runs along `x`. Each plank is cut from another place.
    pub(super) fn colour(&self, surface: &Surface, x: f32, y: f32, plank: u32) -> Colour {
        let cut = |value: f32, salt: u32| mirrored(value as u32 + (unit(plank, salt, 3) * 997.0) as u32);
        let tone = self.tones[cut(y, 1) * TEXTURE_SIZE + cut(x, 2)] + (unit(plank, 7, 77) - 0.5) * PLANK_CONTRAST;
        surface.dark.towards(surface.light, f32::from((tone * TONES).clamp(0.0, TONES - 1.0) as u8) / (TONES - 1.0))
    }
}

/// Walks back and forth over the texture, so that it has no seam.
#[inline]
const fn mirrored(place: u32) -> usize {
    let place = place as usize % (2 * TEXTURE_SIZE);
    if place < TEXTURE_SIZE { place } else { 2 * TEXTURE_SIZE - 1 - place }
}

fn wood(x: f32, y: f32) -> f32 {
    // Growth rings: lines along the plank that wander slowly. Scales along `x` are small, which gives long runs.
    let wander = noise(x * 0.008, y * 0.035, 0);
    let rings = wave(y * 0.11 + wander * 5.0, 1);
    let fibre = noise(x * 0.012, y * 0.62, 2);
    // Short dark pores make it oak.
    let pore = smooth(0.72, 0.9, noise(x * 0.036, y * 0.9, 3));
    0.33 + rings * 0.42 + fibre * 0.26 - pore * 0.3
}

fn stone(x: f32, y: f32) -> f32 {
    let clouds = noise(x * 0.03, y * 0.07, 0);
    let layers = noise(x * 0.05, y * 0.3, 1);
    0.28 + clouds * 0.38 + layers * 0.32
}

/// Returns smooth noise from 0 to 1 whose bumps have the size of the unit.
#[inline]
fn noise(x: f32, y: f32, seed: u32) -> f32 {
    let ((left, right), (top, down)) = (split(x), split(y));
    let corner = |dx: u32, dy: u32| unit(left.wrapping_add(dx), top.wrapping_add(dy), seed);
    mix(mix(corner(0, 0), corner(1, 0), right), mix(corner(0, 1), corner(1, 1), right), down)
}

/// Returns smooth noise along a line.
#[inline]
fn wave(x: f32, seed: u32) -> f32 {
    let (left, right) = split(x);
    mix(unit(left, 0, seed), unit(left.wrapping_add(1), 0, seed), right)
}

/// Splits a number into the integer below it and a share that goes smoothly from 0 to 1.
#[inline]
fn split(value: f32) -> (u32, f32) {
    // A cast is one instruction; `floor` can be a call, and this runs millions of times.
    let whole = value as i32 - i32::from(value < 0.0);
    let share = value - whole as f32;
    (whole as u32, share * share * (3.0 - 2.0 * share))
}

#[inline]
fn mix(from: f32, to: f32, share: f32) -> f32 {
    from + (to - from) * share
}

/// Returns a pseudorandom number from 0 to 1 for a place.
#[inline]
fn unit(x: u32, y: u32, seed: u32) -> f32 {
    let mut bits = x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca6b) ^ seed.wrapping_mul(0xc2b2_ae35);
    bits = (bits ^ bits >> 15).wrapping_mul(0x2c1b_3c6d);
    bits = (bits ^ bits >> 12).wrapping_mul(0x297a_2d39);
    ((bits ^ bits >> 15) >> 8) as f32 / (1 << 24) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stone_has_no_lone_dark_lines() {
        let texture = Texture::of(Grain::Stone);
        for plank in [0.5, 0.25, 0.0, -0.25, -0.5] {
            let dark = texture.tones.iter().filter(|tone| **tone + plank * PLANK_CONTRAST < 1.0 / TONES).count();
            // The darkest tone on a few pixels of a tile looks like a scratch.
            assert!(dark == 0 || dark > texture.tones.len() / 20, "plank {plank}: {dark} pixels");
        }
    }
}
