//! Pictures as the program writes them, compared with golden files, and drawn from random games.
//!
//! After changing how boards look, look at the pictures that the failing test wrote, then renew the golden files
//! that differ:
//!
//! ```text
//! RATATOSK_RENEW_GOLDEN=1 cargo test --test pictures
//! ```
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use proptest::prelude::*;
use ratatosk::board_view::{BoardStatus, BoardView, Orientation, Theme};
use ratatosk::render::{PICTURE_SIZE, Renderer};
use ratatosk::rules::notation::read_move;
use ratatosk::rules::{Side, SquareSet, VARIANTS, Variant};
use ratatosk::text::{self, Colouring};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

static RENDERER: LazyLock<Renderer> = LazyLock::new(Renderer::new);

/// Returns how many bytes a picture of a theme may have.
fn largest(theme: Theme) -> usize {
    if theme == Theme::Contrast { 25_000 } else { 60_000 }
}

/// The golden files, and the command lines that draw them.
///
/// There is one of every variant in oak, during a game, with a last move and a capture: the README shows them.
const GOLDEN: &[(&str, &str)] = &[
    ("magpie-oak", "magpie --position /7/1t1t1t1/2T4/t1T1K1t/3T3/1t3t1/3t3/ --to-move defenders --last d7-d6xe6"),
    ("brandubh-oak", "brandubh --position /3t3/2t4/3T1T1/ttT1K1t/7/5t1/3t3/ --to-move attackers --last d2-d5xe5"),
    (
        "sea-battle-oak",
        "sea-battle --position /3tt4/4t4/4T1T2/t3T3t/ttTTKT1tt/1t2T3t/2Tt5/4t4/4tt3/ --to-move attackers \
         --last g5-g7xf7",
    ),
    (
        "york-oak",
        "york --position /3tttt4/5t5/7t3/t4T2t2/t3TT4t/tt1TTKT1ttt/t3TTT3t/2t2T4t/7T3/5t5/3tttt4/ --to-move defenders \
         --last i3-i6xi7",
    ),
    (
        "fetlar-oak",
        "fetlar --position /3ttt1t3/5t5/11/t4T4t/t2tTTT3t/tt2TKTT1tt/t1TtTT4t/t4T4t/11/5t5/3t1ttt3/ --to-move defenders \
         --last d9-d7xd6",
    ),
    (
        "brandubh-slate",
        "brandubh --position /7/3t3/1t5/t1K4/3T1tt/2T4/3t3/ --to-move defenders --last d7-d6 --theme slate \
         --highlight c5,c6,c7,c3,b4,d4,e4,f4,g4,c4",
    ),
    ("ard-ri-oak", "ard-ri --position /2t1T2/1t3t1/t2tK2/2T3t/t1T1T1t/3t3/2t1t2/ --to-move attackers --last e4-e5xe6"),
    (
        "sea-battle-contrast",
        "sea-battle --position /3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/tT6t/4T4/4t4/3ttt3/ --to-move attackers --last e4-b4 \
         --theme contrast --flip",
    ),
];

/// Returns a view that no command line draws: a game that was won by capturing the king.
fn won() -> BoardView {
    let variant = Variant::find("magpie").expect("there is such a game");
    let rulebook = variant.rulebook();
    let before = rulebook.read_position("/3t3/7/1t5/1Kt4/1t2T2/t2T3/5t1/", Side::Attackers).expect("sound");
    let mv = read_move(&rulebook, &before, "a2-a4++").expect("it takes him");
    let mut view = BoardView::after(variant, &rulebook, &rulebook.apply(&before, mv));
    view.caption = text::caption(&view);
    view
}

fn picture(command: &str) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_ratatosk"))
        .arg("render")
        .args(command.split_whitespace())
        .args(["-o", "-"])
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// A picture, pixel by pixel.
#[derive(PartialEq)]
struct Pixels {
    width: u32,
    height: u32,
    rgba: Vec<u8>,
}

fn decode(bytes: &[u8]) -> Pixels {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::ALPHA);
    let mut reader = decoder.read_info().expect("a PNG");
    let mut rgba = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut rgba).expect("all rows");
    assert_eq!(info.color_type, png::ColorType::Rgba);
    Pixels { width: info.width, height: info.height, rgba }
}

fn encode(path: &Path, pixels: &Pixels) {
    let mut encoder = png::Encoder::new(fs::File::create(path).expect("a file"), pixels.width, pixels.height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header().expect("a header").write_image_data(&pixels.rgba).expect("all rows");
}

/// Returns a picture that is brighter where two pictures differ more.
fn difference(one: &Pixels, other: &Pixels) -> Pixels {
    let apart = |(one, other): (&[u8], &[u8])| {
        let worst = one.iter().zip(other).map(|(one, other)| one.abs_diff(*other)).max().unwrap_or(0);
        let shown = if worst == 0 { 0 } else { worst.saturating_mul(4).max(64) };
        [shown, shown, shown, 255]
    };
    let rgba = one.rgba.chunks(4).zip(other.rgba.chunks(4)).flat_map(apart).collect();
    Pixels { width: one.width, height: one.height, rgba }
}

#[test]
fn every_variant_has_a_golden_picture_in_oak() {
    for Variant { id, .. } in VARIANTS {
        let name = format!("{id}-oak");
        let Some((_, command)) = GOLDEN.iter().find(|golden| golden.0 == name) else {
            panic!("add {name:?} to GOLDEN in tests/pictures.rs: {id} during a game, with a last move and a capture");
        };
        assert_eq!(command.split_whitespace().next(), Some(*id), "{name}");
        let last = command.split_once("--last ").map(|(_, last)| last);
        assert!(last.is_some_and(|last| last.contains('x')), "{name} needs --last with a capture: {command}");
    }
}

#[test]
fn pictures_match_the_golden_files() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let renew = std::env::var_os("RATATOSK_RENEW_GOLDEN").is_some();
    let mut faults = Vec::new();
    let asked = GOLDEN.iter().map(|(name, command)| (*name, picture(command)));
    for (name, bytes) in asked.chain([("magpie-won", RENDERER.png(&won()).expect("painted"))]) {
        let path = golden.join(format!("{name}.png"));
        let theme = if name.ends_with("contrast") { Theme::Contrast } else { Theme::Oak };
        assert!(bytes.len() <= largest(theme), "{name} has {} bytes", bytes.len());
        let (new, old) = (decode(&bytes), fs::read(&path).map(|bytes| decode(&bytes)));
        if old.as_ref().is_ok_and(|old| *old == new) {
            continue;
        }
        if renew {
            fs::write(&path, &bytes).expect("the golden picture can be written");
            continue;
        }
        let shown = |kind: &str| PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.{kind}.png"));
        encode(&shown("new"), &new);
        faults.push(match old {
            Err(_) => format!("there is no tests/golden/{name}.png yet: look at {}", shown("new").display()),
            Ok(old) if (old.width, old.height) == (new.width, new.height) => {
                encode(&shown("difference"), &difference(&old, &new));
                format!("tests/golden/{name}.png differs: see {} and the difference beside it", shown("new").display())
            }
            Ok(_) => format!("tests/golden/{name}.png has another size: see {}", shown("new").display()),
        });
    }
    let faults = faults.join("\n");
    assert!(faults.is_empty(), "{faults}\nIf that is meant: RATATOSK_RENEW_GOLDEN=1 cargo test --test pictures");
}

/// Returns a view from a random game: a variant, a layout, and random moves.
fn views() -> impl Strategy<Value = BoardView> {
    let lots = prop::collection::vec(any::<prop::sample::Index>(), 0..80);
    (
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        prop::sample::select(&Theme::ALL[..]),
        any::<bool>(),
        lots,
    )
        .prop_map(|(variant, layout, theme, flip, lots)| {
            let variant = variant.get(VARIANTS);
            let mut view = play(variant, layout.index(variant.layouts.len()), &lots);
            view.theme = theme;
            view.orientation = if flip { Orientation::Flipped } else { Orientation::Upright };
            view
        })
}

fn play(variant: &'static Variant, layout: usize, lots: &[prop::sample::Index]) -> BoardView {
    let rulebook = variant.rulebook();
    let mut position = variant.start_position(&variant.layouts[layout]);
    let mut view = BoardView::of(variant, &rulebook, &position);
    for lot in lots {
        let moves: Vec<_> = rulebook.legal_moves(&position).collect();
        if moves.is_empty() || !matches!(view.status, BoardStatus::ToMove(_)) {
            break;
        }
        let played = rulebook.apply(&position, moves[lot.index(moves.len())]);
        position = played.position;
        view = BoardView::after(variant, &rulebook, &played);
        let chosen = rulebook.legal_moves(&position).next();
        view.highlights = chosen.map_or(SquareSet::EMPTY, |mv| rulebook.targets(&position, mv.from));
    }
    view.caption = text::caption(&view);
    view
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn random_positions_are_drawn(view in views()) {
        let bytes = RENDERER.png(&view).expect("it can be painted");
        let pixels = decode(&bytes);
        prop_assert_eq!((pixels.width, pixels.height), (PICTURE_SIZE, PICTURE_SIZE));
        prop_assert!(bytes.len() <= largest(view.theme), "{} bytes", bytes.len());
    }

    #[test]
    fn random_positions_are_described(view in views()) {
        let description = text::description(&view);
        prop_assert!(description.chars().count() <= text::DESCRIPTION_LIMIT);
        prop_assert!(description.ends_with('.') || description.ends_with(" …"), "{}", description);
        prop_assert!(description.starts_with(view.variant.name));
        for square in view.position.occupied() {
            let rank = format!("Rank {}: ", square.rank() + 1);
            prop_assert!(description.contains(&rank), "{} lacks {}", description, rank);
        }
        for colouring in [Colouring::Plain, Colouring::Ansi] {
            let block = format!("```ansi\n{}```", text::board(&view, colouring));
            prop_assert!(block.chars().count() <= 2000);
        }
    }

    #[test]
    fn flipping_twice_gives_the_same_picture(view in views()) {
        let mut flipped = view.clone();
        flipped.orientation = flipped.orientation.flipped();
        prop_assert!(RENDERER.png(&view).ok() != RENDERER.png(&flipped).ok());
        prop_assert_eq!(text::description(&view), text::description(&flipped));
        flipped.orientation = flipped.orientation.flipped();
        prop_assert_eq!(RENDERER.png(&view).ok(), RENDERER.png(&flipped).ok());
        prop_assert_eq!(text::board(&view, Colouring::Plain), text::board(&flipped, Colouring::Plain));
    }
}

#[test]
fn every_layout_is_drawn_in_every_theme() {
    for (variant, theme) in VARIANTS.iter().flat_map(|variant| Theme::ALL.map(|theme| (variant, theme))) {
        for layout in 0..variant.layouts.len() {
            let mut view = play(variant, layout, &[]);
            view.theme = theme;
            let bytes = RENDERER.png(&view).expect("it can be painted");
            assert!(bytes.len() <= largest(theme), "{} {}: {} bytes", variant.id, theme.id(), bytes.len());
        }
    }
}

#[test]
fn a_new_renderer_draws_the_same_bytes() {
    let variant = Variant::find("york").expect("there is such a game");
    for theme in Theme::ALL {
        let mut view = BoardView::of(variant, &variant.rulebook(), &variant.start_position(variant.default_layout()));
        view.theme = theme;
        assert_eq!(RENDERER.png(&view).ok(), Renderer::new().png(&view).ok());
    }
}

#[test]
fn palette_colours_are_close_to_full_colour() {
    for (variant, theme) in VARIANTS.iter().zip(Theme::ALL.into_iter().cycle()) {
        let mut view = play(variant, 0, &[]);
        view.theme = theme;
        let quick = decode(&RENDERER.png(&view).expect("painted"));
        let plain = decode(&RENDERER.full_colour_png(&view).expect("painted"));
        let off = |(one, other): (&u8, &u8)| u64::from(one.abs_diff(*other));
        let total: u64 = quick.rgba.iter().zip(&plain.rgba).map(off).sum();
        let mean = total as f64 / quick.rgba.len() as f64;
        assert!(mean < 1.5, "{} {}: {mean:.2} of 255 off", variant.id, theme.id());
    }
}

#[test]
fn render_explains_wrong_arguments() {
    let refused = |arguments: &str| {
        let output =
            Command::new(env!("CARGO_BIN_EXE_ratatosk")).arg("render").args(arguments.split_whitespace()).output();
        let output = output.expect("the program runs");
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(
        refused("brandubh --highlight d4,h8")
            .contains("--highlight: there is no square `h8` on this board; it goes from a1 to g7")
    );
    assert!(refused("brandubh --last d1").contains("--last: `d1` is no move; write it as d1-d4 or d1-d4xd5/e4"));
    assert!(refused("brandubh --last d1-e2").contains("d1 and e2 are not in line"));
    assert!(refused("brandubh --last d1-d4xz9").contains("--last: There is no z9 on this board"));
    assert!(refused("brandubh --theme pine").contains("oak, slate, contrast"));
    assert!(refused("chess").contains("brandubh"));
}

#[test]
fn render_prints_text_to_standard_output() {
    let output = Command::new(env!("CARGO_BIN_EXE_ratatosk")).args(["render", "brandubh", "--text"]).output();
    let output = output.expect("the program runs");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.starts_with("    a  b  c  d  e  f  g\n 7  +  .  .  x  .  .  +  7\n"), "{text}");
    assert!(text.contains("\nBrandubh. The attackers to move. King on d4."), "{text}");
}
