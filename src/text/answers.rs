//! What one player reads: why something cannot be done and what to do instead, lists, questions and confirmations.

use super::sanitize::quoted;
use super::{Markup, recurrence, refusal as move_refusal, side, takes};
use crate::commands::{COMMANDS, CommandScope, CommandSpec, OptionKind, OptionSpec};
use crate::game::{
    Challenge, ChallengeState, Game, GameId, GameResult, OfferKind, Offers, Pace, PlayerId, Players, Proposal, Refusal,
    SidePreference, Start, Timestamp,
};
use crate::rules::variants::Words;
use crate::rules::{Piece, Played, Side, Square, VARIANTS, Variant};

/// Names an offer: "the draw".
#[must_use]
pub const fn offer_name(kind: OfferKind) -> &'static str {
    match kind {
        OfferKind::Draw => "the draw",
        OfferKind::Takeback => "the takeback",
        OfferKind::Rematch => "the rematch",
    }
}

/// Says why something cannot be done, and what can.
#[must_use]
pub fn refused(refusal: &Refusal, words: &Words, markup: &dyn Markup) -> String {
    match refusal {
        Refusal::NotYourGame => String::from("You are not playing in this game. `/games` lists yours."),
        Refusal::NotYourTurn => String::from("It is your opponent's turn. You will be called when it is yours."),
        Refusal::Over(_) => String::from("This game is over. `/rematch` offers another one."),
        Refusal::NotOver => String::from("This game still goes on. A rematch can be offered when it is over."),
        Refusal::Move(refusal) => move_refusal(refusal, words),
        Refusal::Confirm(what) => format!("{}\nPlay it all the same?", recurrence(what, words)),
        Refusal::NothingOffered(OfferKind::Takeback) => {
            String::from("Nobody asks to take a move back here. `/takeback` asks your opponent.")
        }
        Refusal::NothingOffered(kind) => {
            format!("Nobody has offered {} here. `/{}` offers it.", offer_name(*kind), kind.id())
        }
        Refusal::OwnOffer(kind) => {
            format!("It is you who has asked for {}; your opponent has to answer.", offer_name(*kind))
        }
        Refusal::AlreadyOffered(kind) => {
            format!("You have asked for {} already; your opponent has not answered yet.", offer_name(*kind))
        }
        Refusal::TooSoon(kind) => {
            format!("Your opponent has declined {}. You can ask again when both of you have moved.", offer_name(*kind))
        }
        Refusal::NothingToTakeBack => String::from("You have not made a move yet that could be taken back."),
        Refusal::TooLateToAbort => {
            String::from("Both of you have moved, so the game cannot be called off. `/draw` or `/resign` end it.")
        }
        Refusal::TimeNotUp { deadline } => {
            format!("Your opponent still has time: the deadline is {}.", markup.moment(*deadline))
        }
        Refusal::ClaimOpensSoon => String::from(
            "The time is up, but the bot has only just come back: the win can be claimed in an hour at the latest.",
        ),
        Refusal::YourOwnTime => String::from("It is your own turn: make a move with `/move`."),
        Refusal::PlentyOfTime => String::from("Your opponent has plenty of time left. Give more when it gets short."),
        Refusal::Rematched => String::from("The rematch has begun already. `/games` shows it."),
        Refusal::NoClock => String::from("This game has no limit of time."),
        Refusal::Yourself => {
            String::from("You cannot play against yourself. Name somebody else, or nobody to let anybody accept.")
        }
        Refusal::OwnChallenge => {
            String::from("This is your own challenge, which somebody else has to answer. Withdraw is your button.")
        }
        Refusal::BlockedByYou => {
            String::from("You have blocked this player yourself. `/unblock` lets you play together again.")
        }
        Refusal::Bot => String::from("Bots do not play here. Name a person, or nobody to let anybody accept."),
        Refusal::Unavailable => String::from("This player is not available for a game with you."),
        Refusal::TooManyChallenges => format!(
            "You have {} open challenges, which is as many as there can be. `/challenges` lets you withdraw one.",
            Proposal::MOST_OPEN
        ),
        Refusal::TooManyGames { yours: true } => {
            format!(
                "You are playing {} games, which is as many as there can be. Finish one first.",
                Start::MOST_RUNNING
            )
        }
        Refusal::TooManyGames { yours: false } => {
            String::from("Your opponent plays as many games as there can be at the moment. Try again later.")
        }
        Refusal::SameChallenge => {
            String::from("There is an open challenge between you two for this game already. `/challenges` shows it.")
        }
        Refusal::NotForYou => {
            String::from("This challenge is for somebody else. Make one of your own if you want to play.")
        }
        Refusal::NotYourChallenge => String::from("Only the challenger can withdraw a challenge."),
        Refusal::ChallengeClosed => {
            String::from("This challenge is not open any more. One of you has to make a new one.")
        }
    }
}

/// Says which set-ups a game has.
#[must_use]
pub fn no_such_layout(variant: &Variant) -> String {
    let names: Vec<&str> = variant.layouts.iter().map(|layout| layout.id).collect();
    format!("{} cannot be set up like that. It has: {}.", variant.name, names.join(", "))
}

/// Tells a challenge as everybody reads it.
#[must_use]
pub fn challenge(challenge: &Challenge, markup: &dyn Markup) -> String {
    let Proposal { challenger, opponent, variant, layout, side: command, pace, .. } = challenge.proposal;
    let words = &variant.words;
    let whom = opponent.map_or_else(|| String::from("anybody"), |player| markup.player(player));
    let title = markup.strong(&format!("{} challenges {whom} to {}", markup.player(challenger), variant.name));
    let takes = match command {
        SidePreference::Attackers => format!("{} takes {}", markup.player(challenger), side(Side::Attackers, words)),
        SidePreference::Defenders => format!("{} takes {}", markup.player(challenger), side(Side::Defenders, words)),
        SidePreference::Random => String::from("The dice choose the sides"),
    };
    let fate = match challenge.state {
        ChallengeState::Open => format!("It can be accepted until it expires {}.", markup.moment(challenge.expires())),
        ChallengeState::Accepted => String::from("It was accepted."),
        ChallengeState::Declined => String::from("It was declined."),
        ChallengeState::Withdrawn => String::from("It was withdrawn."),
        ChallengeState::Expired => String::from("It has expired."),
    };
    format!("{title}\n{} Set-up `{}`. {takes}. {}. {fate}", variant.summary, layout.id, pace_in_words(pace))
}

/// Tells a pace: "3 days a move".
#[must_use]
pub fn pace_in_words(pace: Pace) -> String {
    match pace.days() {
        None => String::from("No limit of time"),
        Some(1) => String::from("1 day a move"),
        Some(days) => format!("{days} days a move"),
    }
}

/// Explains what can be done, in a server or in a direct message.
#[must_use]
pub fn help(in_server: bool) -> String {
    let mut text = String::from(if in_server {
        "Tafl over days: challenge somebody, move when you have a minute. Most of it can also be done with the buttons \
         below a board.\n"
    } else {
        "Tafl over days. Games begin in a server; here you can look at yours and move in them. Most of it can also be \
         done with the buttons below a board.\n"
    });
    for command in COMMANDS.iter().filter(|command| in_server || command.place == CommandScope::Anywhere) {
        let whose = if command.moderators { " (for those who manage the server)" } else { "" };
        text += &format!("{} {}{whose}\n", usage(command), command.help);
    }
    text + "Moves are written from where to where, such as `d1-d4`. You will be called when it is your turn."
}

/// Shows a command as it could be typed at the table.
#[must_use]
pub fn example(command: &CommandSpec) -> String {
    let value = |option: &OptionSpec| match option.kind {
        OptionKind::Move => String::from("d1-d4"),
        OptionKind::Player => String::from("ivar"),
        OptionKind::Game | OptionKind::AnyGame => String::from("42"),
        kind => kind.choices().into_iter().next().map_or_else(|| String::from("…"), |(id, _)| id),
    };
    let values = command.options.iter().filter(|option| option.required).map(value);
    let words: Vec<String> = std::iter::once(command.name.to_owned()).chain(values).collect();
    format!("`/{}`", words.join(" "))
}

/// Shows how a command is written.
#[must_use]
pub fn usage(command: &CommandSpec) -> String {
    let mut text = format!("`/{}", command.name);
    for option in command.options.iter().filter(|option| option.required) {
        text += &format!(" {}:…", option.name);
    }
    text + "`"
}

/// A game in a list, seen by one player.
#[derive(Clone, Copy, Debug)]
pub struct Summary {
    /// Its number.
    pub id: GameId,
    /// Which game.
    pub variant: &'static Variant,
    /// Who plays.
    pub players: Players,
    /// Whose games are listed.
    pub viewer: PlayerId,
    /// Who reads the list.
    pub reader: PlayerId,
    /// How many moves were made.
    pub plies: usize,
    /// Whose turn it is.
    pub to_move: Option<Side>,
    /// How long a move may take.
    pub pace: Pace,
    /// Until when.
    pub deadline: Timestamp,
    /// Whether the time is up, so that the win can be claimed.
    pub time_is_up: bool,
    /// What the players have offered each other.
    pub offers: Offers,
    /// How it ended.
    pub result: Option<GameResult>,
}

/// Names a game in a list.
#[must_use]
pub fn game_row_label(id: GameId, variant: &Variant) -> String {
    format!("{id} {}", variant.name)
}

/// Tells how a game in a list stands: against whom, whose turn, until when.
#[must_use]
pub fn game_row_detail(game: &Summary, markup: &dyn Markup) -> String {
    let name = |side: Side| markup.player(game.players.of(side));
    let against = match game.players.side_of(game.viewer) {
        Some(side) => format!("against {}", name(side.opponent())),
        None => format!("{} against {}", name(Side::Attackers), name(Side::Defenders)),
    };
    let state = match (game.result, game.to_move) {
        (Some(result), _) => match result.winner {
            Some(winner) if game.players.of(winner) == game.viewer => String::from("won"),
            Some(_) if game.players.side_of(game.viewer).is_some() => String::from("lost"),
            Some(winner) => format!("{} won", name(winner)),
            None if result.ending.has_result() => String::from("drawn"),
            None => String::from("no result"),
        },
        (None, Some(side)) => {
            let whose = if game.players.of(side) == game.reader {
                String::from("your turn")
            } else {
                format!("{}'s turn", name(side))
            };
            let waits = game.players.of(side.opponent()) == game.reader;
            let until = match game.pace {
                Pace::NONE => String::new(),
                _ if game.time_is_up && waits => String::from(", time is up: you can claim the win"),
                _ if game.time_is_up => String::from(", time is up"),
                _ => format!(", deadline {}", markup.moment(game.deadline)),
            };
            format!("{whose}{until}")
        }
        (None, None) => String::new(),
    };
    let moves = match (game.result, game.plies) {
        (None, plies) => format!("move {}", plies + 1),
        (Some(_), 1) => String::from("1 move"),
        (Some(_), plies) => format!("{plies} moves"),
    };
    format!("{against}, {moves}, {state}{}", offered(game, markup))
}

/// Tells what has been offered in a game in a list and not been answered yet.
fn offered(game: &Summary, markup: &dyn Markup) -> String {
    let tell = |kind: OfferKind| {
        let by = game.players.of(game.offers.standing(kind)?);
        Some(match (by == game.reader, kind) {
            (true, OfferKind::Takeback) => String::from(", you ask for a takeback"),
            (true, _) => format!(", you offer a {}", kind.id()),
            (false, OfferKind::Takeback) => format!(", {} asks for a takeback", markup.player(by)),
            (false, _) => format!(", {} offers a {}", markup.player(by), kind.id()),
        })
    };
    OfferKind::ALL.into_iter().filter_map(tell).collect()
}

/// Says that challenges wait for the reader's answer; nothing if there are none.
#[must_use]
pub fn to_answer(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => String::from("\nA challenge waits for your answer: `/challenges` shows it."),
        _ => format!("\n{count} challenges wait for your answer: `/challenges` shows them."),
    }
}

/// Says that something could not be listed; nothing if there is no such thing.
#[must_use]
pub fn unreadable(count: usize, noun: &str) -> String {
    let (these, them) = match count {
        0 => return String::new(),
        1 => (format!("One more {noun}"), "it"),
        _ => (format!("{count} more {noun}s"), "them"),
    };
    format!(
        "\n{these} cannot be read. Nothing of {them} is lost; whoever runs the bot finds out more with `ratatosk check`."
    )
}

/// Says how a game begins, in a server or in a direct message.
#[must_use]
pub const fn how_to_begin(in_server: bool) -> &'static str {
    if in_server { "`/challenge` begins one." } else { "Games begin in a server." }
}

/// Lists somebody's games; tells the reader of his own, if there are none, how to begin one.
#[must_use]
pub fn game_list(
    whose: PlayerId,
    own: bool,
    begin: &str,
    running: &[Summary],
    finished: &[Summary],
    markup: &dyn Markup,
) -> String {
    let line =
        |game: &Summary| format!("- {}: {}", game_row_label(game.id, game.variant), game_row_detail(game, markup));
    let (you, has) = if own { (String::from("You"), "have") } else { (markup.player(whose), "has") };
    let mut lines = Vec::new();
    if running.is_empty() {
        let hint = if own { format!(" {begin}") } else { String::new() };
        lines.push(format!("{you} {has} no running game here.{hint}"));
    } else {
        let noun = if running.len() == 1 { "running game" } else { "running games" };
        lines.push(format!("{you} {has} {} {noun}:", running.len()));
        lines.extend(running.iter().take(LISTED).map(line));
        if running.len() > LISTED {
            lines.push(format!("… and {} more.", running.len() - LISTED));
        }
    }
    if !finished.is_empty() {
        lines.push(String::from("Finished last:"));
        lines.extend(finished.iter().map(line));
    }
    lines.join("\n")
}

/// How many games a message lists; the menu below it has room for 25.
const LISTED: usize = 15;

/// Says that nothing could be meant.
#[must_use]
pub fn no_game_here(in_server: bool) -> String {
    format!("You have no game here that this could mean. `/games` lists yours. {}", how_to_begin(in_server))
}

/// Says that the game that could be meant is over, and what can be done.
#[must_use]
pub fn is_over(id: GameId) -> String {
    format!("Game {id} is over, and none of your games goes on here. `/rematch` offers another one.")
}

/// Says that the game that could be meant is not over yet, and what can be done.
#[must_use]
pub fn still_goes_on(id: GameId) -> String {
    format!("Game {id} still goes on. A rematch can be offered when it is over; `/draw` and `/resign` end it.")
}

/// Asks which of several games is meant; the move that was typed is kept.
#[must_use]
pub fn which_game(count: usize, typed: Option<&str>) -> String {
    let kept = typed.map_or_else(String::new, |typed| format!(" with {}", quoted(typed)));
    format!("You have {count} games here. Which one do you mean{kept}?{}", not_game_row(count))
}

/// Asks which of several games somebody wants to look at, whoever plays them.
#[must_use]
pub fn which_game_to_see(count: usize) -> String {
    format!("There are {count} games here. Which one do you mean?{}", not_game_row(count))
}

const fn not_game_row(count: usize) -> &'static str {
    if count > 25 { " Those that are not listed can be named with `game`." } else { "" }
}

/// Says that something can be done in none of several games.
#[must_use]
pub fn nowhere_possible(moving: bool) -> String {
    if moving {
        String::from("It is your turn in none of your games here. `/games` shows how they stand.")
    } else {
        String::from("This can be done in none of your games here now. `/games` shows how they stand.")
    }
}

/// Says that one cannot block oneself.
#[must_use]
pub fn cannot_block_yourself() -> String {
    String::from("You cannot block yourself. Name somebody else.")
}

/// Says that there is no such game, whether there is one elsewhere or not.
#[must_use]
pub fn no_such_game(id: GameId) -> String {
    format!("There is no game {id} here. `/games` lists yours.")
}

/// Says that there is no such game to choose.
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

/// Says that there is no challenge to list.
#[must_use]
pub fn no_challenges(in_server: bool) -> String {
    let how = if in_server { "`/challenge` makes one." } else { "Challenges are made in a server." };
    format!("There are no open challenges for you here. {how}")
}

/// Names a challenge in a list.
#[must_use]
pub fn challenge_label(challenge: &Challenge, markup: &dyn Markup) -> String {
    let Proposal { challenger, opponent, variant, .. } = challenge.proposal;
    let whom = opponent.map_or_else(|| String::from("anybody"), |player| markup.player(player));
    format!("{}: {} to {whom}", variant.name, markup.player(challenger))
}

/// Tells more about a challenge in a list.
#[must_use]
pub fn challenge_detail(challenge: &Challenge, markup: &dyn Markup) -> String {
    let pace = pace_in_words(challenge.proposal.pace).replacen('N', "n", 1);
    format!("{pace}, expires {}", markup.moment(challenge.expires()))
}

/// Lists challenges.
#[must_use]
pub fn challenge_list(challenges: &[Challenge], markup: &dyn Markup) -> String {
    let line = |challenge: &Challenge| {
        format!("- {}, {}", challenge_label(challenge, markup), challenge_detail(challenge, markup))
    };
    let lines: Vec<String> = challenges.iter().take(LISTED).map(line).collect();
    format!("{} open challenges. Choose one to see it with its buttons:\n{}", challenges.len(), lines.join("\n"))
}

/// Tells that a challenge is closed.
#[must_use]
pub fn challenge_closed(challenge: &Challenge, markup: &dyn Markup) -> String {
    let Proposal { challenger, opponent, variant, .. } = challenge.proposal;
    match (challenge.state, opponent) {
        (ChallengeState::Declined, Some(opponent)) => format!(
            "{} declines the challenge of {} to {}.",
            markup.player(opponent),
            markup.player(challenger),
            variant.name
        ),
        (ChallengeState::Expired, _) => {
            format!("{}'s challenge to {} was not accepted and has expired.", markup.player(challenger), variant.name)
        }
        _ => format!("{} has withdrawn the challenge to {}.", markup.player(challenger), variant.name),
    }
}

/// Says that a button belongs to a board that is not the last one.
#[must_use]
pub fn moved_on(id: GameId) -> String {
    format!("Game {id} has moved on since then. `/board` shows how it stands.")
}

/// Says why nobody can win on time now: the game is out of reach.
#[must_use]
pub fn clock_stands_still() -> String {
    String::from(
        "Nobody loses on time while the game's channel is gone or I am not in its server, so your opponent has all of the \
         time again. The next command of either of you in that server moves the game there.",
    )
}

/// Says that somebody else was quicker.
#[must_use]
pub fn too_late() -> String {
    String::from("Something happened at the same moment, so nothing was done. Look at the board and try again.")
}

/// Says that a request was carried out before.
#[must_use]
pub fn done_already() -> String {
    String::from("This was done already.")
}

/// Says that a challenge needs an audience.
#[must_use]
pub fn challenge_in_a_server() -> String {
    String::from("A challenge is made in a server, where your opponent can see it. Use `/challenge` there.")
}

/// Says that somebody would never see a challenge.
#[must_use]
pub fn cannot_see_this(player: PlayerId, markup: &dyn Markup) -> String {
    format!("{} cannot see this channel. Challenge them in one that you both see.", markup.player(player))
}

/// Says that the board now stands in its place.
#[must_use]
pub fn see_the_post() -> String {
    String::from("Done. The board follows below.")
}

/// Says that a move was made before, by whoever makes it once more.
#[must_use]
pub fn played_already(mv: &str) -> String {
    format!("{} is played already.", quoted(mv))
}

/// Says that everybody is told of it in its place.
#[must_use]
pub fn told_below() -> String {
    String::from("Done. Everybody is told below.")
}

/// Says which move was played, and that the board now stands in its place.
#[must_use]
pub fn played(mv: &str) -> String {
    format!("Played {}. The board follows below.", quoted(mv))
}

/// Says that others see later what a player sees now.
#[must_use]
pub fn all_see_it_soon() -> String {
    String::from("An earlier board of this game is only now being posted: everybody will see this one right after it.")
}

/// Says that Discord did not take an answer, and what to do.
#[must_use]
pub fn not_taken(done: bool) -> String {
    if done {
        String::from("It is done, but Discord did not take my answer. `/board` shows how your game stands.")
    } else {
        String::from("Discord did not take my answer, so I can only say that. Try `/board as:text`, or `/help`.")
    }
}

/// Says that a button is none of ours, or of a version that is gone.
#[must_use]
pub fn strange_button() -> String {
    String::from("This button does nothing any more. `/board` shows how your game stands.")
}

/// Says that a command is not known, most likely because it has changed a moment ago.
#[must_use]
pub fn strange_command() -> String {
    String::from("I do not know this command any more. Reload Discord, and look at `/help`.")
}

/// Says that a command is not for everybody.
#[must_use]
pub fn only_for_moderators() -> String {
    String::from("This is for those who may manage this server. Ask one of them.")
}

/// Apologises for something that went wrong on our side, with a number to find it by. It says whether what was wanted is
/// done, as far as that is known.
#[must_use]
pub fn error(number: u64, full: bool, done: Option<bool>) -> String {
    let why = if full { " because the disk is full" } else { "" };
    let what = match done {
        Some(false) => ", and nothing was done. Try again later",
        Some(true) => ", but what you wanted is done; `/games` shows it",
        None => ", and I cannot tell whether it is done. `/games` shows it before you try again",
    };
    format!("Something went wrong on my side{why}{what}; whoever runs me finds it under {number}.")
}

/// Says that the bot begins nothing new because it ends, most likely to be started again.
#[must_use]
pub fn just_stopping() -> String {
    String::from("I am just being stopped, and nothing was done. Try again in a minute.")
}

/// Says that nothing was done.
#[must_use]
pub fn cancelled() -> String {
    String::from("Nothing was done.")
}

/// Asks who moves.
#[must_use]
pub fn choose_piece(game: &Game) -> String {
    format!("Game {}: who moves? You can also type `/move` with a move.", game.id)
}

/// Names a man and his square: "d1 thief".
#[must_use]
pub fn piece_label(game: &Game, square: Square) -> String {
    let words = &game.start.variant.words;
    game.record
        .position()
        .at(square)
        .map_or_else(|| square.to_string(), |piece| format!("{square} {}", words.piece(piece)))
}

/// Asks where a man goes.
#[must_use]
pub fn choose_square(game: &Game, from: Square) -> String {
    format!("Game {}: where does the {} go?", game.id, piece_on(game, from))
}

/// Asks the same above the squares to choose from.
#[must_use]
pub fn where_to(game: &Game, from: Square) -> String {
    format!("Where does the {} go?", piece_on(game, from))
}

/// Says in a few words what a move takes, and that it ends the game; nothing if it does neither.
#[must_use]
pub fn what_it_brings(played: &Played, words: &Words) -> String {
    let end = played.outcome.map(|outcome| match outcome.winner {
        Some(winner) if winner == played.piece.side() => "wins the game",
        Some(_) => "loses the game",
        None => "draws the game",
    });
    let mut parts = vec![takes(played, words)];
    parts.extend(end.map(String::from));
    parts.retain(|part| !part.is_empty());
    parts.join(", ")
}

/// Says that a man cannot go anywhere.
#[must_use]
pub fn cannot_move(game: &Game, piece: Piece, from: Square) -> String {
    format!("The {} on {from} cannot move now. Choose another piece.", game.start.variant.words.piece(piece))
}

fn piece_on(game: &Game, square: Square) -> String {
    let words = &game.start.variant.words;
    let piece = game.record.position().at(square).map_or("man", |piece| words.piece(piece));
    format!("{piece} on {square}")
}

/// Tells what a move would do, before it is played.
#[must_use]
pub fn preview(game: &Game, played: &Played) -> String {
    let takes = takes(played, &game.start.variant.words);
    let takes = if takes.is_empty() { String::new() } else { format!(": {takes}") };
    format!("Game {}: this is what {played} looks like{takes}. Nothing is played yet.", game.id)
}

/// Asks whether a resignation is meant.
#[must_use]
pub fn sure_to_resign(game: &Game) -> String {
    format!("Do you really want to give up game {} ({})?", game.id, game.start.variant.name)
}

/// Says that somebody is blocked, and that challenges between the two are closed if there were any.
#[must_use]
pub fn blocked(player: PlayerId, new: bool, closed: usize, markup: &dyn Markup) -> String {
    let name = markup.player(player);
    let closed = match closed {
        0 => "",
        1 => " The open challenge between you is closed.",
        _ => " The open challenges between you are closed.",
    };
    if new {
        format!(
            "{name} can no longer challenge you or offer you a rematch.{closed} Running games go on. `/unblock` undoes it."
        )
    } else {
        format!("You have blocked {name} already.{closed} `/unblock` undoes it.")
    }
}

/// Says that somebody is not blocked any more.
#[must_use]
pub fn unblocked(player: PlayerId, was: bool, markup: &dyn Markup) -> String {
    let name = markup.player(player);
    if was { format!("{name} can challenge you again.") } else { format!("You have not blocked {name}.") }
}

/// Says why what was typed is no command.
#[must_use]
pub fn bad_choice(option: &str, said: &str, choices: &[String]) -> String {
    if option == "game" {
        format!("{} is not the number of a game. Write it like 42; `/games` lists yours.", quoted(said))
    } else if choices.is_empty() {
        format!("{} cannot be used for `{option}`.", quoted(said))
    } else {
        format!("{} cannot be used for `{option}`. It can be: {}.", quoted(said), choices.join(", "))
    }
}
