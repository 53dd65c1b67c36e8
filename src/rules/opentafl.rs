//! Rules and games as OpenTafl records, which other programs can read and we can read back.
//!
//! OpenTafl's notation lists rank 1 first in `start:`, unlike our position records. What it cannot say (the king's
//! single step, the capture of the king in full, the capture against the besieged king, the draw without moves, the
//! aggressor) goes into tags of our own, whose names begin with `ratatosk-`; other programs ignore them.

use super::illegal_move::IllegalMove;
use super::piece::{Piece, PieceSet, Side};
use super::position::Position;
use super::record::Record;
use super::rulebook::Rulebook;
use super::rules::{
    Centre, ClosedSides, Corners, Goal, KingCapture, KingMoves, NoMoves, RepetitionRule, Rules, UnplayableRules,
};
use super::setup::{BadSetup, Setup};
use std::fmt::{self, Write};
use std::sync::Arc;

/// A game with its tags.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord {
    /// Names and values, such as `date` and `2026.11.16`, in the order of the text; our own tags are left out.
    pub tags: Vec<(String, String)>,
    pub game: Record,
}

/// Why a record cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BadRecord {
    /// There is no line of rules (`dim:… start:…`).
    NoRules,
    /// A tag has no end or no colon.
    BrokenTag(String),
    /// A rule that OpenTafl does not have.
    UnknownRule(String),
    /// A rule with a value that makes no sense.
    BadValue { rule: String, value: String },
    /// A rule that OpenTafl has and we do not.
    Unsupported { rule: String, value: String },
    /// The rules do not fit together.
    Unplayable(UnplayableRules),
    /// The start position cannot be played.
    BadSetup(BadSetup),
    /// A move cannot be played.
    BadMove {
        /// Which ply, counted from 1.
        ply: usize,
        /// The text of the move.
        text: String,
        /// Why it cannot be played.
        why: Box<IllegalMove>,
    },
}

impl fmt::Display for BadRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRules => f.write_str("the record has no line of rules (`dim:… start:…`)"),
            Self::BrokenTag(tag) => write!(f, "`{tag}` is not a tag such as [date:2026.11.16]"),
            Self::UnknownRule(rule) => write!(f, "`{rule}` is not a rule of OpenTafl"),
            Self::BadValue { rule, value } => write!(f, "`{value}` is not a value of the rule `{rule}`"),
            Self::Unsupported { rule, value } => write!(f, "games with `{rule}:{value}` cannot be played here"),
            Self::Unplayable(error) => error.fmt(f),
            Self::BadSetup(error) => error.fmt(f),
            Self::BadMove { ply, text, why } => write!(f, "move {ply}, `{text}`, cannot be played: {why}"),
        }
    }
}

impl std::error::Error for BadRecord {}

const OWN_TAG: &str = "ratatosk-";

/// Writes the rules of a game: tags of our own where they are needed, then OpenTafl's line.
#[must_use]
pub fn write_rules(rulebook: &Rulebook, start: &Position) -> String {
    let mut text = String::new();
    for (name, value) in own_tags(rulebook.rules()) {
        push_tag(&mut text, &format!("{OWN_TAG}{name}"), value);
    }
    text + &rules_line(rulebook, start) + "\n"
}

/// Reads the rules of a game and its first position.
///
/// # Errors
/// Says what is wrong with the record, its moves included.
pub fn read_rules(text: &str) -> Result<(Rulebook, Position), BadRecord> {
    let record = read_game(text)?.game;
    Ok((Rulebook::clone(record.rulebook()), *record.start_position()))
}

/// Writes a whole game, with tags that say more about it, such as `("date", "2026.11.16")`.
///
/// ```
/// use ratatosk::rules::{Variant, opentafl};
///
/// let variant = Variant::find("fetlar").unwrap();
/// let mut game = variant.new_record(variant.default_layout());
/// game.play_typed("d1-d3").unwrap();
/// let text = opentafl::write_game(&game, &[("date", "2026.11.16")]);
/// assert!(text.starts_with("[date:2026.11.16]\n") && text.ends_with("\n\n1. d1-d3\n"));
/// assert_eq!(opentafl::read_game(&text)?.game, game);
/// # Ok::<(), opentafl::BadRecord>(())
/// ```
#[must_use]
pub fn write_game(record: &Record, tags: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (name, value) in tags {
        push_tag(&mut text, name, value);
    }
    text += &write_rules(record.rulebook(), record.start_position());
    text.push('\n');
    for (ply, played) in record.plies().iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = match (ply % 2, ply + 1 == record.plies().len()) {
            (0, false) => write!(text, "{}. {played} ", ply / 2 + 1),
            (0, true) => writeln!(text, "{}. {played}", ply / 2 + 1),
            _ => writeln!(text, "{played}"),
        };
    }
    text
}

/// Reads a whole game.
///
/// # Errors
/// Says what is wrong with the record.
pub fn read_game(text: &str) -> Result<GameRecord, BadRecord> {
    let (tags, line, moves) = split(text)?;
    let (own, tags): (Vec<_>, Vec<_>) = tags.into_iter().partition(|(name, _)| name.starts_with(OWN_TAG));
    let (rules, setup) = read_line(line, &own)?;
    let rulebook = Rulebook::new(rules).map_err(BadRecord::Unplayable)?;
    let start = rulebook.position(&setup, rules.first).map_err(BadRecord::BadSetup)?;
    let mut game = Record::new(Arc::new(rulebook), start);
    for (ply, text) in (1..).zip(move_words(moves)) {
        let bad = |why| BadRecord::BadMove { ply, text: text.to_owned(), why: Box::new(why) };
        game.play_typed(text).map_err(bad)?;
    }
    Ok(GameRecord { tags, game })
}

type Tags = Vec<(String, String)>;

fn push_tag(text: &mut String, name: &str, value: &str) {
    // A name that a player chose must not end the tag or the line.
    let value: String = value.chars().map(|c| if matches!(c, '[' | ']') || c.is_control() { ' ' } else { c }).collect();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "[{name}:{value}]");
}

/// Splits a record into its tags, its line of rules and its moves.
fn split(text: &str) -> Result<(Tags, &str, &str), BadRecord> {
    let mut tags = Vec::new();
    let mut rest = text.trim_start();
    while let Some(inner) = rest.strip_prefix('[') {
        let broken = || BadRecord::BrokenTag(rest.lines().next().unwrap_or_default().to_owned());
        let (tag, after) = inner.split_once(']').ok_or_else(broken)?;
        let (name, value) = tag.split_once(':').ok_or_else(broken)?;
        tags.push((name.trim().to_owned(), value.to_owned()));
        rest = after.trim_start();
    }
    let (line, moves) = rest.split_once('\n').unwrap_or((rest, ""));
    if line.trim().is_empty() { Err(BadRecord::NoRules) } else { Ok((tags, line, moves)) }
}

/// Returns the moves, without turn numbers, comments in brackets and the mark of resignation (`---`).
fn move_words(text: &str) -> impl Iterator<Item = &str> {
    let outside = text.split('[').enumerate().map(|(n, part)| match n {
        0 => part,
        _ => part.split_once(']').map_or("", |(_comment, after)| after),
    });
    let is_number = |word: &str| word.strip_suffix('.').is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    outside.flat_map(str::split_whitespace).filter(move |word| !is_number(word) && *word != "---")
}

const fn yes_no(yes: bool) -> &'static str {
    if yes { "y" } else { "n" }
}

fn rules_line(rulebook: &Rulebook, start: &Position) -> String {
    let rules = rulebook.rules();
    let mut line = format!(
        "dim:{} esc:{} surf:{} atkf:{} tfr:{} ka:{} ks:{}",
        rules.size,
        match rules.goal {
            Goal::Corner => "c",
            Goal::Edge => "e",
        },
        yes_no(rules.encirclement),
        yes_no(rules.first == Side::Attackers),
        match rules.repetition {
            RepetitionRule::Draws => "d",
            // Other programs do not know the aggressor, so they should ignore repetition; our own tag has the rule.
            RepetitionRule::Allowed | RepetitionRule::AggressorLoses | RepetitionRule::AggressorMustVary => "i",
        },
        yes_no(rules.king_armed),
        yes_no(rules.king_capture.open == ClosedSides::Four),
    );
    let Centre { rest, cross, hostile, hostile_when_empty } = rules.centre;
    line += &if rules.centre == Centre::ORDINARY {
        String::from(" cen:")
    } else {
        format!(" cens:{rest} cenp:{cross} cenh:{hostile} cenhe:{hostile_when_empty}")
    };
    let Corners { rest, hostile } = rules.corners;
    line += &if rules.corners == Corners::ORDINARY {
        String::from(" cor:")
    } else {
        format!(" cors:{rest} corp:{rest} corh:{hostile}")
    };
    let ranks = (0..rules.size).map(|rank| rulebook.write_rank(start, rank) + "/");
    ranks.fold(line + " start:/", |line, rank| line + &rank)
}

/// Returns the tags for what OpenTafl's line cannot say; its defaults are left out.
fn own_tags(rules: &Rules) -> Vec<(&'static str, &'static str)> {
    let mut tags = Vec::new();
    if rules.king_moves == KingMoves::Step {
        tags.push(("king-moves", "step"));
    }
    for (name, sides) in
        [("siege-on-centre", rules.king_capture.on_centre), ("siege-beside-centre", rules.king_capture.beside_centre)]
    {
        match sides {
            same if same == rules.king_capture.open => {}
            ClosedSides::Two => tags.push((name, "two")),
            ClosedSides::Four => tags.push((name, "four")),
        }
    }
    if rules.king_capture.edge_closes {
        tags.push(("edge-closes", "yes"));
    }
    if rules.capture_against_besieged_king {
        tags.push(("beleaguered-capture", "yes"));
    }
    if rules.no_moves == NoMoves::Draws {
        tags.push(("no-moves", "draws"));
    }
    match rules.repetition {
        RepetitionRule::Draws | RepetitionRule::Allowed => {}
        RepetitionRule::AggressorLoses => tags.push(("repetition", "aggressor-loses")),
        RepetitionRule::AggressorMustVary => tags.push(("repetition", "aggressor-must-vary")),
    }
    tags
}

/// The rules that OpenTafl has where a line does not say otherwise.
const OPENTAFL_DEFAULTS: Rules = Rules {
    size: 0,
    first: Side::Attackers,
    goal: Goal::Corner,
    king_moves: KingMoves::Line,
    king_armed: true,
    centre: Centre {
        rest: PieceSet::KING,
        cross: PieceSet::ALL,
        hostile: PieceSet::ATTACKERS,
        hostile_when_empty: PieceSet::ALL,
    },
    corners: Corners { rest: PieceSet::KING, hostile: PieceSet::ALL },
    king_capture: KingCapture::everywhere(ClosedSides::Four),
    capture_against_besieged_king: false,
    encirclement: true,
    no_moves: NoMoves::Loses,
    repetition: RepetitionRule::Draws,
};

/// Reads OpenTafl's line of rules, and our tags.
fn read_line(line: &str, own: &Tags) -> Result<(Rules, Setup), BadRecord> {
    let mut rules = OPENTAFL_DEFAULTS;
    let mut setup = None;
    let (mut no_centre, mut no_corners) = (false, false);
    for word in line.split_whitespace() {
        let (rule, value) = word.split_once(':').ok_or_else(|| BadRecord::UnknownRule(word.to_owned()))?;
        let entry = Entry { rule, value };
        match rule {
            "cen" => no_centre = entry.special_squares()?,
            "cor" => no_corners = entry.special_squares()?,
            "start" => setup = Some(read_start(value).map_err(BadRecord::BadSetup)?),
            _ => read_rule(&entry, &mut rules)?,
        }
    }
    for (name, value) in own {
        read_own_tag(&Entry { rule: name, value }, &mut rules)?;
    }
    if no_centre {
        rules.centre = Centre::ORDINARY;
    }
    if no_corners {
        rules.corners = Corners::ORDINARY;
    }
    Ok((rules, setup.ok_or(BadRecord::NoRules)?))
}

/// Reads one rule of OpenTafl.
fn read_rule(entry: &Entry<'_>, rules: &mut Rules) -> Result<(), BadRecord> {
    match entry.rule {
        "dim" => rules.size = entry.value.parse().map_err(|_| entry.bad())?,
        "esc" => rules.goal = entry.one_of(&[("c", Goal::Corner), ("e", Goal::Edge)])?,
        "surf" => rules.encirclement = entry.yes()?,
        "atkf" => rules.first = if entry.yes()? { Side::Attackers } else { Side::Defenders },
        "tfr" => {
            let known =
                [("i", Some(RepetitionRule::Allowed)), ("d", Some(RepetitionRule::Draws)), ("w", None), ("l", None)];
            rules.repetition = entry.one_of(&known)?.ok_or_else(|| entry.unsupported())?;
        }
        "ka" => rules.king_armed = entry.yes()?,
        "ks" => {
            rules.king_capture =
                KingCapture::everywhere(if entry.yes()? { ClosedSides::Four } else { ClosedSides::Two })
        }
        "cens" => rules.centre.rest = entry.pieces()?,
        "cenp" => rules.centre.cross = entry.pieces()?,
        "cenh" => rules.centre.hostile = entry.pieces()?,
        "cenhe" => rules.centre.hostile_when_empty = entry.pieces()?,
        "cors" => rules.corners.rest = entry.pieces()?,
        "corh" => rules.corners.hostile = entry.pieces()?,
        "corp" => _ = entry.pieces()?,
        // Fortresses, jumps, shield walls, edge forts and berserk: fine as long as they are switched off.
        "afor" | "dfor" => entry.must_be("")?,
        "aforh" | "dforh" | "aforp" | "dforp" | "afors" | "dfors" | "nj" | "cj" | "swf" => {}
        "kj" | "sw" | "efe" | "ber" => entry.must_be("n")?,
        _ => return Err(BadRecord::UnknownRule(entry.rule.to_owned())),
    }
    Ok(())
}

/// Reads one tag of our own. Their names never change, because records with them exist.
fn read_own_tag(entry: &Entry<'_>, rules: &mut Rules) -> Result<(), BadRecord> {
    match entry.rule.strip_prefix(OWN_TAG).unwrap_or(entry.rule) {
        "king-moves" => rules.king_moves = entry.one_of(&[("step", KingMoves::Step)])?,
        "siege-on-centre" => rules.king_capture.on_centre = entry.sides()?,
        "siege-beside-centre" => rules.king_capture.beside_centre = entry.sides()?,
        "edge-closes" => rules.king_capture.edge_closes = entry.one_of(&[("yes", true)])?,
        "beleaguered-capture" => rules.capture_against_besieged_king = entry.one_of(&[("yes", true)])?,
        "no-moves" => rules.no_moves = entry.one_of(&[("draws", NoMoves::Draws)])?,
        "repetition" => {
            rules.repetition = entry.one_of(&[
                ("aggressor-loses", RepetitionRule::AggressorLoses),
                ("aggressor-must-vary", RepetitionRule::AggressorMustVary),
            ])?;
        }
        _ => return Err(BadRecord::UnknownRule(entry.rule.to_owned())),
    }
    Ok(())
}

/// Reads a position record whose first rank is the lowest.
fn read_start(record: &str) -> Result<Setup, BadSetup> {
    let inner = record.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')).ok_or(BadSetup::NoSlashes)?;
    Setup::from_ranks(inner.split('/').count(), inner.split('/'))
}

/// One rule of a record.
struct Entry<'r> {
    rule: &'r str,
    value: &'r str,
}

impl Entry<'_> {
    fn bad(&self) -> BadRecord {
        BadRecord::BadValue { rule: self.rule.to_owned(), value: self.value.to_owned() }
    }

    fn unsupported(&self) -> BadRecord {
        BadRecord::Unsupported { rule: self.rule.to_owned(), value: self.value.to_owned() }
    }

    fn one_of<T: Copy>(&self, known: &[(&str, T)]) -> Result<T, BadRecord> {
        known.iter().find(|(name, _)| *name == self.value).map(|(_, meaning)| *meaning).ok_or_else(|| self.bad())
    }

    fn yes(&self) -> Result<bool, BadRecord> {
        self.one_of(&[("y", true), ("n", false)])
    }

    fn sides(&self) -> Result<ClosedSides, BadRecord> {
        self.one_of(&[("two", ClosedSides::Two), ("four", ClosedSides::Four)])
    }

    fn must_be(&self, value: &str) -> Result<(), BadRecord> {
        if self.value == value { Ok(()) } else { Err(self.unsupported()) }
    }

    /// Reads kinds of pieces; OpenTafl's other kinds are never on our boards and are ignored.
    fn pieces(&self) -> Result<PieceSet, BadRecord> {
        let known = |letter: char| "tcnkTCNK".contains(letter);
        if !self.value.chars().all(known) {
            return Err(self.bad());
        }
        Ok(Piece::ALL.into_iter().filter(|piece| self.value.contains(piece.letter())).collect())
    }

    /// Returns whether the list of special squares is empty; a list of squares is not supported.
    fn special_squares(&self) -> Result<bool, BadRecord> {
        match self.value {
            "" => Ok(true),
            "default" => Ok(false),
            _ => Err(self.unsupported()),
        }
    }
}
