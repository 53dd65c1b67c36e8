//! Every statement that the store uses, in one place, so that a test can look at the plans of all of them.

/// What [`super::GameRow`] is made from.
macro_rules! game_row {
    () => {
        "games.id, version, variant, layout, attackers, defenders, pace, server, channel, thread, plies, to_move, \
         deadline, flagged, offers, rematched, changed, winner, ending"
    };
}

/// What a challenge is made from.
macro_rules! challenge {
    () => {
        "id, challenger, opponent, variant, layout, side, pace, server, channel, thread, made, state"
    };
}

/// The columns of an outbox message.
macro_rules! message {
    () => {
        "id, game, challenge, server, channel, thread, body, ping, attempts, made, request"
    };
}

/// That a game is in a server, but its channel or thread there is gone.
macro_rules! homeless {
    () => {
        "server = ?2 AND (channel IN (SELECT place FROM gone) OR thread IN (SELECT place FROM gone))"
    };
}

/// That a message about a game is still to be delivered.
macro_rules! owes {
    () => {
        "EXISTS (SELECT 1 FROM outbox WHERE outbox.game = games.id AND closed IS NULL)"
    };
}

macro_rules! statements {
    ($($name:ident = $sql:expr;)*) => {
        $(pub(super) const $name: &str = $sql;)*

        #[cfg(test)]
        const ALL: &[(&str, &str)] = &[$((stringify!($name), $name)),*];
    };
}

statements! {
    // People.
    NAME = "SELECT name FROM players WHERE id = ?1";
    // As many as one statement takes; unused places are filled with the last id.
    NAMES = "SELECT id, name FROM players WHERE id IN (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, \
             ?16) AND name IS NOT NULL";
    // Two people may have the same name on Discord; the one with the lower number was there first.
    PLAYER_NAMED = "SELECT id FROM players WHERE name_key = ?1 ORDER BY id LIMIT 1";
    NEXT_PLAYER = "SELECT max(coalesce(max(id), 0) + 1, 1) FROM players";
    NAMES_BEGINNING = "SELECT name FROM players WHERE name_key IS NOT NULL AND name_key >= ?1 \
                       AND name_key < ?1 || char(1114111) ORDER BY name_key LIMIT ?2";
    MENTION_PLAYER = "INSERT INTO players (id) VALUES (?1) ON CONFLICT DO NOTHING";
    REMEMBER_PLAYER = "INSERT INTO players (id, name, name_key) VALUES (?1, ?2, ?3) \
                       ON CONFLICT DO UPDATE SET name = ?2, name_key = ?3";
    BLOCK = "INSERT INTO blocks (player, blocked, since) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
    UNBLOCK = "DELETE FROM blocks WHERE player = ?1 AND blocked = ?2";
    BLOCKS_OF = "SELECT blocked, since FROM blocks WHERE player = ?1 ORDER BY blocked";
    EITHER_BLOCKED = "SELECT EXISTS (SELECT 1 FROM blocks WHERE player = ?1 AND blocked = ?2) \
                      OR EXISTS (SELECT 1 FROM blocks WHERE player = ?2 AND blocked = ?1)";

    // Numbers below zero are nobody's on Discord: they stand for those who were forgotten.
    NEXT_FORMER = "SELECT min(coalesce(min(id), 0), 0) - 1 FROM players";
    FORGET_ATTACKER = "UPDATE games SET attackers = ?2 WHERE attackers = ?1 AND ending IS NOT NULL";
    FORGET_DEFENDER = "UPDATE games SET defenders = ?2 WHERE defenders = ?1 AND ending IS NOT NULL";
    FORGET_RUNNING_ATTACKER = "UPDATE games SET attackers = ?2 WHERE attackers = ?1 AND ending IS NULL";
    FORGET_RUNNING_DEFENDER = "UPDATE games SET defenders = ?2 WHERE defenders = ?1 AND ending IS NULL";
    FORGET_CHALLENGER = "UPDATE challenges SET challenger = ?2 WHERE challenger = ?1";
    FORGET_CHALLENGED = "UPDATE challenges SET opponent = ?2 WHERE opponent = ?1";
    FORGET_BLOCKS = "DELETE FROM blocks WHERE player = ?1";
    FORGET_PREFERENCES = "DELETE FROM preferences WHERE player = ?1";
    FORGET_PINGS = "UPDATE outbox SET ping = NULL WHERE ping = ?1";
    // A player who is forgotten has no running game left to be reminded of.
    FORGET_REMINDERS = "DELETE FROM outbox WHERE reminds = ?1";
    FORGET_NAME = "UPDATE players SET name = NULL, name_key = NULL WHERE id = ?1";
    FORGET_PLAYER = "DELETE FROM players WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM blocks WHERE blocked = ?1)";

    // Games.
    GAME = concat!("SELECT ", game_row!(), ", began, position, reminded, rules, start \
                   FROM games JOIN rulesets ON rulesets.id = games.ruleset WHERE games.id = ?1");
    MOVES = "SELECT ply, played FROM moves WHERE game = ?1 ORDER BY ply";
    MOVE_TIMES = "SELECT at FROM moves WHERE game = ?1 ORDER BY ply";
    GAME_ROW = concat!("SELECT ", game_row!(), " FROM games WHERE id = ?1");
    RUNNING_GAMES = concat!("SELECT ", game_row!(), " FROM games WHERE attackers = ?1 AND ending IS NULL UNION ALL \
                            SELECT ", game_row!(), " FROM games WHERE defenders = ?1 AND ending IS NULL");
    FINISHED_GAMES = concat!(
        "SELECT * FROM (SELECT ", game_row!(), ", ended FROM games WHERE attackers = ?1 AND ending IS NOT NULL \
         ORDER BY ended DESC LIMIT ?2) UNION ALL \
         SELECT * FROM (SELECT ", game_row!(), ", ended FROM games WHERE defenders = ?1 AND ending IS NOT NULL \
         ORDER BY ended DESC LIMIT ?2) ORDER BY ended DESC, id DESC LIMIT ?2");
    GAMES_IN_THREAD = concat!("SELECT ", game_row!(), " FROM games WHERE thread = ?1 AND ending IS NULL ORDER BY id");
    GAMES_IN_CHANNEL = concat!("SELECT ", game_row!(), " FROM games WHERE channel = ?1 AND ending IS NULL ORDER BY id");
    COUNT_RUNNING = "SELECT (SELECT count(*) FROM games WHERE attackers = ?1 AND ending IS NULL) \
                     + (SELECT count(*) FROM games WHERE defenders = ?1 AND ending IS NULL)";
    DUE_GAMES = "SELECT id FROM games WHERE wake_at <= ?1 AND ending IS NULL ORDER BY wake_at LIMIT ?2";
    NEXT_ALARM = "SELECT min(wake_at) FROM games WHERE ending IS NULL";
    NEXT_GAME = "SELECT id FROM games WHERE id > ?1 ORDER BY id LIMIT 1";
    GAMES_OF = "SELECT id FROM games WHERE attackers = ?1 AND ending IS NULL UNION ALL \
                SELECT id FROM games WHERE defenders = ?1 AND ending IS NULL UNION ALL \
                SELECT id FROM games WHERE attackers = ?1 AND ending IS NOT NULL UNION ALL \
                SELECT id FROM games WHERE defenders = ?1 AND ending IS NOT NULL";
    FIND_RULESET = "SELECT id FROM rulesets WHERE rules = ?1 AND start = ?2";
    ADD_RULESET = "INSERT INTO rulesets (rules, start) VALUES (?1, ?2)";
    BEGIN_GAME = "INSERT INTO games (version, variant, layout, ruleset, attackers, defenders, pace, server, channel, \
                  thread, began, changed, plies, position, to_move, deadline, reminded, wake_at) \
                  VALUES (0, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10, 0, ?11, ?12, ?13, 0, ?14)";
    STORED_GAME = "SELECT version, plies, wake_at, server, channel, thread, deadline, reminded, flagged \
                   FROM games WHERE id = ?1";
    // No column that is in an index, and none of the clock.
    CHANGE_GAME = "UPDATE games SET version = ?2, changed = ?3, plies = ?4, position = ?5, to_move = ?6, offers = ?7, \
                   rematched = ?8 WHERE id = ?1";
    SET_CLOCK = "UPDATE games SET deadline = ?2, reminded = ?3, flagged = ?4 WHERE id = ?1";
    // What lies further ahead than it can was set while the machine's clock was ahead. The alarm rings at once: whoever
    // hears it puts it off.
    SHORTEN_CLOCKS = "UPDATE games SET began = min(began, ?2), changed = min(changed, ?2), flagged = min(flagged, ?2), \
                      deadline = min(deadline, ?2 + ?3), wake_at = ?2 \
                      WHERE ending IS NULL AND pace IS ?1 AND (deadline > ?2 + ?3 OR changed > ?2)";
    END_GAME = "UPDATE games SET winner = ?2, ending = ?3, ended = ?4, wake_at = NULL WHERE id = ?1";
    MOVE_ALARM = "UPDATE games SET wake_at = ?2 WHERE id = ?1 AND ending IS NULL";
    MOVE_GAME = "UPDATE games SET server = ?2, channel = ?3, thread = ?4 WHERE id = ?1";
    CLOCK = "SELECT id, pace, deadline, reminded, flagged, wake_at FROM games WHERE id = ?1 AND ending IS NULL";
    ADD_MOVE = "INSERT INTO moves (game, ply, played, at) VALUES (?1, ?2, ?3, ?4)";
    CUT_MOVES = "DELETE FROM moves WHERE game = ?1 AND ply >= ?2";

    // Challenges.
    CHALLENGE = concat!("SELECT ", challenge!(), " FROM challenges WHERE id = ?1");
    CHALLENGES_TO = concat!("SELECT ", challenge!(), " FROM challenges \
                            WHERE opponent = ?1 AND state = 'open' AND expires > ?2 ORDER BY id");
    CHALLENGES_BY = concat!("SELECT ", challenge!(), " FROM challenges \
                            WHERE challenger = ?1 AND state = 'open' AND expires > ?2 ORDER BY id");
    CHALLENGES_TO_ALL = concat!("SELECT ", challenge!(), " FROM challenges \
                                WHERE server = ?1 AND channel = ?4 AND opponent IS NULL AND state = 'open' \
                                AND expires > ?2 AND challenger <> ?3 \
                                AND NOT EXISTS (SELECT 1 FROM blocks WHERE player = ?3 AND blocked = challenger) \
                                AND NOT EXISTS (SELECT 1 FROM blocks WHERE player = challenger AND blocked = ?3) \
                                ORDER BY id");
    COUNT_CHALLENGES_TO = "SELECT count(*) FROM challenges WHERE opponent = ?1 AND state = 'open' AND expires > ?2";
    CHALLENGES_OF = concat!("SELECT ", challenge!(), " FROM challenges WHERE challenger = ?1 UNION ALL \
                            SELECT ", challenge!(), " FROM challenges WHERE opponent = ?1 ORDER BY id");
    COUNT_CHALLENGES = "SELECT count(*) FROM challenges WHERE challenger = ?1 AND state = 'open' AND expires > ?2";
    SAME_CHALLENGE = "SELECT EXISTS (SELECT 1 FROM challenges WHERE challenger = ?1 AND opponent = ?2 \
                      AND variant = ?3 AND state = 'open' AND expires > ?4) \
                      OR EXISTS (SELECT 1 FROM challenges WHERE challenger = ?2 AND opponent = ?1 \
                      AND variant = ?3 AND state = 'open' AND expires > ?4)";
    DUE_CHALLENGES = "SELECT id FROM challenges WHERE expires <= ?1 AND state = 'open' ORDER BY expires LIMIT ?2";
    NEXT_EXPIRY = "SELECT min(expires) FROM challenges WHERE state = 'open'";
    MAKE_CHALLENGE = "INSERT INTO challenges (challenger, opponent, variant, layout, side, pace, server, channel, \
                      thread, made, expires, state) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 'open')";
    SHORTEN_CHALLENGES = "UPDATE challenges SET made = min(made, ?1), expires = ?1 + ?2 \
                          WHERE state = 'open' AND expires > ?1 + ?2";
    EXPIRE_CHALLENGE = "UPDATE challenges SET state = 'expired' WHERE id = ?1 AND state = 'open'";
    ANSWER_CHALLENGE = "UPDATE challenges SET state = ?2 WHERE id = ?1 AND state = 'open'";

    NOTE = "SELECT note FROM notes WHERE name = ?1";
    WRITE_NOTE = "INSERT INTO notes (name, note) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET note = ?2";

    BEAT = "INSERT INTO heartbeat (id, version, process, started, beat, state, answers, slowest, unread) \
            VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO UPDATE SET version = ?1, process = ?2, \
            started = ?3, beat = ?4, state = ?5, answers = ?6, slowest = ?7, unread = ?8";
    HEARTBEAT = "SELECT id, version, process, started, beat, state, answers, slowest, unread FROM heartbeat WHERE id = 1";

    GONE = "INSERT INTO gone (place, since) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
    BACK = "DELETE FROM gone WHERE place = ?1";
    IS_GONE = "SELECT EXISTS (SELECT 1 FROM gone WHERE place IN (?1, ?2, ?3))";
    // With a new version, so that nobody who saw it elsewhere puts it back there.
    RELOCATE_GAME = "UPDATE games SET server = ?2, channel = ?3, thread = ?4, version = version + 1 WHERE id = ?1";
    // What waited for a place is to be posted at once.
    RELOCATE_MESSAGES = "UPDATE outbox SET server = ?2, channel = ?3, thread = ?4, due = made \
                    WHERE game = ?1 AND closed IS NULL";
    // Running games, and those that ended lately and of which something is still to be told.
    HOMELESS_GAMES = concat!(
        "SELECT id FROM games WHERE attackers = ?1 AND ending IS NULL AND ", homeless!(), " UNION ALL \
         SELECT id FROM games WHERE defenders = ?1 AND ending IS NULL AND ", homeless!(), " UNION ALL \
         SELECT id FROM games WHERE attackers = ?1 AND ending IS NOT NULL AND ended > ?3 AND ", homeless!(), " AND ",
        owes!(), " UNION ALL \
         SELECT id FROM games WHERE defenders = ?1 AND ending IS NOT NULL AND ended > ?3 AND ", homeless!(), " AND ",
        owes!());
    CLOCKS_OF_PLACE = "SELECT id, pace, changed FROM games INDEXED BY running_games_by_channel \
                       WHERE ending IS NULL AND (server = ?1 OR channel = ?1 OR thread = ?1)";
    // The version stays, so that the buttons of earlier posts keep working. A change that was decided by the former clock
    // is refused, because it names the clock that it relies on.
    START_CLOCK = "UPDATE games SET deadline = ?2, reminded = 0, flagged = NULL, wake_at = ?3 WHERE id = ?1";
    SERVERS_OF_GAMES = "SELECT DISTINCT server FROM games INDEXED BY running_games_by_channel \
                        WHERE ending IS NULL AND server IS NOT NULL";
    PLACES_OF_GAMES = "SELECT DISTINCT channel, thread FROM games INDEXED BY running_games_by_channel \
                       WHERE ending IS NULL AND server = ?1";
    SERVER = "SELECT theme, threads, pace FROM servers WHERE id = ?1";
    SET_SERVER = "INSERT INTO servers (id, theme, threads, pace) VALUES (?1, ?2, ?3, ?4) \
                  ON CONFLICT DO UPDATE SET theme = ?2, threads = ?3, pace = ?4";
    PREFERENCES = "SELECT reminders, theme, flipped, as_text FROM preferences WHERE player = ?1";
    SET_PREFERENCES = "INSERT INTO preferences (player, reminders, theme, flipped, as_text) \
                       VALUES (?1, ?2, ?3, ?4, ?5) \
                       ON CONFLICT DO UPDATE SET reminders = ?2, theme = ?3, flipped = ?4, as_text = ?5";

    // Requests and the outbox.
    HANDLED_REQUEST = concat!("SELECT ", message!(), " FROM outbox WHERE id = (SELECT outbox FROM requests WHERE id = ?1)");
    IS_HANDLED = "SELECT EXISTS (SELECT 1 FROM requests WHERE id = ?1)";
    REMEMBER_REQUEST = "INSERT INTO requests (id, outbox, at) VALUES (?1, ?2, ?3)";
    FORGET_REQUESTS = "DELETE FROM requests WHERE at < ?1";
    ADD_MESSAGE = "INSERT INTO outbox (game, challenge, server, channel, thread, body, reminds, ping, made, due, request) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9, ?10)";
    MESSAGE = concat!("SELECT ", message!(), " FROM outbox WHERE id = ?1 AND closed IS NULL");
    DUE_MESSAGE = concat!("SELECT ", message!(), " FROM outbox WHERE id = ?1 AND closed IS NULL AND due <= ?2");
    // The first of each game and of each challenge: what has piled up behind it is passed over in an index.
    DUE_MESSAGES = concat!("SELECT ", message!(), " FROM outbox WHERE due <= ?1 AND id IN (\
                   SELECT min(id) FROM outbox WHERE closed IS NULL AND game IS NOT NULL GROUP BY game UNION ALL \
                   SELECT min(id) FROM outbox WHERE closed IS NULL AND challenge IS NOT NULL GROUP BY challenge) \
                   ORDER BY id LIMIT ?2");
    NEWEST_OUTBOX_ID = "SELECT coalesce(max(id), 0) FROM outbox";
    MESSAGES_BEFORE = concat!("SELECT ", message!(), " FROM outbox WHERE game = (SELECT game FROM outbox WHERE id = ?1) \
                              AND closed IS NULL AND id < ?1 ORDER BY id");
    MESSAGES_OF_GAME = concat!("SELECT ", message!(), " FROM outbox WHERE game = ?1 AND closed IS NULL ORDER BY id");
    SET_BODY = "UPDATE outbox SET body = ?2 WHERE id = ?1";
    VERSION = "SELECT version FROM games WHERE id = ?1";
    EXPEDITE = "UPDATE outbox SET due = made WHERE game = (SELECT game FROM outbox WHERE id = ?1) \
                AND closed IS NULL AND due > made";
    EXPEDITE_PLACE = "UPDATE outbox SET due = made WHERE closed IS NULL AND due > made \
                      AND (server = ?1 OR channel = ?1 OR thread = ?1)";
    SETTLE = "UPDATE outbox SET closed = ?2, message = ?3 WHERE id = ?1 AND closed IS NULL";
    POSTPONE = "UPDATE outbox SET due = ?2, attempts = attempts + 1 WHERE id = ?1 AND closed IS NULL";
    // Nothing is postponed by as much as an hour: what waits longer was made while the clock was ahead.
    ANY_TO_PULL_FORWARD = "SELECT 1 FROM outbox WHERE closed IS NULL AND due > ?1 + 3600 LIMIT 1";
    PULL_FORWARD = "UPDATE outbox SET made = min(made, ?1), due = ?1 WHERE closed IS NULL AND due > ?1 + 3600";
    GIVE_UP = "UPDATE outbox SET closed = ?2, why = ?3 WHERE id = ?1 AND closed IS NULL";
    // Of one game the newest post keeps its buttons, whatever order they were noted in, until a rematch has begun; of a
    // challenge, while it is open.
    KEEP_POST = "INSERT OR REPLACE INTO posts (outbox, game, challenge, channel, message, stale) \
                 SELECT id, game, challenge, ?2, ?3, \
                 EXISTS (SELECT 1 FROM posts WHERE posts.game = outbox.game AND posts.outbox > outbox.id) \
                 OR EXISTS (SELECT 1 FROM games WHERE games.id = outbox.game AND rematched = 1) \
                 OR EXISTS (SELECT 1 FROM challenges WHERE challenges.id = outbox.challenge AND state <> 'open') \
                 FROM outbox WHERE id = ?1";
    FORMER_POSTS = "UPDATE posts SET stale = 1 WHERE game = (SELECT game FROM outbox WHERE id = ?1) AND outbox < ?1";
    CHALLENGE_POSTS = "UPDATE posts SET stale = 1 WHERE challenge = ?1";
    GAME_POSTS = "UPDATE posts SET stale = 1 WHERE game = ?1";
    STALE_POSTS_OF = "SELECT posts.outbox, posts.challenge, posts.channel, posts.message FROM outbox \
                      JOIN posts ON posts.game = outbox.game WHERE outbox.id = ?1 AND stale = 1";
    STALE_POSTS = "SELECT outbox, challenge, channel, message FROM posts WHERE stale = 1 LIMIT ?1";
    FORGET_POST = "DELETE FROM posts WHERE outbox = ?1";
    FORGET_MESSAGES = "DELETE FROM outbox WHERE closed < ?1 AND closed IS NOT NULL";
}

/// Reads every challenge; for `check`, not for play.
pub(super) const EVERY_CHALLENGE: &str = concat!("SELECT ", challenge!(), " FROM challenges ORDER BY id");

/// Reads every message that is still to be delivered; for `check`, not for play.
pub(super) const EVERY_MESSAGE: &str = concat!("SELECT ", message!(), " FROM outbox WHERE closed IS NULL ORDER BY id");

/// Counts everything; for `status`, not for play.
pub(super) const STATS: &str = "SELECT count(*) FILTER (WHERE ending IS NULL), \
    count(*) FILTER (WHERE ending IS NOT NULL), coalesce(sum(plies), 0), \
    (SELECT count(*) FROM challenges WHERE state = 'open'), (SELECT count(*) FROM outbox WHERE closed IS NULL) FROM games";

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::migrate::MIGRATIONS;
    use super::ALL;
    use rusqlite::Connection;

    /// Requests are forgotten now and then and all at once; an index by time would have to be written by every move.
    /// Somebody is forgotten once in a blue moon; that nothing refers to the row any more is worth a look at every game,
    /// and that no message does at every message of the last days.
    /// Where games are played is asked when the bot comes in, once, and only running games are looked at; so it is when
    /// a place comes back. Whether clocks were set by a machine whose own was wrong is asked once an
    /// hour.
    const MAY_SCAN: &[(&str, &str)] = &[
        ("FORGET_REQUESTS", "SCAN requests"),
        ("FORGET_PLAYER", "SCAN games"),
        ("FORGET_PINGS", "SCAN outbox"),
        ("SERVERS_OF_GAMES", "SCAN games USING INDEX running_games_by_channel"),
        ("SHORTEN_CLOCKS", "SCAN games USING INDEX running_games_by_alarm"),
        ("PLACES_OF_GAMES", "SCAN games USING INDEX running_games_by_channel"),
        ("EXPEDITE_PLACE", "SCAN outbox USING INDEX outbox_by_time"),
        ("CLOCKS_OF_PLACE", "SCAN games USING INDEX running_games_by_channel"),
    ];

    fn plan(db: &Connection, sql: &str) -> Vec<String> {
        let mut statement = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let parameters = statement.parameter_count();
        let nothing = rusqlite::params_from_iter(std::iter::repeat_n(rusqlite::types::Null, parameters));
        statement.query_map(nothing, |row| row.get(3)).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn no_statement_used_in_play_scans_a_table() {
        let db = Connection::open_in_memory().unwrap();
        MIGRATIONS.iter().for_each(|migration| db.execute_batch(migration).unwrap());
        for (name, sql) in ALL {
            for step in plan(&db, sql) {
                let table = step.strip_prefix("SCAN ").unwrap_or_default().split(' ').next().unwrap_or_default();
                let scans = [
                    "players",
                    "blocks",
                    "rulesets",
                    "games",
                    "moves",
                    "challenges",
                    "outbox",
                    "requests",
                    "earlier",
                    "posts",
                    "notes",
                    "servers",
                    "preferences",
                    "gone",
                    "heartbeat",
                ];
                let allowed = MAY_SCAN.contains(&(name, &step));
                assert!(allowed || !scans.contains(&table), "{name}: {step}\n{sql}");
            }
        }
        assert!(ALL.len() > 40);
    }

    /// Columns that change with every move are in no index, and every index says which rows it is for.
    #[test]
    fn a_move_updates_no_index_of_games() {
        let db = Connection::open_in_memory().unwrap();
        MIGRATIONS.iter().for_each(|migration| db.execute_batch(migration).unwrap());
        let mut statement =
            db.prepare("SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'games'").unwrap();
        let indexes: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        assert_eq!(indexes.len(), 7);
        for index in indexes {
            for column in
                ["version", "changed", "plies", "position", "to_move", "deadline", "reminded", "flagged", "offers"]
            {
                assert!(!index.contains(column), "{index}");
            }
        }
    }
}
