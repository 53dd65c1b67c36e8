//! Whole games of every variant, from the first board to each kind of end.

use crate::fixture::{Fixture, assert_private};
use crate::seeded_rng::Rng;
use fake_discord::client::Post;
use ratatosk::rules::rules::NoMoves;
use ratatosk::rules::{Outcome, Piece, Played, Record, Side, VARIANTS, Variant};

/// Plays a game in which both sides want the same end. Returns `None` if that takes too long.
fn play_towards(variant: &Variant, wanted: Outcome, seed: u64) -> Option<Vec<String>> {
    const LONGEST: usize = 120;
    let mut rng = Rng::new(seed);
    let mut record = Record::new(variant.rulebook().into(), variant.start_position(variant.default_layout()));
    while record.plies().len() < LONGEST {
        let moves = record.playable_moves().map(|mv| record.rulebook().apply(record.position(), mv));
        let (ends, goes_on): (Vec<Played>, Vec<Played>) = moves.partition(|played| played.outcome.is_some());
        let end = ends.iter().find(|played| played.outcome == Some(wanted));
        let chosen = match end {
            Some(end) => *end,
            None if goes_on.is_empty() => return None,
            None => choose(&goes_on, wanted, &mut rng),
        };
        record.play(chosen.mv).ok()?;
        if end.is_some() {
            return Some(record.plies().iter().map(|played| played.mv.to_string()).collect());
        }
        // A third occurrence is asked about, or ends the game otherwise.
        if record.outcome().is_some() || record.occurrences() > 2 {
            return None;
        }
    }
    None
}

/// Chooses a move towards the end that is wanted.
fn choose(moves: &[Played], wanted: Outcome, rng: &mut Rng) -> Played {
    let few: Vec<Played> = (0..6).map(|_| moves[rng.below(moves.len())]).collect();
    let besieges = wanted == Outcome::KingCaptured && few[0].piece.side() == Side::Attackers;
    let rank = |played: &Played| {
        let king = played.position.king();
        let far = king.map_or(0, |king| {
            let to = played.mv.to;
            king.file().abs_diff(to.file()) + king.rank().abs_diff(to.rank())
        });
        if besieges { far } else { u8::from(played.piece != Piece::King) }
    };
    let best = few.iter().min_by_key(|played| rank(played));
    *best.unwrap_or(&moves[0])
}

/// Returns the shortest of some games that end as wanted.
fn whole_game(variant: &Variant, wanted: Outcome) -> Vec<String> {
    let games = (0..400).filter_map(|seed| play_towards(variant, wanted, seed));
    games.min_by_key(Vec::len).unwrap_or_else(|| panic!("{} never ends so: {wanted:?}", variant.id))
}

/// Plays a whole game, checks that it ends as it should, and that the winner wins.
async fn play_to(wanted: Outcome, words: &str, winner: Side) {
    let e = Fixture::start().await;
    for variant in VARIANTS {
        let moves = whole_game(variant, wanted);
        let board = e.start_game(variant.id).await;
        let end = e.play(board, &moves.join(" ")).await;
        let winner = if winner == Side::Attackers { &e.ann } else { &e.bo };
        assert!(end.text().contains(&format!("{} wins", winner.mention())), "{}: {}", variant.id, end.text());
        assert!(end.text().contains(variant.words.king) && end.text().contains(words), "{}", end.text());
        assert_eq!(end.buttons(), ["Rematch"]);
        let rule = if wanted == Outcome::KingEscaped { "side wins when" } else { "win by taking" };
        e.assert_names_rule(&end, rule);
    }
    e.idle().await;
    assert_private(&e.ann.slash("games", &[]).await, &e.ann, "no running game");
}

#[tokio::test]
async fn the_king_escapes_in_every_variant() {
    play_to(Outcome::KingEscaped, "has escaped", Side::Defenders).await;
}

#[tokio::test]
async fn the_king_is_captured_in_every_variant() {
    play_to(Outcome::KingCaptured, "is taken", Side::Attackers).await;
}

/// Starts a game of each of these variants, sets up a position before the end, and plays the last move. Returns the last
/// posts.
async fn last_moves(games: &[(&str, &str, &str)]) -> (Fixture, Vec<Post>) {
    let mut e = Fixture::start().await;
    let mut boards = Vec::new();
    for (variant, ..) in games {
        boards.push(e.start_game(variant).await);
    }
    assert_eq!(e.bot.stop("TERM").await, Some(0), "{}", e.bot.output());
    for (n, (_, position, _)) in games.iter().enumerate() {
        e.bot.open_database().set_position(n as u64 + 1, position);
    }
    e.bot.start_again().await;
    let mut ends = Vec::new();
    for (n, ((.., last), board)) in games.iter().zip(&boards).enumerate() {
        let (mover, other) = e.turn(board);
        let end = mover.slash("move", &[("move", last), ("game", &(n + 1).to_string())]).await;
        assert!(end.is_public() && end.pings_only(other), "{}", end.text());
        assert_eq!(end.buttons(), ["Rematch"], "{}", end.text());
        board.wait_until_buttons_are_gone().await;
        ends.push(end);
    }
    (e, ends)
}

#[tokio::test]
async fn a_side_without_moves_loses_or_draws_as_the_variant_says() {
    let siege = "/11/11/11/5t5/4tTt4/4tKt4/11/11/11/11/5t5/";
    let games = [
        ("magpie", "/7/7/t6/K5t/Tt5/t6/7/", "g4-b4"),
        ("brandubh", "/7/7/t6/K5t/Tt5/t6/7/", "g4-b4"),
        ("ard-ri", "/7/7/tt5/TK4t/tTt4/1t5/7/", "g4-c4"),
        ("sea-battle", "/9/T8/9/9/4K4/9/9/9/tT7/", "a8-a2"),
        ("york", siege, "f1-f5"),
        ("fetlar", siege, "f1-f5"),
    ];
    let (e, ends) = last_moves(&games).await;
    for ((variant, ..), end) in games.iter().zip(&ends) {
        assert!(end.text().contains("has no legal move"), "{}", end.text());
        e.assert_names_rule(end, "cannot move");
        let rules = Variant::find(variant).unwrap().rules;
        // The side that moves first has made the last move, and the other side cannot move.
        let mover = if rules.first == Side::Attackers { &e.ann } else { &e.bo };
        let expected = match rules.no_moves {
            NoMoves::Loses => format!("{} wins", mover.mention()),
            NoMoves::Draws => String::from("The game is drawn"),
        };
        assert!(end.text().contains(&expected), "{variant}: {}", end.text());
    }
}

#[tokio::test]
async fn the_encircled_side_loses() {
    let ring = "/7/3t3/2t1t2/1t1K1t1/2t3t/3t3/7/";
    let (e, ends) = last_moves(&[("brandubh", ring, "g3-e3"), ("ard-ri", ring, "g3-e3")]).await;
    for end in ends {
        assert!(end.text().contains(&format!("{} wins", e.ann.mention())), "{}", end.text());
        assert!(end.text().contains("are encircled"), "{}", end.text());
        e.assert_names_rule(&end, "by encircling");
    }
}
