//! Tests that everything in a picture can be told apart by its brightness, with any colour vision and in grey.
#![allow(clippy::expect_used)]

use super::dimensions::{Dimensions, FRAME, MARGIN, PICTURE_SIZE};
use super::draw_list::draw_list;
use super::font::BoardFont;
use super::sprites::SpriteSheet;
use crate::board_view::{BoardView, Orientation, Theme};
use crate::rules::{Piece, Side, Square, SquareSet, Variant};
use image::RgbaImage;

/// How eyes see colours: each row gives one seen part as a sum of red, green and blue light.
type Eyes = [[f64; 3]; 3];

/// Full colour vision, vision without one of the three kinds of cones (Machado, Oliveira and Fernandes 2009), and a grey
/// print.
const EYES: [(&str, Eyes); 5] = [
    ("all colours", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    ("no red", [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    ("no green", [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    ("no blue", [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
    ("grey", [[0.2126, 0.7152, 0.0722], [0.2126, 0.7152, 0.0722], [0.2126, 0.7152, 0.0722]]),
];

/// Returns the mean brightness of the pixels around a place, as these eyes see it.
fn brightness(image: &RgbaImage, (x, y): (i32, i32), eyes: &Eyes) -> f64 {
    let linear = |part: u8| {
        let part = f64::from(part) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    let around: Vec<(i32, i32)> = (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (x + dx, y + dy))).collect();
    let mean = |part: usize| {
        let parts = around.iter().map(|(x, y)| linear(image.get_pixel(*x as u32, *y as u32)[part]));
        parts.sum::<f64>() / around.len() as f64
    };
    let light = [mean(0), mean(1), mean(2)];
    let seen = eyes.map(|row| row.iter().zip(light).map(|(share, part)| share * part).sum::<f64>().clamp(0.0, 1.0));
    0.2126 * seen[0] + 0.7152 * seen[1] + 0.0722 * seen[2]
}

/// Returns the contrast ratio of the WCAG: from 1 (none) to 21 (black on white).
fn contrast(one: f64, other: f64) -> f64 {
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

fn square(name: &str) -> Square {
    Square::parse(name).expect("on the board")
}

/// Returns a view that shows everything.
fn view(theme: Theme) -> BoardView {
    let variant = Variant::find("brandubh").expect("there is such a game");
    let rulebook = variant.rulebook();
    let position = rulebook.read_position("/1t5/7/4K2/6t/2T4/7/3T3/", Side::Attackers).expect("sound");
    let mut view = BoardView::of(variant, &rulebook, &position);
    view.theme = theme;
    view.last_move = Some(crate::rules::Move { from: square("b3"), to: square("b7") });
    view.captured =
        vec![(Piece::Attacker, SquareSet::of(square("a4"))), (Piece::Defender, SquareSet::of(square("d6")))];
    view.highlights = SquareSet::of(square("f2"));
    view.king_in_danger = true;
    view.escape_squares = SquareSet::of(square("e7"));
    view
}

/// A picture of that view.
struct Painted {
    image: RgbaImage,
    dimensions: Dimensions,
}

impl Painted {
    fn of(theme: Theme) -> Self {
        let font = BoardFont::load().expect("the font is sound");
        let view = view(theme);
        let dimensions = Dimensions::of(view.size);
        let sheet = SpriteSheet::paint(theme, dimensions, &font);
        Self { image: sheet.compose(&draw_list(&view, &font)), dimensions }
    }

    /// Returns a place on a square, given as shares of the square from its middle.
    fn on(&self, name: &str, right: f32, down: f32) -> (i32, i32) {
        let cell = self.dimensions.cell as f32;
        let (x, y) = self.dimensions.middle(square(name), Orientation::Upright);
        (x + (right * cell) as i32, y + (down * cell) as i32)
    }

    fn contrast(&self, one: (i32, i32), other: (i32, i32), eyes: &Eyes) -> f64 {
        contrast(brightness(&self.image, one, eyes), brightness(&self.image, other, eyes))
    }
}

#[test]
fn pieces_and_squares_differ_in_brightness() {
    let mut failures = Vec::new();
    for theme in Theme::ALL {
        let painted = Painted::of(theme);
        let on = |name: &str, right: f32, down: f32| painted.on(name, right, down);
        let dimensions = painted.dimensions;
        let tile = on("f3", 0.0, 0.1);
        let (attacker, defender, king) = (on("g4", 0.0, 0.2), on("c3", 0.0, 0.15), on("e5", 0.0, 0.29));
        // The king's rim between two pearls, and a pearl.
        let (rim, pearl) = (on("e5", 0.395, 0.106), on("e5", 0.0, 0.41));
        let (ghost, pale_ghost) = (on("a4", 0.0, 0.27), on("d6", 0.0, 0.3));
        let frame = ((MARGIN + FRAME / 2) as i32 + 14, PICTURE_SIZE as i32 / 2 + 40);
        let strict = if theme == Theme::Contrast { 1.4 } else { 1.0 };
        let pairs = [
            ("attacker and square", attacker, tile, 3.0 * strict),
            ("defender and square", defender, tile, 3.0 * strict),
            ("attacker and defender", attacker, defender, 9.0 * strict),
            ("attacker and king", attacker, king, 5.0 * strict),
            ("king and square", king, tile, 1.7 * strict),
            ("king's rim and square", rim, tile, 1.9),
            ("king's rim and his face", rim, king, 5.0 * strict),
            ("king's rim and his pearls", rim, pearl, 6.0 * strict),
            ("king's rim and defender", rim, defender, 6.0 * strict),
            ("attacker's ghost and square", ghost, tile, 1.5),
            ("its outline and square", on("a4", 0.385, 0.0), tile, 2.5),
            ("attacker and his ghost", attacker, ghost, 1.35),
            ("defender's ghost and square", pale_ghost, tile, 1.5),
            ("its outline and square", on("d6", 0.375, 0.0), tile, 2.5),
            ("defender and his ghost", defender, pale_ghost, 1.35),
            ("cross over a ghost and its edge", on("a4", 0.0, 0.0), on("a4", 0.162, 0.078), 2.0),
            ("attacker and his cross", attacker, on("g4", 0.0, 0.0), 4.0 * strict),
            ("defender and his rings", defender, on("c3", 0.0, 0.0), 4.0 * strict),
            ("king and his crown", king, on("e5", 0.0, 0.15), 3.5 * strict),
            ("knot and its square", on("a7", 0.0, 0.155), on("a7", 0.0, 0.0), 4.0 * strict),
            ("marked square and square", on("a7", 0.0, 0.0), tile, 1.9),
            ("gap and square", (dimensions.origin as i32 + 3 * dimensions.cell as i32, tile.1), tile, 1.35),
            ("trail and square", on("b5", 0.0, 0.0), tile, 1.9),
            ("origin and its ring", on("b3", 0.22, 0.0), on("b3", 0.0, 0.0), 2.5),
            ("target's border and square", on("b7", -0.46, 0.0), tile, 1.9),
            ("dot and square", on("f2", 0.0, 0.0), tile, 2.0),
            ("road and square", on("e6", 0.09, 0.0), tile, 1.5),
            ("letters and frame", ((MARGIN + FRAME / 2) as i32, dimensions.middle_of(6)), frame, 7.0),
        ];
        for (eyes, seen) in &EYES {
            for (what, one, other, least) in &pairs {
                let found = painted.contrast(*one, *other, seen);
                if found < *least {
                    failures.push(format!("{}, {eyes}, {what}: {found:.2} is less than {least:.2}", theme.id()));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_last_move_has_the_highest_contrast_in_the_contrast_theme() {
    let marks = Theme::ALL.map(|theme| {
        let painted = Painted::of(theme);
        let tile = painted.on("f3", 0.0, 0.1);
        let seen = |place: (i32, i32), eyes: &Eyes| painted.contrast(place, tile, eyes);
        EYES.map(|(_, eyes)| {
            let (origin, trail) = (painted.on("b3", -0.4, 0.4), painted.on("b5", 0.0, 0.0));
            [origin, trail, painted.on("b7", -0.46, 0.0)].map(|place| seen(place, &eyes))
        })
    });
    let [others @ .., strongest] = &marks;
    for (eyes, (name, _)) in EYES.iter().enumerate() {
        for (place, what) in ["square of origin", "trail", "border of the target"].iter().enumerate() {
            let most = others.iter().map(|theme| theme[eyes][place]).fold(0.0, f64::max);
            let found = strongest[eyes][place];
            assert!(found > most, "{name}, {what}: {found:.2} in `contrast`, but {most:.2} elsewhere");
        }
    }
}
