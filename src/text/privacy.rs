//! What is stored about a player: the notice, the export file and being forgotten.

use super::time::date_and_time;
use super::{labels, settings};
use crate::game::{Challenge, Game, Place, PlayerId, PlayerSettings, Proposal, Timestamp};

/// Returns the privacy notice.
#[must_use]
pub fn notice() -> String {
    String::from(
        "What I keep: your Discord number and the name you were last seen with, your challenges and games with their moves \
         and times, where they are played, whom you have blocked, and your preferences. I do not read messages: only my own \
         commands, buttons and menus reach me. Nothing is given to anybody; it lies in one file with whoever runs me.\n\
         `/history` gives you the record of a game, `/forget-me` everything, and then has it forgotten: running games are \
         given up, and in finished ones you become \"a former player\". Your opponents keep their games.",
    )
}

/// Returns the head of a player's export file.
#[must_use]
pub fn export_header(player: PlayerId, name: &str, player_settings: &PlayerSettings, now: Timestamp) -> String {
    let (number, now) = (player.0, date_and_time(now));
    format!(
        "Everything about {name} (Discord number {number}), as it was at {now}.\n{}\n",
        settings::player_settings(player_settings)
    )
}

/// Returns the line of the export file about a block.
#[must_use]
pub fn export_block(blocked: PlayerId, name: &str, since: Timestamp) -> String {
    format!("Blocked since {}: {name} (Discord number {}).\n", date_and_time(since), blocked.0)
}

/// Returns the line of the export file about a challenge.
#[must_use]
pub fn export_challenge(challenge: &Challenge, name: &dyn Fn(PlayerId) -> String) -> String {
    let Challenge { id, proposal, made, state } = challenge;
    let Proposal { challenger, opponent, variant, layout, side, pace, place } = proposal;
    format!(
        "Challenge {} of {} to {}, made at {} in {}: {}, set-up {}, side {}, {}; {}.\n",
        id.0,
        name(*challenger),
        opponent.map_or_else(|| String::from("anybody"), name),
        date_and_time(*made),
        export_place(*place),
        variant.name,
        layout.id,
        side.id(),
        labels::pace(*pace).to_lowercase(),
        state.id(),
    )
}

/// Returns what the export file adds to the record of a game: its place, its pace and the times of its moves.
#[must_use]
pub fn export_game_details(game: &Game, times: &[Timestamp]) -> String {
    let (place, pace) = (export_place(game.terms.place), labels::pace(game.terms.pace).to_lowercase());
    let began = date_and_time(game.began);
    let times = times.iter().enumerate().map(|(ply, at)| format!(" {}. {}", ply + 1, date_and_time(*at)));
    format!("Begun at {began} in {place}, {pace}.\nMoved at:{}\n", times.collect::<String>())
}

fn export_place(place: Place) -> String {
    let Place { server, channel, thread } = place;
    let server = server.map(|id| format!("server {id}"));
    let thread = thread.map(|id| format!("thread {id}"));
    [server, Some(format!("channel {channel}")), thread].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Says how many games are missing from the export file for lack of room. Returns an empty text if none is.
#[must_use]
pub fn games_left_out(games: usize, player: PlayerId) -> String {
    if games == 0 {
        return String::new();
    }
    format!(
        "\nThere was no room in the file for the oldest of your games ({games}). Whoever runs me can hand them out first, with \
         `ratatosk export --player {}`.",
        player.0
    )
}

/// Asks a player to confirm `/forget-me`.
#[must_use]
pub fn confirm_forget(running: usize, finished: usize) -> String {
    format!(
        "Do you really want to be forgotten? This cannot be undone.\nYour running games ({running}) are given up, in your \
         finished ones ({finished}) you become \"a former player\", and your challenges, preferences and blocks are gone. The \
         file below has everything that I keep about you; keep it if you want it."
    )
}

/// Says where `/forget-me` works, because the export file cannot be attached here.
#[must_use]
pub fn forget_needs_files() -> String {
    String::from(
        "I may not attach files here, and you should get everything before it is gone. Use `/forget-me` in a direct message \
         with me.",
    )
}

/// Confirms that a player was forgotten.
#[must_use]
pub fn forgotten() -> String {
    String::from("You are forgotten. If you use a command again, I will get to know you anew.")
}
