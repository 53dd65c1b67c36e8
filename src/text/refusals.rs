//! Why something cannot be done, and what to do instead.

use super::labels::{self, capitalized, squares, with_article};
use super::sanitize::quoted;
use super::{Markup, endings, lists, repetition};
use crate::game::{ChallengeId, Game, GameId, GameTerms, OfferKind, PlayerId, Proposal, Refusal};
use crate::rules::variants::Words;
use crate::rules::{IllegalMove, Piece, Square, SquareSet, VARIANTS, Variant};

/// Says why a move is illegal.
#[must_use]
pub fn illegal_move(illegal: &IllegalMove, words: &Words) -> String {
    let king = words.king;
    match illegal {
        IllegalMove::NotUnderstood { example } => {
            let example = example.map_or_else(String::new, |mv| format!(", for example {mv}"));
            format!("I do not understand this as a move. Write from where to where{example}.")
        }
        IllegalMove::OffTheBoard { file, rank, size } => {
            let last = char::from(b'a' + size.saturating_sub(1));
            // A rank of many digits is not worth repeating.
            let square = if *rank < 1_000 { format!("{file}{rank}") } else { String::from("such square") };
            format!("There is no {square} on this board: it goes from a1 to {last}{size}.")
        }
        IllegalMove::NoPiece(square) => format!("Nobody stands on {square}."),
        IllegalMove::OpponentsPiece { square, piece } => {
            format!("The {} on {square} belongs to your opponent.", words.piece(*piece))
        }
        IllegalMove::NotTheKing { square, piece } => {
            format!("{} stands on {square}, not the {king}.", capitalized(&with_article(words.piece(*piece))))
        }
        IllegalMove::StandsStill(square) => format!("A move has to end on another square than {square}."),
        IllegalMove::NotInLine { from, to } => {
            format!("{from} and {to} are not in line: moves go straight along a row or a column.")
        }
        IllegalMove::InTheWay { square, piece } => format!("The {} on {square} is in the way.", words.piece(*piece)),
        IllegalMove::NoRest { square, piece: _ } => format!("Only the {king} may end a move on {square}."),
        IllegalMove::NoCrossing { square, piece } => {
            format!("{} may not pass over {square}.", capitalized(&with_article(words.piece(*piece))))
        }
        IllegalMove::SingleStep { from, to } => {
            format!("The {king} moves only one square at a time, which is not enough from {from} to {to}.")
        }
        IllegalMove::WrongCaptures { written, captured } => {
            let truth = if captured.is_empty() { String::from("nobody") } else { at(*captured) };
            format!(
                "This move takes {truth}; written was {}. Leave the captures out or write them as they are.",
                at(*written)
            )
        }
        IllegalMove::KingNotCaptured => format!("This move does not take the {king}: write it without ++."),
        IllegalMove::KingNotEscaped => format!("This move is not the {king}'s escape: write it without --."),
        IllegalMove::GameOver(ended) => format!("The game is over: {}.", endings::outcome(*ended, words)),
        IllegalMove::MustVary(why) => repetition::explain(why, words),
    }
}

fn at(set: SquareSet) -> String {
    format!("{} {}", if set.len() == 1 { "the man on" } else { "the men on" }, squares(set))
}

/// Says why an action is refused, and what to do instead.
#[must_use]
pub fn refused(refusal: &Refusal, words: &Words, markup: &dyn Markup) -> String {
    match refusal {
        Refusal::Move(illegal) => illegal_move(illegal, words),
        Refusal::Confirm { repetition, .. } => {
            format!("{}\nPlay it all the same?", repetition::explain(repetition, words))
        }
        Refusal::NothingOffered(kind) => nothing_offered(*kind),
        Refusal::OwnOffer(kind) => {
            format!("It is you who has asked for {}; your opponent has to answer.", labels::offer(*kind))
        }
        Refusal::AlreadyOffered(kind) => {
            format!("You have asked for {} already; your opponent has not answered yet.", labels::offer(*kind))
        }
        Refusal::TooSoon(kind) => {
            let offer = labels::offer(*kind);
            format!("Your opponent has declined {offer}. You can ask again when both of you have moved.")
        }
        Refusal::TimeNotUp { deadline } => {
            format!("Your opponent still has time: the deadline is {}.", markup.time(*deadline))
        }
        Refusal::TooManyChallenges => format!(
            "You have {} open challenges, which is as many as there can be. `/challenges` lets you withdraw one.",
            Proposal::MAX_OPEN
        ),
        Refusal::TooManyGames { yours } => too_many_games(*yours),
        Refusal::NotYourGame => "You are not playing in this game. `/games` lists yours.".into(),
        Refusal::NotYourTurn => "It is your opponent's turn. You will be called when it is yours.".into(),
        Refusal::Over(_) => "This game is over. `/rematch` offers another one.".into(),
        Refusal::NotOver => "This game still goes on. A rematch can be offered when it is over.".into(),
        Refusal::NothingToTakeBack => "You have not made a move yet that could be taken back.".into(),
        Refusal::TooLateToAbort => {
            "Both of you have moved, so the game cannot be called off. `/draw` or `/resign` end it.".into()
        }
        Refusal::ClaimOpensSoon => CLAIM_OPENS_SOON.into(),
        Refusal::YourOwnTime => "It is your own turn: make a move with `/move`.".into(),
        Refusal::PlentyOfTime => "Your opponent has plenty of time left. Give more when it gets short.".into(),
        Refusal::Rematched => "The rematch has begun already. `/games` shows it.".into(),
        Refusal::NoClock => "This game has no limit of time.".into(),
        Refusal::Yourself => CHALLENGED_YOURSELF.into(),
        Refusal::OwnChallenge => OWN_CHALLENGE.into(),
        Refusal::BlockedByYou => {
            "You have blocked this player yourself. `/unblock` lets you play together again.".into()
        }
        Refusal::Bot => "Bots do not play here. Name a person, or nobody to let anybody accept.".into(),
        Refusal::Unavailable => "This player is not available for a game with you.".into(),
        Refusal::SameChallenge => SAME_CHALLENGE.into(),
        Refusal::NotForYou => "This challenge is for somebody else. Make one of your own if you want to play.".into(),
        Refusal::NotYourChallenge => "Only the challenger can withdraw a challenge.".into(),
        Refusal::ChallengeClosed => "This challenge is not open any more. One of you has to make a new one.".into(),
    }
}

const CLAIM_OPENS_SOON: &str =
    "The time is up, but the bot has only just come back: the win can be claimed in an hour at the latest.";
const CHALLENGED_YOURSELF: &str =
    "You cannot play against yourself. Name somebody else, or nobody to let anybody accept.";
const OWN_CHALLENGE: &str = "This is your own challenge, which somebody else has to answer. Withdraw is your button.";
const SAME_CHALLENGE: &str =
    "There is an open challenge between you two for this game already. `/challenges` shows it.";

fn nothing_offered(kind: OfferKind) -> String {
    match kind {
        OfferKind::Takeback => String::from("Nobody asks to take a move back here. `/takeback` asks your opponent."),
        OfferKind::Draw | OfferKind::Rematch => {
            format!("Nobody has offered {} here. `/{}` offers it.", labels::offer(kind), kind.id())
        }
    }
}

fn too_many_games(yours: bool) -> String {
    if yours {
        format!("You are playing {} games, which is as many as there can be. Finish one first.", GameTerms::MAX_RUNNING)
    } else {
        String::from("Your opponent plays as many games as there can be at the moment. Try again later.")
    }
}

/// Says that a variant has no such layout, and which it has.
#[must_use]
pub fn no_such_layout(variant: &Variant) -> String {
    let names: Vec<&str> = variant.layouts.iter().map(|layout| layout.id).collect();
    format!("{} cannot be set up like that. It has: {}.", variant.name, names.join(", "))
}

/// Says that the player has no game here.
#[must_use]
pub fn no_game_here(in_server: bool) -> String {
    format!("You have no game here that this could mean. `/games` lists yours. {}", lists::how_to_start(in_server))
}

/// Says that the player's only game here is over.
#[must_use]
pub fn game_is_over(id: GameId) -> String {
    format!("Game {id} is over, and none of your games goes on here. `/rematch` offers another one.")
}

/// Says that the player's only game here is not over yet.
#[must_use]
pub fn game_not_over(id: GameId) -> String {
    format!("Game {id} still goes on. A rematch can be offered when it is over; `/draw` and `/resign` end it.")
}

/// Says that the action is possible in none of the player's games here.
#[must_use]
pub fn possible_in_no_game(moving: bool) -> String {
    if moving {
        String::from("It is your turn in none of your games here. `/games` shows how they stand.")
    } else {
        String::from("This can be done in none of your games here now. `/games` shows how they stand.")
    }
}

/// Says that players cannot block themselves.
#[must_use]
pub fn cannot_block_yourself() -> String {
    String::from("You cannot block yourself. Name somebody else.")
}

/// Says that there is no such game here, whether or not there is one elsewhere.
#[must_use]
pub fn no_such_game(id: GameId) -> String {
    format!("There is no game {id} here. `/games` lists yours.")
}

/// Says that there is no such variant, and which there are.
#[must_use]
pub fn no_such_variant() -> String {
    let names: Vec<&str> = VARIANTS.iter().map(|variant| variant.id).collect();
    format!("There is no such game. There are: {}.", names.join(", "))
}

/// Says that there is no such challenge.
#[must_use]
pub fn no_such_challenge() -> String {
    String::from("There is no such challenge here. `/challenges` lists those that you can answer.")
}

/// Says that a button belongs to an earlier board.
#[must_use]
pub fn game_has_moved_on(id: GameId) -> String {
    format!("Game {id} has moved on since then. `/board` shows how it stands.")
}

/// Says that the clock is stopped because the game's channel cannot be reached.
#[must_use]
pub fn clock_is_paused() -> String {
    String::from(
        "Nobody loses on time while the game's channel is gone or I am not in its server, so your opponent has all of the \
         time again. The next command of either of you in that server moves the game there.",
    )
}

/// Says that the game changed at the same moment, so that nothing was done.
#[must_use]
pub fn changed_meanwhile() -> String {
    String::from("Something happened at the same moment, so nothing was done. Look at the board and try again.")
}

/// Says that the same request was carried out before.
#[must_use]
pub fn already_done() -> String {
    String::from("This was done already.")
}

/// Says that challenges are made in a server.
#[must_use]
pub fn challenge_needs_server() -> String {
    String::from("A challenge is made in a server, where your opponent can see it. Use `/challenge` there.")
}

/// Says that the opponent cannot see this channel.
#[must_use]
pub fn opponent_cannot_see_channel(player: PlayerId, markup: &dyn Markup) -> String {
    format!("{} cannot see this channel. Challenge them in one that you both see.", markup.player(player))
}

/// Says that the player has already made this move.
#[must_use]
pub fn already_played(mv: &str) -> String {
    format!("{} is played already.", quoted(mv))
}

/// Says that a button is unknown, probably because it is from another version.
#[must_use]
pub fn unknown_button() -> String {
    String::from("This button does nothing any more. `/board` shows how your game stands.")
}

/// Says that a command is unknown, probably because it has just changed.
#[must_use]
pub fn unknown_command() -> String {
    String::from("I do not know this command any more. Reload Discord, and look at `/help`.")
}

/// Says that a command is for moderators only.
#[must_use]
pub fn only_for_moderators() -> String {
    String::from("This is for those who may manage this server. Ask one of them.")
}

/// Apologises for an internal error, with a number that is also in the log. `done` says whether the request was carried
/// out, if that is known.
#[must_use]
pub fn internal_error(number: u64, full: bool, done: Option<bool>) -> String {
    let why = if full { " because the disk is full" } else { "" };
    let what = match done {
        Some(false) => ", and nothing was done. Try again later",
        Some(true) => ", but what you wanted is done; `/games` shows it",
        None => ", and I cannot tell whether it is done. `/games` shows it before you try again",
    };
    format!("Something went wrong on my side{why}{what}; whoever runs me finds it under {number}.")
}

/// Says that the game, the challenge or something else that a request needs is stored but cannot be read.
#[must_use]
pub fn unreadable(game: Option<GameId>, challenge: Option<ChallengeId>) -> String {
    let what = match (game, challenge) {
        (Some(game), _) => format!("Game {game}"),
        (None, Some(_)) => String::from("This challenge"),
        (None, None) => String::from("What is stored about this"),
    };
    format!(
        "{what} cannot be read, so nothing was done. Please tell the person who runs this bot: `ratatosk check` says what is wrong."
    )
}

/// Says that the bot is shutting down and accepts no new requests.
#[must_use]
pub fn shutting_down() -> String {
    String::from("I am just being stopped, and nothing was done. Try again in a minute.")
}

/// Says that a piece has no legal move.
#[must_use]
pub fn piece_cannot_move(game: &Game, piece: Piece, from: Square) -> String {
    format!("The {} on {from} cannot move now. Choose another piece.", game.terms.variant.words.piece(piece))
}

/// Says that the value of an option is wrong, and which values there are.
#[must_use]
pub fn bad_option(option: &str, said: &str, choices: &[String]) -> String {
    if option == "game" {
        format!("{} is not the number of a game. Write it like 42; `/games` lists yours.", quoted(said))
    } else if choices.is_empty() {
        format!("{} cannot be used for `{option}`.", quoted(said))
    } else {
        format!("{} cannot be used for `{option}`. It can be: {}.", quoted(said), choices.join(", "))
    }
}

/// Says that a game is not ended without a reason.
#[must_use]
pub fn no_reason() -> String {
    String::from("Say why in `reason`: both players are told.")
}

/// Says that a command works only in a server.
#[must_use]
pub fn only_in_a_server() -> String {
    String::from("This is for a server. Use it in one of its channels.")
}
