//! The rules of a variant in words, made from its options.

use super::labels::{capitalized, list, with_article};
use crate::rules::rules::{ClosedSides, Goal, KingMoves, NoMoves, RepetitionRule};
use crate::rules::variants::{HouseRule, Words};
use crate::rules::{Layout, Piece, PieceSet, Rules, Side, Variant};

/// One rule in words.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Clause {
    /// The sentence or sentences.
    text: String,
    /// Whether it is a house rule, because the source of the variant is silent or unclear.
    is_house_rule: bool,
}

/// Returns the rules of a game, in the order in which a reader needs them.
fn rules_in_words(variant: &Variant, rules: &Rules, layout: &Layout) -> Vec<Clause> {
    Writer { variant, rules, words: &variant.words, clauses: Vec::new() }.write(layout)
}

/// Returns the rules of a game as one text: one line per rule, house rules marked. `rules` may differ from the variant's
/// current ones, because a game keeps those it was started with.
#[must_use]
pub fn rules_page(variant: &Variant, rules: &Rules, layout: &Layout) -> String {
    let mut page = String::new();
    for clause in rules_in_words(variant, rules, layout) {
        page.push_str("- ");
        page.push_str(&clause.text);
        page.push_str(if clause.is_house_rule { " (house)\n" } else { "\n" });
    }
    page.push_str("(house): ours, where the document of the game is silent or unclear.\n");
    page
}

/// Says that a draw can be agreed on.
pub(super) const AGREED_DRAW: &str = "The players can agree on a draw.";

/// Says how the king's side wins.
pub(super) fn escape_wins(goal: Goal, words: &Words) -> String {
    let Words { king, corner, .. } = words;
    let goal = match goal {
        Goal::Edge => String::from("any square of the edge"),
        Goal::Corner => with_article(corner),
    };
    format!("The {king}'s side wins when the {king} reaches {goal}.")
}

/// Says how the attackers win.
pub(super) fn capture_wins(words: &Words) -> String {
    let Words { king, attackers, .. } = words;
    format!("The {attackers} win by taking the {king}.")
}

/// Says that the attackers also win by encirclement.
pub(super) fn encirclement_wins(words: &Words) -> String {
    let Words { king, defenders, attackers, .. } = words;
    format!("The {attackers} also win by encircling the {king} and all {defenders}.")
}

/// Says what happens when a player cannot move.
pub(super) const fn no_moves(rule: NoMoves) -> &'static str {
    match rule {
        NoMoves::Loses => "A player who cannot move loses.",
        NoMoves::Draws => "When a player cannot move, the game is drawn.",
    }
}

/// Says what happens when a position occurs for the third time.
pub(super) const fn third_occurrence(rule: RepetitionRule) -> &'static str {
    match rule {
        RepetitionRule::Allowed => "A position may come about any number of times.",
        RepetitionRule::Draws => {
            "The third time the same position stands with the same side to move, the game is drawn."
        }
        RepetitionRule::AggressorLoses => {
            "The third time the same position stands with the same side to move, the aggressor loses."
        }
        RepetitionRule::AggressorMustVary => {
            "Perpetual repetition is forbidden: the player in control of it has to find another move."
        }
    }
}

struct Writer<'v> {
    variant: &'v Variant,
    rules: &'v Rules,
    words: &'v Words,
    clauses: Vec<Clause>,
}

impl Writer<'_> {
    fn write(mut self, layout: &Layout) -> Vec<Clause> {
        self.board(layout);
        self.movement();
        self.special_squares();
        self.captures();
        self.winning();
        self.taking_the_king();
        self.endings();
        self.clauses
    }

    fn say(&mut self, text: String) {
        self.clauses.push(Clause { text, is_house_rule: false });
    }

    /// Adds a rule that is a house rule in some variants.
    fn say_possible_house_rule(&mut self, text: String, rule: HouseRule) {
        self.clauses.push(Clause { text, is_house_rule: self.variant.house_rules.contains(&rule) });
    }

    fn board(&mut self, layout: &Layout) {
        let Words { king, defenders, attackers, .. } = self.words;
        let start = self.variant.start_position(layout);
        let count = |piece| start.pieces(piece).len();
        let size = self.rules.size;
        let text = format!(
            "{size}x{size} squares, set-up `{}`: the {king} and {} {defenders} against {} {attackers}.",
            layout.id,
            count(Piece::Defender),
            count(Piece::Attacker),
        );
        self.clauses.push(Clause { text, is_house_rule: layout.is_house_rule });
        for other in self.variant.layouts.iter().filter(|other| other.id != layout.id) {
            self.clauses.push(Clause {
                text: format!("It can also be set up as `{}`.", other.id),
                is_house_rule: other.is_house_rule,
            });
        }
        self.say(match self.rules.first {
            Side::Attackers => format!("The {attackers} move first."),
            Side::Defenders => format!("The {king}'s side moves first."),
        });
    }

    fn movement(&mut self) {
        let king = self.words.king;
        let lines = "A piece moves along a row or column as far as the way is free, and never jumps.";
        self.say(match self.rules.king_moves {
            KingMoves::Line => String::from(lines),
            KingMoves::Step => format!("{lines} The {king} moves only one square at a time."),
        });
    }

    fn special_squares(&mut self) {
        let Words { king, centre, corner, .. } = self.words;
        let (rest, cross) = (self.rules.centre.rest, self.rules.centre.cross);
        if rest == PieceSet::KING {
            let crossing = if cross == PieceSet::ALL { "; everybody may pass over it when it is empty" } else { "" };
            self.say(format!("Only the {king} may rest on the {centre}{crossing}."));
        }
        if self.rules.corners.rest == PieceSet::KING {
            self.say(format!("Only the {king} may rest on a {corner}."));
        }
        if rest == PieceSet::ALL && self.rules.corners.rest == PieceSet::ALL {
            self.say(String::from("No square is special."));
        }
    }

    fn captures(&mut self) {
        let Words { king, defender, attacker, attackers, centre, .. } = self.words;
        self.say(format!(
            "{} or {} is taken when an enemy's move puts it between two enemies on a row or column. Up to three \
             are taken at once, each against its own partner; two in a row are not.",
            capitalized(&with_article(attacker)),
            with_article(defender)
        ));
        let armed = if self.rules.king_armed { "helps" } else { "does not help" };
        self.say(format!("The {king} {armed} to take {attackers}."));
        self.hostile_squares();
        if self.rules.capture_against_besieged_king {
            self.say(format!(
                "When the {king} is in the {centre} with {attackers} on three sides and {} on the fourth, {} that moves \
                 to the far side of that {defender} takes it against the {king}.",
                with_article(defender),
                with_article(attacker)
            ));
        }
        self.say_possible_house_rule(
            String::from(
                "To move between enemies is safe for every piece: who has just moved is one of those that take.",
            ),
            HouseRule::SafeBetweenEnemies,
        );
    }

    fn hostile_squares(&mut self) {
        let Words { defender, defenders, attacker, attackers, centre, corner, .. } = self.words;
        let (always, when_empty) = (self.rules.centre.hostile, self.rules.centre.hostile_when_empty);
        let both = format!("{attackers} and {defenders}");
        let at_centre = match Piece::ALL.map(|piece| (always.contains(piece), when_empty.contains(piece))) {
            [(false, true), (false, true), _] => Some(format!("The empty {centre} counts as an enemy to {both}.")),
            [(true, _), (false, true), _] => {
                Some(format!("The {centre} counts as an enemy to {attackers} always, to {defenders} when it is empty."))
            }
            [(true, _), (true, _), _] => Some(format!("The {centre} counts as an enemy to {both}.")),
            [(true, _), (false, false), _] => Some(format!("The {centre} counts as an enemy to {attackers}.")),
            [(false, true), (false, false), _] => {
                Some(format!("The empty {centre} counts as an enemy to {attackers}."))
            }
            [(false, false), (false, true), _] => {
                Some(format!("The empty {centre} counts as an enemy to {defenders}."))
            }
            [(false, _), (true, _), _] => Some(format!("The {centre} counts as an enemy to {defenders}.")),
            [(false, false), (false, false), _] if self.rules.centre.rest == PieceSet::ALL => None,
            [(false, false), (false, false), _] => {
                Some(format!("No {attacker} or {defender} is taken against the {centre}."))
            }
        };
        if let Some(text) = at_centre {
            self.say(text);
        }
        if self.rules.corners.hostile.includes(PieceSet::COMMON) {
            self.say(format!("{} counts as an enemy to {both}.", capitalized(&with_article(corner))));
        }
    }

    fn winning(&mut self) {
        self.say(format!("{} {}", escape_wins(self.rules.goal, self.words), capture_wins(self.words)));
    }

    fn taking_the_king(&mut self) {
        let Words { king, attackers, centre, corner, attacker, .. } = self.words;
        let king_capture = self.rules.king_capture;
        let corners_close = self.rules.corners.hostile.contains(Piece::King);
        let mut text = match king_capture.open {
            ClosedSides::Two => format!("The {king} is taken like the others, between two {attackers}"),
            ClosedSides::Four => format!("The {king} is taken by {attackers} on all four sides"),
        };
        if corners_close && king_capture.open == ClosedSides::Two {
            text += &format!(" or {} and a {corner}", with_article(attacker));
        }
        let mut closers = Vec::new();
        if king_capture.open == ClosedSides::Four
            && self.rules.centre.hostile_when_empty.contains(Piece::King)
            && king_capture.edge_closes
        {
            closers.push(format!("the empty {centre}"));
        }
        if corners_close && king_capture.open == ClosedSides::Four {
            closers.push(with_article(corner));
        }
        if king_capture.edge_closes {
            closers.push(String::from("the edge"));
        }
        if !closers.is_empty() {
            text += &format!("; {} counts as such a side", list(&closers, "or"));
        }
        text += ".";
        if king_capture.on_centre == ClosedSides::Four && king_capture.open == ClosedSides::Two {
            text += &format!(" On the {centre} it takes four of them.");
        }
        self.say(text);
        let beside = king_capture.beside_centre == ClosedSides::Four
            && self.rules.centre.hostile_when_empty.contains(Piece::King);
        if beside && !king_capture.edge_closes {
            self.say_possible_house_rule(
                match king_capture.open {
                    ClosedSides::Two => format!(
                        "Beside the empty {centre} two are not enough: {attackers} have to hold the other three sides."
                    ),
                    ClosedSides::Four => {
                        format!("Beside the empty {centre}, {attackers} on the other three sides take the {king}.")
                    }
                },
                HouseRule::KingCaptureBesideCentre,
            );
        }
        if king_capture.open == ClosedSides::Four && !king_capture.edge_closes && self.rules.goal == Goal::Corner {
            self.say(format!("On the edge the {king} cannot be taken."));
        }
    }

    fn endings(&mut self) {
        let Words { attacker, attackers, .. } = self.words;
        if self.rules.encirclement {
            self.say(encirclement_wins(self.words));
            self.say_possible_house_rule(
                format!(
                    "Encircled: none of them stands on the edge or is connected to it, square by square, over squares \
                     without {}, special or not. The ring need not be unbreakable.",
                    with_article(attacker)
                ),
                HouseRule::Encirclement,
            );
        }
        self.say_possible_house_rule(String::from(no_moves(self.rules.no_moves)), HouseRule::NoMoves);
        if self.rules.no_moves == NoMoves::Draws {
            self.say(format!("That holds by the letter even when all {attackers} are taken: a draw."));
        }
        self.repetition();
        self.say_possible_house_rule(String::from(AGREED_DRAW), HouseRule::AgreedDraw);
    }

    fn repetition(&mut self) {
        match self.rules.repetition {
            RepetitionRule::Allowed => {}
            RepetitionRule::Draws => {
                let third = third_occurrence(self.rules.repetition);
                if self.variant.house_rules.contains(&HouseRule::AutomaticDraw) {
                    self.say(third.replace("is drawn", "can be drawn"));
                    self.say_possible_house_rule(String::from("That draw comes by itself."), HouseRule::AutomaticDraw);
                } else {
                    self.say_possible_house_rule(third.to_owned(), HouseRule::DrawnRepetition);
                }
            }
            RepetitionRule::AggressorLoses => {
                self.say(String::from(third_occurrence(self.rules.repetition)));
            }
            RepetitionRule::AggressorMustVary => {
                self.say(String::from(third_occurrence(self.rules.repetition)));
                self.say_possible_house_rule(
                    String::from("That holds from the third time the same position stands with the same side to move."),
                    HouseRule::ThirdOccurrence,
                );
            }
        }
        if matches!(self.rules.repetition, RepetitionRule::AggressorLoses | RepetitionRule::AggressorMustVary) {
            self.say_possible_house_rule(
                String::from(
                    "Who that is: at each turn of the cycle we count a side's other moves that win or draw, or lead to \
                     something new without letting the opponent force a win in two moves. It is the side whose smallest \
                     share is more than twice the other's; else the one who completed the repetition. If neither had \
                     such a move, it is a draw.",
                ),
                HouseRule::Aggressor,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::VARIANTS;

    #[test]
    fn every_listed_house_rule_marks_a_line() {
        for variant in VARIANTS {
            let clauses = rules_in_words(variant, &variant.rules, variant.default_layout());
            // Layouts are marked as well, but are not in the list.
            let layouts = variant.layouts.iter().filter(|layout| layout.is_house_rule).count();
            let marked: Vec<&str> = clauses.iter().filter(|c| c.is_house_rule).map(|c| c.text.as_str()).collect();
            let (id, listed) = (variant.id, variant.house_rules);
            assert_eq!(
                marked.len() - layouts,
                listed.len(),
                "a house rule of {id} marks no line of its rules page, or two: it lists {listed:?} and marks {marked:#?}"
            );
        }
    }
}
