//! Boards drawn as text: `t` attacker, `T` defender, `K` king, `.` empty, with the ranks and files beside them.

use ratatosk::rules::{
    IllegalMove, Move, Outcome, Piece, Played, Record, Rulebook, Rules, Side, Square, SquareSet, Variant,
};
use std::fmt;
use std::sync::Arc;

/// A game that began with a picture.
#[derive(Clone)]
pub(crate) struct Game {
    pub(crate) record: Record,
}

/// Sets up a picture under the rules of a variant.
#[track_caller]
pub(crate) fn board(variant: &str, to_move: Side, picture: &str) -> Game {
    let variant = Variant::find(variant).unwrap_or_else(|| panic!("there is no game called {variant}"));
    board_by(variant.rules, to_move, picture)
}

/// Sets up a picture under any rules.
#[track_caller]
pub(crate) fn board_by(rules: Rules, to_move: Side, picture: &str) -> Game {
    let rulebook = Rulebook::new(rules).unwrap_or_else(|fault| panic!("unplayable rules: {fault}"));
    let position = rulebook.read_position(&record_of(picture), to_move);
    let position = position.unwrap_or_else(|fault| panic!("this cannot be played on: {fault}\n{picture}"));
    Game { record: Record::new(Arc::new(rulebook), position) }
}

/// Begins a game of a variant with one of its layouts.
#[track_caller]
pub(crate) fn start_of(variant: &str, layout: &str) -> Game {
    let variant = Variant::find(variant).unwrap_or_else(|| panic!("there is no game called {variant}"));
    let layout = variant.layout(layout).unwrap_or_else(|| panic!("{} has no layout {layout}", variant.id));
    Game { record: variant.new_record(layout) }
}

impl Game {
    /// Plays one move and returns the game after it.
    #[track_caller]
    pub(crate) fn play(&self, typed: &str) -> Self {
        let mut after = self.clone();
        if let Err(refusal) = after.record.play_typed(typed) {
            panic!("{typed} was refused: {refusal}\n{self}");
        }
        after
    }

    /// Plays several moves, separated by spaces; only the last may end the game.
    #[track_caller]
    pub(crate) fn play_all(&self, moves: &str) -> Self {
        let mut game = self.clone();
        for typed in moves.split_whitespace() {
            game = game.play(typed);
        }
        game
    }

    /// Returns why a move cannot be played.
    #[track_caller]
    pub(crate) fn refusal(&self, typed: &str) -> IllegalMove {
        let mut after = self.clone();
        let answer = after.record.play_typed(typed).copied();
        assert_eq!(after.record.plies().len(), self.record.plies().len() + usize::from(answer.is_ok()));
        match answer {
            Ok(played) => panic!("{typed} was played as {played}\n{self}"),
            Err(refusal) => refusal,
        }
    }

    /// Returns the last move.
    #[track_caller]
    pub(crate) fn last(&self) -> &Played {
        self.record.plies().last().unwrap_or_else(|| panic!("no move was played\n{self}"))
    }

    /// Shows the board before and after the last move.
    fn before_and_after(&self) -> String {
        let mut before = self.clone();
        before.record.take_back(1);
        let last = self.record.plies().last().map_or("no move".to_owned(), Played::to_string);
        format!("\nbefore:\n{before}\nafter {last}:\n{self}")
    }
}

/// Draws the board.
impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (size, position) = (self.record.rulebook().rules().size, self.record.position());
        for rank in (0..size).rev() {
            write!(f, "{:>4}", rank + 1)?;
            for file in 0..size {
                let piece = Square::new(file, rank).and_then(|square| position.at(square));
                write!(f, " {}", piece.map_or('.', Piece::letter))?;
            }
            writeln!(f)?;
        }
        write!(f, "    ")?;
        (0..size).try_for_each(|file| write!(f, " {}", char::from(b'a' + file)))?;
        writeln!(f, "   {} to move", position.to_move().id())
    }
}

/// Changes single squares of a picture: `with(picture, "b3 T c4 .")`.
#[track_caller]
pub(crate) fn with(picture: &str, changes: &str) -> String {
    let mut lines: Vec<Vec<String>> =
        picture.lines().map(|line| line.split_whitespace().map(str::to_owned).collect()).collect();
    let words: Vec<&str> = changes.split_whitespace().collect();
    for change in words.chunks(2) {
        let (name, piece) = (change[0], change[1]);
        let line = lines.iter_mut().find(|line| line.first().is_some_and(|rank| *rank == name[1..]));
        let cell = line.and_then(|line| line.get_mut(usize::from(square(name).file()) + 1));
        let cell = cell.unwrap_or_else(|| panic!("{name} is not in\n{picture}"));
        assert_ne!(cell, piece, "{name} is so already in\n{picture}");
        *cell = piece.to_owned();
    }
    lines.into_iter().map(|line| line.join(" ")).collect::<Vec<_>>().join("\n")
}

/// Turns a picture into a position record.
#[track_caller]
pub(crate) fn record_of(picture: &str) -> String {
    let mut lines: Vec<Vec<&str>> = picture
        .lines()
        .map(|line| line.split_whitespace().collect())
        .filter(|line: &Vec<&str>| !line.is_empty())
        .collect();
    let files = lines.pop().unwrap_or_else(|| panic!("an empty picture"));
    assert!(
        files.iter().copied().eq("abcdefghijk".split("").filter(|file| !file.is_empty()).take(lines.len())),
        "{picture}"
    );
    let size = lines.len();
    let mut record = String::from("/");
    for (line, rank) in lines.iter().zip((1..=size).rev()) {
        assert_eq!(line[0], rank.to_string(), "the rank's number in\n{picture}");
        assert_eq!(line.len(), size + 1, "the squares of rank {rank} in\n{picture}");
        let mut empty = 0;
        for cell in &line[1..] {
            if *cell == "." {
                empty += 1;
                continue;
            }
            if empty > 0 {
                record += &empty.to_string();
                empty = 0;
            }
            record += cell;
        }
        if empty > 0 {
            record += &empty.to_string();
        }
        record += "/";
    }
    record
}

/// Returns the square with this name.
#[track_caller]
pub(crate) fn square(name: &str) -> Square {
    let (file, rank) = name.split_at(1);
    let file = file.as_bytes()[0] - b'a';
    let rank: u8 = rank.parse().unwrap_or_else(|_| panic!("{name} is no square"));
    Square::new(file, rank - 1).unwrap_or_else(|| panic!("{name} is no square"))
}

/// Returns the set of the squares with these names.
#[track_caller]
pub(crate) fn squares<'n>(names: impl IntoIterator<Item = &'n str>) -> SquareSet {
    names.into_iter().map(square).collect()
}

/// Returns the move with this name, such as `d1-d4`.
#[track_caller]
pub(crate) fn mv(name: &str) -> Move {
    let (from, to) = name.split_once('-').unwrap_or_else(|| panic!("{name} is no move"));
    Move { from: square(from), to: square(to) }
}

/// Checks what the last move captured, the king included.
#[track_caller]
pub(crate) fn assert_taken<'n>(after: &Game, names: impl IntoIterator<Item = &'n str>) {
    let (taken, expected) = (after.last().all_captures(), squares(names));
    let boards = after.before_and_after();
    assert_eq!(taken, expected, "what the move captured{boards}");
    let left = after.record.position().occupied() & taken;
    assert!(left.is_empty(), "still on the board: {left:?}{boards}");
}

/// Checks that the last move captured nothing.
#[track_caller]
pub(crate) fn assert_nothing_captured(after: &Game) {
    assert_taken(after, []);
}

/// Checks that the game goes on.
#[track_caller]
pub(crate) fn assert_goes_on(after: &Game) {
    assert_eq!(after.record.outcome(), None, "the game should go on{}", after.before_and_after());
}

/// Checks that the last move captured nothing and did not end the game.
#[track_caller]
pub(crate) fn assert_nothing_happens(after: &Game) {
    assert_nothing_captured(after);
    assert_goes_on(after);
}

/// Checks who won by the last move, and how.
#[track_caller]
pub(crate) fn assert_won_by(after: &Game, winner: Side, outcome: Outcome) {
    assert_eq!(after.record.outcome(), Some(outcome), "how it ended{}", after.before_and_after());
    assert_eq!(outcome.winner(), Some(winner));
}

/// Checks that the last move ended the game without a winner.
#[track_caller]
pub(crate) fn assert_drawn(after: &Game, outcome: Outcome) {
    assert_eq!(after.record.outcome(), Some(outcome), "how it ended{}", after.before_and_after());
    assert_eq!(outcome.winner(), None);
}

/// Checks that the last move left the side to move without a legal move, and who wins by that.
#[track_caller]
pub(crate) fn assert_no_moves(after: &Game, winner: Option<Side>) {
    let expected = Some(Outcome::NoMoves { winner });
    assert_eq!(after.record.outcome(), expected, "how it ended{}", after.before_and_after());
}

/// Checks that the last move captured the king, with these other pieces, and won.
#[track_caller]
pub(crate) fn assert_captured_king<'n>(after: &Game, king: &'n str, pieces: impl IntoIterator<Item = &'n str>) {
    assert_taken(after, pieces.into_iter().chain([king]));
    assert_eq!(after.last().captured_king, Some(square(king)), "the king{}", after.before_and_after());
    assert_won_by(after, Side::Attackers, Outcome::KingCaptured);
}

/// Checks that the pieces stand as in the picture.
#[track_caller]
pub(crate) fn assert_stands(game: &Game, picture: &str) {
    let written = game.record.rulebook().write_position(game.record.position());
    assert_eq!(written, record_of(picture), "\nexpected:\n{picture}\nfound:\n{game}");
}

/// Checks that a piece may go to these squares and nowhere else; its side must be to move.
#[track_caller]
pub(crate) fn assert_reaches<'n>(game: &Game, from: &str, to: impl IntoIterator<Item = &'n str>) {
    let (rulebook, position, from) = (game.record.rulebook(), game.record.position(), square(from));
    let expected = squares(to);
    assert_eq!(rulebook.targets(position, from), expected, "where the piece on {from} may go\n{game}");
    let listed: SquareSet = rulebook.legal_moves(position).filter(|mv| mv.from == from).map(|mv| mv.to).collect();
    assert_eq!(listed, expected, "the list of moves from {from}\n{game}");
    for to in rulebook.board() {
        assert_eq!(rulebook.is_legal(position, Move { from, to }), expected.contains(to), "{from}-{to}\n{game}");
    }
}
