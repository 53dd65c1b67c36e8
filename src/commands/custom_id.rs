//! Custom ids: commands as short texts on buttons and in menus. A custom id that comes back is checked like any other
//! input.
//!
//! `42.7/accept/draw` accepts a draw in game 42 at version 7; `c9/accept` accepts challenge 9. Posted boards keep their
//! buttons for months, so an id that was once used must stay readable.

use super::command::{ChallengeAnswer, Command, GameCommand};
use crate::game::{ChallengeId, GameId, OfferKind};
use crate::rules::{Move, Square, Variant};

/// The length that Discord allows a custom id.
pub const MAX_LENGTH: usize = 100;

/// Returns the custom id of a command; `None` if the command cannot be on a button.
#[must_use]
pub fn encode(command: &Command) -> Option<String> {
    let code = match command {
        Command::AnswerChallenge { challenge, answer } => format!("c{}/{}", challenge.0, encode_answer(*answer)),
        Command::ShowChallenge(challenge) => format!("c{}/show", challenge.0),
        Command::Challenges => String::from("challenges"),
        Command::Help => String::from("help"),
        Command::ForgetMe { confirmed: true } => String::from("forget-me/sure"),
        Command::Cancel => String::from("nothing"),
        Command::Rules { variant: Some(variant) } => format!("rules/{}", variant.id),
        Command::Games { player: None } => String::from("games"),
        Command::InGame { game: Some(game), version, game_command } => {
            let version = version.map_or_else(String::new, |version| format!(".{version}"));
            format!("{}{version}/{}", game.0, encode_game_command(game_command))
        }
        // Only typed: these carry a person, free text or several options.
        Command::Challenge { .. }
        | Command::InGame { game: None, .. }
        | Command::Games { player: Some(_) }
        | Command::Block(_)
        | Command::Unblock(_)
        | Command::Rules { variant: None }
        | Command::Settings(_)
        | Command::Preferences(_)
        | Command::EndGame { .. }
        | Command::Doctor
        | Command::Privacy
        | Command::ForgetMe { confirmed: false } => return None,
    };
    (code.len() <= MAX_LENGTH).then_some(code)
}

/// Returns the command of a custom id; `None` if it is not one of ours.
#[must_use]
pub fn decode(code: &str) -> Option<Command> {
    let (head, tail) = code.split_once('/').unwrap_or((code, ""));
    match (head, tail) {
        ("challenges", "") => return Some(Command::Challenges),
        ("help", "") => return Some(Command::Help),
        ("forget-me", "sure") => return Some(Command::ForgetMe { confirmed: true }),
        ("nothing", "") => return Some(Command::Cancel),
        ("games", "") => return Some(Command::Games { player: None }),
        ("rules", id) => return Variant::find(id).map(|variant| Command::Rules { variant: Some(variant) }),
        _ => {}
    }
    if let Some(number) = head.strip_prefix('c') {
        let challenge = ChallengeId(number.parse().ok()?);
        return Some(match tail {
            "show" => Command::ShowChallenge(challenge),
            "accept" => Command::AnswerChallenge { challenge, answer: ChallengeAnswer::Accept },
            "decline" => Command::AnswerChallenge { challenge, answer: ChallengeAnswer::Decline },
            "withdraw" => Command::AnswerChallenge { challenge, answer: ChallengeAnswer::Withdraw },
            _ => return None,
        });
    }
    let (game, version) = head.split_once('.').map_or((head, None), |(game, version)| (game, Some(version)));
    let version = version.map(str::parse).transpose().ok()?;
    Some(Command::InGame { game: Some(GameId(game.parse().ok()?)), version, game_command: decode_game_command(tail)? })
}

const fn encode_answer(answer: ChallengeAnswer) -> &'static str {
    match answer {
        ChallengeAnswer::Accept => "accept",
        ChallengeAnswer::Decline => "decline",
        ChallengeAnswer::Withdraw => "withdraw",
    }
}

fn encode_game_command(game_command: &GameCommand) -> String {
    match game_command {
        GameCommand::Move { typed, confirmed } => format!("{}/{typed}", if *confirmed { "play" } else { "move" }),
        // Posted buttons carry these names, so they never change.
        GameCommand::ChoosePiece => String::from("men"),
        GameCommand::ChooseSquare(square) => format!("squares/{square}"),
        GameCommand::Preview(mv) => format!("preview/{mv}"),
        GameCommand::Cancel => String::from("cancel"),
        GameCommand::Resign { confirmed } => String::from(if *confirmed { "resign/sure" } else { "resign" }),
        GameCommand::Offer(kind) => format!("offer/{}", kind.id()),
        GameCommand::Accept(kind) => format!("accept/{}", kind.id()),
        GameCommand::Decline(kind) => format!("decline/{}", kind.id()),
        GameCommand::Abort => String::from("abort"),
        GameCommand::ClaimTime => String::from("claim"),
        GameCommand::GiveTime => String::from("time"),
        GameCommand::Board { text, public } => {
            let form = match text {
                None => "any",
                Some(true) => "text",
                Some(false) => "picture",
            };
            format!("board/{form}/{}", encode_audience(*public))
        }
        GameCommand::History { ply, public } => {
            let ply = ply.map_or_else(|| String::from("last"), |ply| ply.to_string());
            format!("history/{ply}/{}", encode_audience(*public))
        }
        GameCommand::Rules => String::from("rules"),
    }
}

fn decode_game_command(text: &str) -> Option<GameCommand> {
    let (verb, rest) = text.split_once('/').unwrap_or((text, ""));
    Some(match (verb, rest) {
        ("move", typed) => GameCommand::Move { typed: typed.to_owned(), confirmed: false },
        ("play", typed) => GameCommand::Move { typed: typed.to_owned(), confirmed: true },
        ("men", "") => GameCommand::ChoosePiece,
        ("squares", square) => GameCommand::ChooseSquare(Square::parse(square)?),
        ("preview", mv) => {
            let (from, to) = mv.split_once('-')?;
            GameCommand::Preview(Move { from: Square::parse(from)?, to: Square::parse(to)? })
        }
        ("cancel", "") => GameCommand::Cancel,
        ("resign", "") => GameCommand::Resign { confirmed: false },
        ("resign", "sure") => GameCommand::Resign { confirmed: true },
        ("offer", kind) => GameCommand::Offer(decode_offer(kind)?),
        ("accept", kind) => GameCommand::Accept(decode_offer(kind)?),
        ("decline", kind) => GameCommand::Decline(decode_offer(kind)?),
        ("abort", "") => GameCommand::Abort,
        ("claim", "") => GameCommand::ClaimTime,
        ("time", "") => GameCommand::GiveTime,
        ("board", rest) => {
            let (form, audience) = rest.split_once('/')?;
            let text = match form {
                "any" => None,
                "text" => Some(true),
                "picture" => Some(false),
                _ => return None,
            };
            GameCommand::Board { text, public: decode_audience(audience)? }
        }
        ("history", rest) => {
            let (ply, audience) = rest.split_once('/')?;
            let ply = if ply == "last" { None } else { Some(ply.parse().ok()?) };
            GameCommand::History { ply, public: decode_audience(audience)? }
        }
        ("rules", "") => GameCommand::Rules,
        _ => return None,
    })
}

const fn encode_audience(public: bool) -> &'static str {
    if public { "all" } else { "me" }
}

fn decode_audience(id: &str) -> Option<bool> {
    match id {
        "all" => Some(true),
        "me" => Some(false),
        _ => None,
    }
}

fn decode_offer(id: &str) -> Option<OfferKind> {
    OfferKind::ALL.into_iter().find(|kind| kind.id() == id)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::commands::Person;
    use crate::game::{PlayerId, PlayerSettings, ServerSettings};

    /// Returns the command after this one, so that the test goes through all of them: a new variant has to be put in its
    /// place here before the test compiles.
    fn next_game_command(command: &GameCommand) -> Option<GameCommand> {
        use GameCommand as C;
        use OfferKind::{Draw, Rematch, Takeback};
        Some(match command {
            C::Move { confirmed: false, .. } => C::Move { typed: String::from("Kd1-d4xd5/e4"), confirmed: true },
            C::Move { confirmed: true, .. } => C::ChoosePiece,
            C::ChoosePiece => C::ChooseSquare(square("k11")),
            C::ChooseSquare(_) => C::Preview(Move { from: square("a1"), to: square("a11") }),
            C::Preview(_) => C::Cancel,
            C::Cancel => C::Resign { confirmed: false },
            C::Resign { confirmed: false } => C::Resign { confirmed: true },
            C::Resign { confirmed: true } => C::Offer(Draw),
            C::Offer(Draw) => C::Offer(Takeback),
            C::Offer(Takeback) => C::Offer(Rematch),
            C::Offer(Rematch) => C::Accept(Draw),
            C::Accept(Draw) => C::Accept(Takeback),
            C::Accept(Takeback) => C::Accept(Rematch),
            C::Accept(Rematch) => C::Decline(Draw),
            C::Decline(Draw) => C::Decline(Takeback),
            C::Decline(Takeback) => C::Decline(Rematch),
            C::Decline(Rematch) => C::Abort,
            C::Abort => C::ClaimTime,
            C::ClaimTime => C::GiveTime,
            C::GiveTime => C::Board { text: None, public: false },
            C::Board { text: None, .. } => C::Board { text: Some(true), public: true },
            C::Board { text: Some(true), .. } => C::Board { text: Some(false), public: true },
            C::Board { text: Some(false), .. } => C::History { ply: None, public: false },
            C::History { ply: None, .. } => C::History { ply: Some(12), public: true },
            C::History { ply: Some(_), .. } => C::Rules,
            C::Rules => return None,
        })
    }

    /// Returns the command after this one, in the same way. Those in a game are tested with [`next_game_command`].
    fn next_command(command: &Command) -> Option<Command> {
        use Command as C;
        let person = || Person { id: PlayerId(7), name: String::from("Ivar"), is_bot: false, can_see_channel: true };
        let challenge = ChallengeId(9);
        Some(match command {
            C::Challenge { .. } => C::AnswerChallenge { challenge, answer: ChallengeAnswer::Accept },
            C::AnswerChallenge { answer: ChallengeAnswer::Accept, .. } => {
                C::AnswerChallenge { challenge, answer: ChallengeAnswer::Decline }
            }
            C::AnswerChallenge { answer: ChallengeAnswer::Decline, .. } => {
                C::AnswerChallenge { challenge, answer: ChallengeAnswer::Withdraw }
            }
            C::AnswerChallenge { answer: ChallengeAnswer::Withdraw, .. } => C::Challenges,
            C::Challenges => C::ShowChallenge(challenge),
            C::ShowChallenge(_) => C::InGame { game: None, version: None, game_command: GameCommand::Abort },
            C::InGame { .. } => C::Games { player: None },
            C::Games { player: None } => C::Games { player: Some(person()) },
            C::Games { player: Some(_) } => C::Block(person()),
            C::Block(_) => C::Unblock(person()),
            C::Unblock(_) => C::Rules { variant: None },
            C::Rules { variant: None } => C::Rules { variant: Variant::find("york") },
            C::Rules { variant: Some(_) } => C::Settings(ServerSettings::default()),
            C::Settings(_) => C::Preferences(PlayerSettings::default()),
            C::Preferences(_) => C::EndGame { game: GameId(42), reason: String::from("both have left") },
            C::EndGame { .. } => C::Doctor,
            C::Doctor => C::Privacy,
            C::Privacy => C::ForgetMe { confirmed: false },
            C::ForgetMe { confirmed: false } => C::ForgetMe { confirmed: true },
            C::ForgetMe { confirmed: true } => C::Cancel,
            C::Cancel => C::Help,
            C::Help => return None,
        })
    }

    #[test]
    fn every_command_on_a_button_survives_the_round_trip() {
        let first =
            Command::Challenge { variant: String::from("york"), opponent: None, layout: None, side: None, pace: None };
        let on_buttons: Vec<String> = std::iter::successors(Some(first), next_command)
            .filter_map(|command| {
                let id = encode(&command)?;
                let decoded = decode(&id).unwrap_or_else(|| panic!("{id} was not decoded"));
                assert_eq!(format!("{decoded:?}"), format!("{command:?}"), "{id}");
                Some(id)
            })
            .collect();
        let expected = [
            "c9/accept",
            "c9/decline",
            "c9/withdraw",
            "challenges",
            "c9/show",
            "games",
            "rules/york",
            "forget-me/sure",
            "nothing",
            "help",
        ];
        assert_eq!(on_buttons, expected);
    }

    fn square(name: &str) -> Square {
        Square::parse(name).unwrap()
    }

    #[test]
    fn every_game_command_survives_the_round_trip() {
        let first = GameCommand::Move { typed: String::from("d1-d4"), confirmed: false };
        for game_command in std::iter::successors(Some(first), next_game_command) {
            for version in [None, Some(7)] {
                let command = Command::InGame { game: Some(GameId(42)), version, game_command: game_command.clone() };
                let id = encode(&command).unwrap();
                let decoded = decode(&id).unwrap_or_else(|| panic!("{id} was not decoded"));
                let Command::InGame { game, version: of, game_command: what } = decoded else { panic!("{decoded:?}") };
                assert_eq!((game, of, &what), (Some(GameId(42)), version, &game_command), "{id}");
            }
        }
    }

    // Boards that were posted long ago carry these, so neither side of this list may change.
    #[test]
    fn ids_of_posted_buttons_stay_readable() {
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
            let command = decode(code);
            assert!(command.is_some(), "{code} was not read");
            assert_eq!(command.and_then(|command| encode(&command)).as_deref(), Some(code));
        }
    }

    #[test]
    fn other_ids_are_refused() {
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
            assert!(decode(code).is_none(), "{code} was read");
        }
    }

    #[test]
    fn an_id_that_is_too_long_is_not_written() {
        let typed = "d".repeat(200);
        let command = Command::InGame {
            game: Some(GameId(1)),
            version: None,
            game_command: GameCommand::Move { typed, confirmed: false },
        };
        assert_eq!(encode(&command), None);
    }
}
