//! Wishes as short texts, for buttons and menus. What comes back is read like any other input.
//!
//! `42.7/accept/draw` is a deed in game 42 as it was at version 7; `c9/accept` answers challenge 9.

use super::command::{Answer, Command, GameCommand};
use crate::game::{ChallengeId, GameId, OfferKind};
use crate::rules::{Move, Square, Variant};

/// The longest code that there is room for on a button.
pub const LONGEST: usize = 100;

/// Writes a wish that a button can carry; nothing for one that only commands have.
#[must_use]
pub fn write(command: &Command) -> Option<String> {
    let code = match command {
        Command::Answer { challenge, answer } => format!("c{}/{}", challenge.0, answer_id(*answer)),
        Command::ShowChallenge(challenge) => format!("c{}/show", challenge.0),
        Command::Challenges => String::from("challenges"),
        Command::Help => String::from("help"),
        Command::ForgetMe { confirmed: true } => String::from("forget-me/sure"),
        Command::Nothing => String::from("nothing"),
        Command::Rules { variant: Some(variant) } => format!("rules/{}", variant.id),
        Command::Games { player: None } => String::from("games"),
        Command::InGame { game: Some(game), version, game_command } => {
            let version = version.map_or_else(String::new, |version| format!(".{version}"));
            format!("{}{version}/{}", game.0, game_command_id(game_command))
        }
        _ => return None,
    };
    (code.len() <= LONGEST).then_some(code)
}

/// Reads a wish; nothing for a text that no button of ours carries.
#[must_use]
pub fn read(code: &str) -> Option<Command> {
    let (head, tail) = code.split_once('/').unwrap_or((code, ""));
    match (head, tail) {
        ("challenges", "") => return Some(Command::Challenges),
        ("help", "") => return Some(Command::Help),
        ("forget-me", "sure") => return Some(Command::ForgetMe { confirmed: true }),
        ("nothing", "") => return Some(Command::Nothing),
        ("games", "") => return Some(Command::Games { player: None }),
        ("rules", id) => return Variant::find(id).map(|variant| Command::Rules { variant: Some(variant) }),
        _ => {}
    }
    if let Some(number) = head.strip_prefix('c') {
        let challenge = ChallengeId(number.parse().ok()?);
        return Some(match tail {
            "show" => Command::ShowChallenge(challenge),
            "accept" => Command::Answer { challenge, answer: Answer::Accept },
            "decline" => Command::Answer { challenge, answer: Answer::Decline },
            "withdraw" => Command::Answer { challenge, answer: Answer::Withdraw },
            _ => return None,
        });
    }
    let (game, version) = head.split_once('.').map_or((head, None), |(game, version)| (game, Some(version)));
    let version = version.map(str::parse).transpose().ok()?;
    Some(Command::InGame { game: Some(GameId(game.parse().ok()?)), version, game_command: read_game_command(tail)? })
}

const fn answer_id(answer: Answer) -> &'static str {
    match answer {
        Answer::Accept => "accept",
        Answer::Decline => "decline",
        Answer::Withdraw => "withdraw",
    }
}

fn game_command_id(game_command: &GameCommand) -> String {
    match game_command {
        GameCommand::Move { typed, confirmed } => format!("{}/{typed}", if *confirmed { "play" } else { "move" }),
        GameCommand::ChoosePiece => String::from("men"),
        GameCommand::ChooseSquare(square) => format!("squares/{square}"),
        GameCommand::Preview(mv) => format!("preview/{mv}"),
        GameCommand::Cancel => String::from("cancel"),
        GameCommand::Resign { confirmed } => String::from(if *confirmed { "resign/sure" } else { "resign" }),
        GameCommand::Offer(kind) => format!("offer/{}", kind.id()),
        GameCommand::Accept(kind) => format!("accept/{}", kind.id()),
        GameCommand::Decline(kind) => format!("decline/{}", kind.id()),
        GameCommand::Abort => String::from("abort"),
        GameCommand::Claim => String::from("claim"),
        GameCommand::GiveTime => String::from("time"),
        GameCommand::Board { text, public } => {
            let form = match text {
                None => "any",
                Some(true) => "text",
                Some(false) => "picture",
            };
            format!("board/{form}/{}", whom_id(*public))
        }
        GameCommand::History { ply, public } => {
            let ply = ply.map_or_else(|| String::from("last"), |ply| ply.to_string());
            format!("history/{ply}/{}", whom_id(*public))
        }
        GameCommand::Rules => String::from("rules"),
    }
}

fn read_game_command(text: &str) -> Option<GameCommand> {
    let (verb, rest) = text.split_once('/').unwrap_or((text, ""));
    Some(match (verb, rest) {
        ("move", typed) => GameCommand::Move { typed: typed.to_owned(), confirmed: false },
        ("play", typed) => GameCommand::Move { typed: typed.to_owned(), confirmed: true },
        ("men", "") => GameCommand::ChoosePiece,
        ("squares", square) => GameCommand::ChooseSquare(read_square(square)?),
        ("preview", mv) => {
            let (from, to) = mv.split_once('-')?;
            GameCommand::Preview(Move { from: read_square(from)?, to: read_square(to)? })
        }
        ("cancel", "") => GameCommand::Cancel,
        ("resign", "") => GameCommand::Resign { confirmed: false },
        ("resign", "sure") => GameCommand::Resign { confirmed: true },
        ("offer", kind) => GameCommand::Offer(read_kind(kind)?),
        ("accept", kind) => GameCommand::Accept(read_kind(kind)?),
        ("decline", kind) => GameCommand::Decline(read_kind(kind)?),
        ("abort", "") => GameCommand::Abort,
        ("claim", "") => GameCommand::Claim,
        ("time", "") => GameCommand::GiveTime,
        ("board", form) => {
            let (form, whom) = form.split_once('/')?;
            let text = match form {
                "any" => None,
                "text" => Some(true),
                "picture" => Some(false),
                _ => return None,
            };
            GameCommand::Board { text, public: read_whom(whom)? }
        }
        ("history", place) => {
            let (ply, whom) = place.split_once('/')?;
            let ply = if ply == "last" { None } else { Some(ply.parse().ok()?) };
            GameCommand::History { ply, public: read_whom(whom)? }
        }
        ("rules", "") => GameCommand::Rules,
        _ => return None,
    })
}

const fn whom_id(public: bool) -> &'static str {
    if public { "all" } else { "me" }
}

fn read_whom(id: &str) -> Option<bool> {
    match id {
        "all" => Some(true),
        "me" => Some(false),
        _ => None,
    }
}

fn read_kind(id: &str) -> Option<OfferKind> {
    OfferKind::ALL.into_iter().find(|kind| kind.id() == id)
}

fn read_square(name: &str) -> Option<Square> {
    let mut letters = name.chars();
    let file = u8::try_from(letters.next()?).ok()?.checked_sub(b'a')?;
    let rank: u8 = letters.as_str().parse().ok()?;
    Square::new(file, rank.checked_sub(1)?).filter(|square| square.to_string() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_button_carries_comes_back() {
        for code in [
            "c9/accept",
            "c9/decline",
            "c9/withdraw",
            "c9/show",
            "challenges",
            "help",
            "forget-me/sure",
            "nothing",
            "games",
            "rules/york",
            "42.7/move/d1-d4xd5/e4",
            "42.7/play/Kd1-d4--",
            "42/men",
            "42.7/squares/k11",
            "42.7/preview/a1-a11",
            "42.7/cancel",
            "42/resign",
            "42.7/resign/sure",
            "42.7/offer/draw",
            "42.7/accept/takeback",
            "42.7/decline/rematch",
            "42.7/abort",
            "42.7/claim",
            "42.7/time",
            "42/board/any/me",
            "42/board/text/all",
            "42/history/last/me",
            "42/history/12/all",
            "42/rules",
        ] {
            let command = read(code);
            assert!(command.is_some(), "{code} was not read");
            assert_eq!(command.and_then(|command| write(&command)).as_deref(), Some(code));
        }
    }

    #[test]
    fn what_no_button_carries_is_refused() {
        for code in [
            "",
            "/",
            "c/accept",
            "c9/",
            "c-1/accept",
            "x/men",
            "42",
            "42./men",
            "42.7/squares/z9",
            "42.7/squares/a01",
            "42.7/preview/a1",
            "42/offer/love",
            "42/board/any",
            "99999999999999999999999/men",
            "rules/chess",
            "42/history/-1/me",
            "42/history/12",
            "42/history//me",
            "\0",
            "c",
            "1.",
            "1./",
            "🦑/men",
            "1.1/squares/🦑1",
            "1/preview/-",
            "1/preview/a1-",
        ] {
            assert!(read(code).is_none(), "{code} was read");
        }
    }

    #[test]
    fn a_code_that_is_too_long_is_not_written() {
        let typed = "d".repeat(200);
        let command = Command::InGame {
            game: Some(GameId(1)),
            version: None,
            game_command: GameCommand::Move { typed, confirmed: false },
        };
        assert_eq!(write(&command), None);
    }
}
