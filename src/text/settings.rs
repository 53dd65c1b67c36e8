//! What can be set, what the bot may do, what is kept, and how one is forgotten.

use super::answers::pace_in_words;
use super::{Markup, date_and_time};
use crate::board_view::Theme;
use crate::game::{
    BotPermissions, Challenge, Game, GameId, Place, PlayerId, PlayerSettings, Proposal, Reminders, ServerSettings,
    Timestamp,
};

/// Says that something makes no sense in a direct message.
#[must_use]
pub fn only_in_a_server() -> String {
    String::from("This is for a server. Use it in one of its channels.")
}

/// Tells what is set in a server.
#[must_use]
pub fn settings(server_settings: &ServerSettings, rights: BotPermissions) -> String {
    let theme = server_settings.theme.as_deref().unwrap_or(Theme::default().id());
    let pace = pace_in_words(server_settings.pace.unwrap_or_default()).to_lowercase();
    let threads = server_settings.threads.unwrap_or(false);
    let mut text = format!(
        "In this server boards are painted in `{theme}`, {}, and a challenge that does not say otherwise has {pace}. \
         `/settings` with an option changes it.",
        if threads { "each game has its own thread" } else { "games are played in the channel" },
    );
    if threads && !(rights.make_threads && rights.post_in_threads) {
        text += "\nI may not make threads or write in them here, so games stay in the channel. `/doctor` tells more.";
    }
    text
}

/// Tells what a player has set.
#[must_use]
pub fn preferences(player_settings: &PlayerSettings) -> String {
    let reminders = match player_settings.reminders.unwrap_or_default() {
        Reminders::Channel => "You are reminded in the game's channel",
        Reminders::Direct => "You are reminded by direct message",
        Reminders::Off => "You are not reminded",
    };
    let theme = player_settings
        .theme
        .as_ref()
        .map_or_else(|| String::from("as the server likes it"), |id| format!("in `{id}`"));
    let form = if player_settings.as_text == Some(true) { "as text" } else { "as a picture" };
    let side = if player_settings.flipped == Some(true) { "with rank 1 above" } else { "with rank 1 below" };
    format!(
        "{reminders}. What only you see is painted {theme}, {form}, {side}. `/preferences` with an option changes it."
    )
}

/// Says that a game was ended.
#[must_use]
pub fn game_was_ended(game: GameId) -> String {
    format!("Game {game} is over without a result. Both players are told, with your reason.")
}

/// Tells a moderator's reason.
#[must_use]
pub fn reason(reason: &str, markup: &dyn Markup) -> String {
    format!("The reason: {}", markup.harmless(reason))
}

/// Tells what the bot may do here, and what is worse for what it may not.
#[must_use]
pub fn doctor(rights: BotPermissions) -> String {
    let BotPermissions { see, post, embed, attach, make_threads, post_in_threads, read_history } = rights;
    let checks = [
        (see, "View Channel", "I cannot post here by myself or take the buttons off old boards"),
        (post, "Send Messages", "moves made elsewhere, reminders and lost time are not told here"),
        (attach, "Attach Files", "boards are text instead of pictures"),
        (embed, "Embed Links", "texts that are too long for one message come in several"),
        (read_history, "Read Message History", "after a crash a board may appear twice"),
        (make_threads, "Create Public Threads", "games cannot have their own threads and stay in the channel"),
        (post_in_threads, "Send Messages in Threads", "boards cannot be posted in threads"),
    ];
    let mut lines: Vec<String> = checks
        .iter()
        .map(
            |(granted, name, worse)| {
                if *granted { format!("- {name}: yes") } else { format!("- {name}: **missing**; {worse}") }
            },
        )
        .collect();
    let all = checks.iter().all(|(granted, ..)| *granted);
    lines.insert(0, String::from(if all { "Everything is fine here." } else { "Something is missing here:" }));
    if !all {
        lines.push(String::from("Whoever manages this server can grant it to my role, or in this channel's settings."));
    }
    lines.join("\n")
}

/// Tells what is kept.
#[must_use]
pub fn privacy() -> String {
    String::from(
        "What I keep: your Discord number and the name you were last seen with, your challenges and games with their moves \
         and times, where they are played, whom you have blocked, and your preferences. I do not read messages: only my own \
         commands, buttons and menus reach me. Nothing is given to anybody; it lies in one file with whoever runs me.\n\
         `/history` gives you the record of a game, `/forget-me` everything, and then has it forgotten: running games are \
         given up, and in finished ones you become \"a former player\". Your opponents keep their games.",
    )
}

/// Heads the file with everything about a player.
#[must_use]
pub fn export_header(player: PlayerId, name: &str, player_settings: &PlayerSettings, now: Timestamp) -> String {
    let (number, now) = (player.0, date_and_time(now));
    format!(
        "Everything about {name} (Discord number {number}), as it was at {now}.\n{}\n",
        preferences(player_settings)
    )
}

/// Tells in that file whom the player has blocked.
#[must_use]
pub fn kept_block(blocked: PlayerId, name: &str, since: Timestamp) -> String {
    format!("Blocked since {}: {name} (Discord number {}).\n", date_and_time(since), blocked.0)
}

/// Tells in that file of a challenge.
#[must_use]
pub fn kept_challenge(challenge: &Challenge, name: &dyn Fn(PlayerId) -> String) -> String {
    let Challenge { id, proposal, made, state } = challenge;
    let Proposal { challenger, opponent, variant, layout, side, pace, place } = proposal;
    format!(
        "Challenge {} of {} to {}, made at {} in {}: {}, set-up {}, side {}, {}; {}.\n",
        id.0,
        name(*challenger),
        opponent.map_or_else(|| String::from("anybody"), name),
        date_and_time(*made),
        kept_place(*place),
        variant.name,
        layout.id,
        side.id(),
        pace_in_words(*pace).to_lowercase(),
        state.id(),
    )
}

/// Tells in that file what the record of a game does not: where it is played, how fast, and when each move was made.
#[must_use]
pub fn kept_beside_moves(game: &Game, times: &[Timestamp]) -> String {
    let (place, pace) = (kept_place(game.start.place), pace_in_words(game.start.pace).to_lowercase());
    let began = date_and_time(game.began);
    let times = times.iter().enumerate().map(|(ply, at)| format!(" {}. {}", ply + 1, date_and_time(*at)));
    format!("Begun at {began} in {place}, {pace}.\nMoved at:{}\n", times.collect::<String>())
}

fn kept_place(place: Place) -> String {
    let part = |what: &str, id: Option<u64>| id.map(|id| format!("{what} {id}"));
    let parts = [part("server", place.server), part("channel", Some(place.channel)), part("thread", place.thread)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Says how many games had no room in that file; nothing if all had.
#[must_use]
pub fn left_out_of_the_file(games: usize, player: PlayerId) -> String {
    if games == 0 {
        return String::new();
    }
    format!(
        "\nThere was no room in the file for the oldest of your games ({games}). Whoever runs me can hand them out first, with \
         `ratatosk export --player {}`.",
        player.0
    )
}

/// Asks whether somebody wants to be forgotten.
#[must_use]
pub fn sure_to_be_forgotten(running: usize, finished: usize) -> String {
    format!(
        "Do you really want to be forgotten? This cannot be undone.\nYour running games ({running}) are given up, in your \
         finished ones ({finished}) you become \"a former player\", and your challenges, preferences and blocks are gone. The \
         file below has everything that I keep about you; keep it if you want it."
    )
}

/// Says where being forgotten works, because the file with everything cannot be attached here.
#[must_use]
pub fn forget_where_files_go() -> String {
    String::from(
        "I may not attach files here, and you should get everything before it is gone. Use `/forget-me` in a direct message \
         with me.",
    )
}

/// Says that somebody is forgotten.
#[must_use]
pub fn forgotten() -> String {
    String::from("You are forgotten. If you use a command again, I will get to know you anew.")
}

/// Says that the bot can only answer here.
#[must_use]
pub fn cannot_post_here() -> String {
    String::from(
        "I can answer here, but I may not send messages by myself: reminders, lost time and moves made elsewhere will not be \
         told in this channel. `/doctor` tells what is missing.",
    )
}

/// Says that the others do not see what was done because the bot lacks a right in the game's place.
#[must_use]
pub fn others_lack_it(right: &str, place: &str) -> String {
    format!(
        "The others do not see this yet: I lack the permission {right} in {place}, which whoever manages the server can grant."
    )
}

/// Says that the others do not see what was done because the game's thread is locked.
#[must_use]
pub fn others_are_locked_out(thread: &str) -> String {
    format!(
        "The others do not see this yet: the thread {thread} is locked. Whoever manages the server can unlock it; then \
         everything that happened is posted there."
    )
}

/// Says that the others do not see what was done because the game's place is gone.
#[must_use]
pub fn others_lack_it_for_good() -> String {
    String::from(
        "The others do not see this yet: the game's channel is gone, and the next command of a player in that server moves \
         the game there.",
    )
}

/// Says that the others do not see what was done because the bot was shown the door.
#[must_use]
pub fn others_lack_it_outside() -> String {
    String::from(
        "The others do not see this yet: I am not in that server any more. No clock runs meanwhile, and the board follows \
         once somebody who manages the server has invited me again.",
    )
}

/// Says why the record of a game is missing, and how to get it.
#[must_use]
pub fn no_room_for_the_record() -> String {
    String::from(
        "I lack the permission Attach Files here, and the record is too long for a message. Use `/history` in a direct \
         message with me, or ask whoever manages the server to grant it.",
    )
}

/// Names somebody who was forgotten.
#[must_use]
pub const fn former_player() -> &'static str {
    "a former player"
}

/// Says where the game is that somebody is reminded of.
#[must_use]
pub fn where_the_game_is(place: &str) -> String {
    format!("The game is in {place}. You can also move here with `/move`.")
}

/// Says that a reminder could not be sent directly.
#[must_use]
pub fn direct_messages_are_closed() -> String {
    String::from(
        "Your direct messages are closed to me, so I will remind you here from now on. `/preferences` changes it.",
    )
}

/// Says that a game begins in a thread of its own.
#[must_use]
pub fn in_its_thread() -> String {
    String::from("The game begins in a thread of its own.")
}

/// Leads to the thread of a game.
#[must_use]
pub fn here_is_the_thread(thread: &str) -> String {
    format!("Here it is: {thread}")
}

/// Says that a game has no thread of its own after all.
#[must_use]
pub fn no_thread_here(place: &str) -> String {
    format!("I could not open one here after all, so it is played in {place}.")
}

/// Names the thread of a game.
#[must_use]
pub fn thread_name(variant: &str, game: GameId, attackers: &str, defenders: &str) -> String {
    format!("{variant} {game}: {attackers} against {defenders}")
}
