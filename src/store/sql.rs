//! The SQL statements of the store, in one place, so that a test can check the query plans of all of them.

/// The columns of a [`super::GameRow`].
macro_rules! game_row {
    () => {
        "games.id, version, variant, layout, attackers, defenders, pace, server, channel, thread, plies, to_move, \
         deadline, flagged, offers, rematched, changed, winner, ending"
    };
}

/// The columns of a challenge.
macro_rules! challenge {
    () => {
        "id, challenger, opponent, variant, layout, side, pace, server, channel, thread, made, state"
    };
}

/// The columns of an outbox message.
macro_rules! message {
    () => {
        "id, game, challenge, server, channel, thread, body, ping, attempts, made, request, \
         (SELECT version FROM games WHERE games.id = outbox.game) AS version, \
         (SELECT deadline FROM games WHERE games.id = outbox.game) AS deadline, \
         (SELECT state FROM challenges WHERE challenges.id = outbox.challenge) AS state"
    };
}

/// Is true if a game is in the server `?2` and its channel or thread is gone.
macro_rules! channel_is_gone {
    () => {
        "server = ?2 AND (channel IN (SELECT place FROM gone WHERE kind = 'channel') \
         OR thread IN (SELECT place FROM gone WHERE kind = 'thread'))"
    };
}

/// Is true if a message about a game is unsent.
macro_rules! has_undelivered {
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
    // Players.
    NAME = "SELECT name FROM players WHERE id = ?1";
    // `Session::names_of` fills unused parameters with the last id.
    NAMES = "SELECT id, name FROM players WHERE id IN (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, \
             ?16) AND name IS NOT NULL";
    // Two players may have the same name on Discord. The lower id is the older account.
    PLAYER_NAMED = "SELECT id FROM players WHERE name_key = ?1 ORDER BY id LIMIT 1";
    NEXT_PLAYER = "SELECT max(coalesce(max(id), 0) + 1, 1) FROM players";
    NAMES_BEGINNING = "SELECT name FROM players WHERE name_key IS NOT NULL AND name_key >= ?1 \
                       AND name_key < ?1 || char(1114111) ORDER BY name_key LIMIT ?2";
    ENSURE_PLAYER = "INSERT INTO players (id) VALUES (?1) ON CONFLICT DO NOTHING";
    WRITE_NAME = "INSERT INTO players (id, name, name_key) VALUES (?1, ?2, ?3) \
                       ON CONFLICT DO UPDATE SET name = ?2, name_key = ?3";
    BLOCK = "INSERT INTO blocks (player, blocked, since) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
    UNBLOCK = "DELETE FROM blocks WHERE player = ?1 AND blocked = ?2";
    BLOCKS_OF = "SELECT blocked, since FROM blocks WHERE player = ?1 ORDER BY blocked";
    EITHER_BLOCKED = "SELECT EXISTS (SELECT 1 FROM blocks WHERE player = ?1 AND blocked = ?2) \
                      OR EXISTS (SELECT 1 FROM blocks WHERE player = ?2 AND blocked = ?1)";

    // Players who were forgotten have negative ids, which Discord does not use.
    NEXT_FORMER_PLAYER = "SELECT min(coalesce(min(id), 0), 0) - 1 FROM players";
    FORGET_ATTACKER = "UPDATE games SET attackers = ?2 WHERE attackers = ?1 AND ending IS NOT NULL";
    FORGET_DEFENDER = "UPDATE games SET defenders = ?2 WHERE defenders = ?1 AND ending IS NOT NULL";
    FORGET_RUNNING_ATTACKER = "UPDATE games SET attackers = ?2 WHERE attackers = ?1 AND ending IS NULL";
    FORGET_RUNNING_DEFENDER = "UPDATE games SET defenders = ?2 WHERE defenders = ?1 AND ending IS NULL";
    FORGET_CHALLENGER = "UPDATE challenges SET challenger = ?2 WHERE challenger = ?1";
    FORGET_CHALLENGED = "UPDATE challenges SET opponent = ?2 WHERE opponent = ?1";
    FORGET_BLOCKS = "DELETE FROM blocks WHERE player = ?1";
    FORGET_SETTINGS = "DELETE FROM preferences WHERE player = ?1";
    FORGET_PINGS = "UPDATE outbox SET ping = NULL WHERE ping = ?1";
    // Nobody needs these any more: the player's running games are resigned first.
    FORGET_REMINDERS = "DELETE FROM outbox WHERE reminds = ?1";
    FORGET_NAME = "UPDATE players SET name = NULL, name_key = NULL WHERE id = ?1";
    FORGET_PLAYER = "DELETE FROM players WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM blocks WHERE blocked = ?1)";

    // Games.
    GAME = concat!("SELECT ", game_row!(), ", began, position, reminded, rules, start \
                   FROM games LEFT JOIN rulesets ON rulesets.id = games.ruleset WHERE games.id = ?1");
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
    NEXT_GAME_WAKE = "SELECT min(wake_at) FROM games WHERE ending IS NULL";
    NEXT_GAME = "SELECT id FROM games WHERE id > ?1 ORDER BY id LIMIT 1";
    GAMES_OF = "SELECT id FROM games WHERE attackers = ?1 AND ending IS NULL UNION ALL \
                SELECT id FROM games WHERE defenders = ?1 AND ending IS NULL UNION ALL \
                SELECT id FROM games WHERE attackers = ?1 AND ending IS NOT NULL UNION ALL \
                SELECT id FROM games WHERE defenders = ?1 AND ending IS NOT NULL ORDER BY id";
    FIND_RULESET = "SELECT id FROM rulesets WHERE rules = ?1 AND start = ?2";
    ADD_RULESET = "INSERT INTO rulesets (rules, start) VALUES (?1, ?2)";
    ADD_GAME = "INSERT INTO games (version, variant, layout, ruleset, attackers, defenders, pace, server, channel, \
                  thread, began, changed, plies, position, to_move, deadline, reminded, wake_at) \
                  VALUES (0, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10, 0, ?11, ?12, ?13, 0, ?14)";
    STORED_GAME = "SELECT version, plies, wake_at, deadline, reminded, flagged FROM games WHERE id = ?1";
    // Writes no indexed column, so that a move updates no index, and no column of the clock: `SET_CLOCK` does.
    UPDATE_GAME = "UPDATE games SET version = ?2, changed = ?3, plies = ?4, position = ?5, to_move = ?6, offers = ?7, \
                   rematched = ?8 WHERE id = ?1";
    SET_CLOCK = "UPDATE games SET deadline = ?2, reminded = ?3, flagged = ?4 WHERE id = ?1";
    // A deadline that is too far away, or a change in the future, was written while the machine's clock was ahead. This
    // wake time makes the clock be checked at once, which sets the right one.
    SHORTEN_CLOCKS = "UPDATE games SET began = min(began, ?2), changed = min(changed, ?2), flagged = min(flagged, ?2), \
                      deadline = min(deadline, ?2 + ?3), wake_at = ?2 \
                      WHERE ending IS NULL AND pace IS ?1 AND (deadline > ?2 + ?3 OR changed > ?2)";
    END_GAME = "UPDATE games SET winner = ?2, ending = ?3, ended = ?4, wake_at = NULL WHERE id = ?1";
    SET_WAKE_TIME = "UPDATE games SET wake_at = ?2 WHERE id = ?1 AND ending IS NULL";
    CLOCK = "SELECT id, pace, deadline, reminded, flagged, wake_at FROM games WHERE id = ?1 AND ending IS NULL";
    ADD_MOVE = "INSERT INTO moves (game, ply, played, at) VALUES (?1, ?2, ?3, ?4)";
    DELETE_MOVES = "DELETE FROM moves WHERE game = ?1 AND ply >= ?2";

    // Challenges.
    CHALLENGE = concat!("SELECT ", challenge!(), " FROM challenges WHERE id = ?1");
    // Without `INDEXED BY`, SQLite would go through all challenges that the player ever got.
    CHALLENGES_TO = concat!("SELECT ", challenge!(), " FROM challenges INDEXED BY open_challenges_by_opponent \
                            WHERE opponent = ?1 AND state = 'open' AND expires > ?2 ORDER BY id");
    CHALLENGES_BY = concat!("SELECT ", challenge!(), " FROM challenges \
                            WHERE challenger = ?1 AND state = 'open' AND expires > ?2 ORDER BY id");
    CHALLENGES_TO_ANYBODY = concat!("SELECT ", challenge!(), " FROM challenges \
                                WHERE server = ?1 AND channel = ?4 AND opponent IS NULL AND state = 'open' \
                                AND expires > ?2 AND challenger <> ?3 \
                                AND NOT EXISTS (SELECT 1 FROM blocks WHERE player = ?3 AND blocked = challenger) \
                                AND NOT EXISTS (SELECT 1 FROM blocks WHERE player = challenger AND blocked = ?3) \
                                ORDER BY id");
    COUNT_CHALLENGES_TO = "SELECT count(*) FROM challenges INDEXED BY open_challenges_by_opponent \
                           WHERE opponent = ?1 AND state = 'open' AND expires > ?2";
    CHALLENGES_OF = concat!("SELECT ", challenge!(), " FROM challenges WHERE challenger = ?1 UNION ALL \
                            SELECT ", challenge!(), " FROM challenges WHERE opponent = ?1 ORDER BY id");
    COUNT_CHALLENGES_BY = "SELECT count(*) FROM challenges WHERE challenger = ?1 AND state = 'open' AND expires > ?2";
    SAME_CHALLENGE = "SELECT EXISTS (SELECT 1 FROM challenges INDEXED BY open_challenges_by_challenger \
                      WHERE challenger = ?1 AND opponent = ?2 AND variant = ?3 AND state = 'open' AND expires > ?4) \
                      OR EXISTS (SELECT 1 FROM challenges INDEXED BY open_challenges_by_challenger \
                      WHERE challenger = ?2 AND opponent = ?1 AND variant = ?3 AND state = 'open' AND expires > ?4)";
    DUE_CHALLENGES = "SELECT id FROM challenges WHERE expires <= ?1 AND state = 'open' ORDER BY expires LIMIT ?2";
    NEXT_EXPIRY = "SELECT min(expires) FROM challenges WHERE state = 'open'";
    ADD_CHALLENGE = "INSERT INTO challenges (challenger, opponent, variant, layout, side, pace, server, channel, \
                      thread, made, expires, state) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 'open')";
    SHORTEN_CHALLENGES = "UPDATE challenges SET made = min(made, ?1), expires = ?1 + ?2 \
                          WHERE state = 'open' AND expires > ?1 + ?2";
    EXPIRE_CHALLENGE = "UPDATE challenges SET state = 'expired' WHERE id = ?1 AND state = 'open'";
    CLOSE_CHALLENGE = "UPDATE challenges SET state = ?2 WHERE id = ?1 AND state = 'open'";

    NOTE = "SELECT note FROM notes WHERE name = ?1";
    WRITE_NOTE = "INSERT INTO notes (name, note) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET note = ?2";

    WRITE_HEARTBEAT = "INSERT INTO heartbeat (id, version, process, started, beat, state, answers, slowest_ms, unknown_events) \
            VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO UPDATE SET version = ?1, process = ?2, \
            started = ?3, beat = ?4, state = ?5, answers = ?6, slowest_ms = ?7, unknown_events = ?8";
    HEARTBEAT = "SELECT id, version, process, started, beat, state, answers, slowest_ms, unknown_events FROM heartbeat WHERE id = 1";

    MARK_GONE = "INSERT INTO gone (kind, place, since) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
    MARK_BACK = "DELETE FROM gone WHERE kind = ?1 AND place = ?2";
    IS_GONE = "SELECT EXISTS (SELECT 1 FROM gone WHERE kind = 'server' AND place = ?1) \
               OR EXISTS (SELECT 1 FROM gone WHERE kind = 'channel' AND place = ?2) \
               OR EXISTS (SELECT 1 FROM gone WHERE kind = 'thread' AND place = ?3)";
    RELOCATE_GAME = "UPDATE games SET server = ?2, channel = ?3, thread = ?4 WHERE id = ?1";
    // Messages that were postponed because their place was gone are due again.
    RELOCATE_MESSAGES = "UPDATE outbox SET server = ?2, channel = ?3, thread = ?4, due = made \
                    WHERE game = ?1 AND closed IS NULL";
    // Running games, and games that ended after `?3` about which a message is unsent.
    GAMES_TO_RELOCATE = concat!(
        "SELECT id FROM games WHERE attackers = ?1 AND ending IS NULL AND ", channel_is_gone!(), " UNION ALL \
         SELECT id FROM games WHERE defenders = ?1 AND ending IS NULL AND ", channel_is_gone!(), " UNION ALL \
         SELECT id FROM games WHERE attackers = ?1 AND ending IS NOT NULL AND ended > ?3 AND ", channel_is_gone!(), " AND ",
        has_undelivered!(), " UNION ALL \
         SELECT id FROM games WHERE defenders = ?1 AND ending IS NOT NULL AND ended > ?3 AND ", channel_is_gone!(), " AND ",
        has_undelivered!());
    CLOCKS_IN_PLACE = "SELECT id, pace, deadline, reminded, flagged, changed FROM games INDEXED BY running_games_by_channel \
                       WHERE ending IS NULL AND (server = ?1 OR channel = ?2 OR thread = ?3)";
    SERVERS_OF_GAMES = "SELECT DISTINCT server FROM games INDEXED BY running_games_by_channel \
                        WHERE ending IS NULL AND server IS NOT NULL";
    CHANNELS_OF_GAMES = "SELECT DISTINCT channel, thread FROM games INDEXED BY running_games_by_channel \
                       WHERE ending IS NULL AND server = ?1";
    SERVER_SETTINGS = "SELECT theme, threads, pace FROM servers WHERE id = ?1";
    CHANGE_SERVER_SETTINGS = "INSERT INTO servers (id, theme, threads, pace) VALUES (?1, ?2, ?3, ?4) \
                              ON CONFLICT DO UPDATE SET theme = coalesce(?2, theme), threads = coalesce(?3, threads), \
                              pace = coalesce(?4, pace)";
    PLAYER_SETTINGS = "SELECT reminders, theme, flipped, as_text FROM preferences WHERE player = ?1";
    CHANGE_PLAYER_SETTINGS = "INSERT INTO preferences (player, reminders, theme, flipped, as_text) \
                              VALUES (?1, ?2, ?3, ?4, ?5) \
                              ON CONFLICT DO UPDATE SET reminders = coalesce(?2, reminders), \
                              theme = coalesce(?3, theme), flipped = coalesce(?4, flipped), \
                              as_text = coalesce(?5, as_text)";

    // Requests and the outbox.
    HANDLED_REQUEST = concat!("SELECT ", message!(), " FROM outbox WHERE id = (SELECT outbox FROM requests WHERE id = ?1)");
    IS_HANDLED = "SELECT EXISTS (SELECT 1 FROM requests WHERE id = ?1)";
    ADD_REQUEST = "INSERT INTO requests (id, outbox, at) VALUES (?1, ?2, ?3)";
    DELETE_OLD_REQUESTS = "DELETE FROM requests WHERE at < ?1";
    ADD_MESSAGE = "INSERT INTO outbox (game, challenge, server, channel, thread, body, reminds, ping, made, due, request) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9, ?10)";
    MESSAGE = concat!("SELECT ", message!(), " FROM outbox WHERE id = ?1 AND closed IS NULL");
    REVISION = "SELECT (SELECT version FROM games WHERE id = ?1) AS version, \
                (SELECT deadline FROM games WHERE id = ?1) AS deadline, \
                (SELECT state FROM challenges WHERE id = ?2) AS state";
    MESSAGE_SUBJECT = "SELECT game, challenge FROM outbox WHERE id = ?1";
    DUE_MESSAGE = concat!("SELECT ", message!(), " FROM outbox WHERE id = ?1 AND closed IS NULL AND due <= ?2");
    // The oldest unsent message of each game and each challenge. The ones behind it are skipped in an index.
    DUE_MESSAGES = concat!("SELECT ", message!(), " FROM outbox WHERE due <= ?1 AND id IN (\
                   SELECT min(id) FROM outbox WHERE closed IS NULL AND game IS NOT NULL GROUP BY game UNION ALL \
                   SELECT min(id) FROM outbox WHERE closed IS NULL AND challenge IS NOT NULL GROUP BY challenge) \
                   ORDER BY id LIMIT ?2");
    NEWEST_OUTBOX_ID = "SELECT coalesce(max(id), 0) FROM outbox";
    MESSAGES_BEFORE = concat!("SELECT ", message!(), " FROM outbox WHERE game = (SELECT game FROM outbox WHERE id = ?1) \
                              AND closed IS NULL AND id < ?1 ORDER BY id");
    MESSAGES_OF_GAME = concat!("SELECT ", message!(), " FROM outbox WHERE game = ?1 AND closed IS NULL ORDER BY id");
    SET_BODY = "UPDATE outbox SET body = ?2 WHERE id = ?1";
    GAME_VERSION = "SELECT version FROM games WHERE id = ?1";
    // Resets the pauses, because many changes in a short time must not make the next pause long.
    EXPEDITE = "UPDATE outbox SET due = made, attempts = min(attempts, 1) WHERE game = (SELECT game FROM outbox WHERE id = ?1) \
                AND closed IS NULL AND due > made";
    EXPEDITE_PLACE = "UPDATE outbox SET due = made, attempts = min(attempts, 1) WHERE closed IS NULL AND due > made \
                      AND (server = ?1 OR channel = ?2 OR thread = ?3)";
    SETTLE = "UPDATE outbox SET closed = ?2, post = ?3 WHERE id = ?1 AND closed IS NULL";
    POSTPONE = "UPDATE outbox SET due = ?2, attempts = attempts + 1 WHERE id = ?1 AND closed IS NULL";
    // No message is postponed by an hour. One that is due later was added while the machine's clock was ahead.
    ANY_MESSAGE_TOO_LATE = "SELECT EXISTS (SELECT 1 FROM outbox WHERE closed IS NULL AND due > ?1 + 3600)";
    CORRECT_MESSAGE_TIMES = "UPDATE outbox SET made = min(made, ?1), due = ?1 WHERE closed IS NULL AND due > ?1 + 3600";
    GIVE_UP = "UPDATE outbox SET closed = ?2, why = ?3 WHERE id = ?1 AND closed IS NULL";
    // A post is stale if there is a newer one about the same game, or a rematch of that game; the post of a challenge is
    // stale once the challenge is closed. Posts may be added in any order.
    ADD_POST = "INSERT OR REPLACE INTO posts (outbox, game, challenge, channel, post, stale) \
                 SELECT id, game, challenge, ?2, ?3, \
                 EXISTS (SELECT 1 FROM posts WHERE posts.game = outbox.game AND posts.outbox > outbox.id) \
                 OR EXISTS (SELECT 1 FROM games WHERE games.id = outbox.game AND rematched = 1) \
                 OR EXISTS (SELECT 1 FROM challenges WHERE challenges.id = outbox.challenge AND state <> 'open') \
                 FROM outbox WHERE id = ?1";
    MARK_EARLIER_POSTS_STALE = "UPDATE posts SET stale = 1 WHERE game = (SELECT game FROM outbox WHERE id = ?1) AND outbox < ?1";
    MARK_CHALLENGE_POSTS_STALE = "UPDATE posts SET stale = 1 WHERE challenge = ?1";
    MARK_GAME_POSTS_STALE = "UPDATE posts SET stale = 1 WHERE game = ?1";
    STALE_POSTS_OF = "SELECT posts.outbox, posts.challenge, posts.channel, posts.post FROM outbox \
                      JOIN posts ON posts.game = outbox.game WHERE outbox.id = ?1 AND stale = 1";
    STALE_POSTS = "SELECT outbox, challenge, channel, post FROM posts WHERE stale = 1 LIMIT ?1";
    DELETE_POST = "DELETE FROM posts WHERE outbox = ?1";
    DELETE_OLD_MESSAGES = "DELETE FROM outbox WHERE closed < ?1 AND closed IS NOT NULL";
}

// These three read whole tables, so no request uses them. `EVERY_MESSAGE` is also for the terminal, and for the outbox
// worker when it has met a row that cannot be read.

pub(super) const EVERY_CHALLENGE: &str = concat!("SELECT ", challenge!(), " FROM challenges ORDER BY id");

pub(super) const EVERY_MESSAGE: &str = concat!("SELECT ", message!(), " FROM outbox WHERE closed IS NULL ORDER BY id");

pub(super) const STATS: &str = "SELECT count(*) FILTER (WHERE ending IS NULL), \
    count(*) FILTER (WHERE ending IS NOT NULL), coalesce(sum(plies), 0), \
    (SELECT count(*) FROM challenges WHERE state = 'open'), (SELECT count(*) FROM outbox WHERE closed IS NULL) FROM games";

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::file::connect;
    use super::super::migrate::MIGRATIONS;
    use super::ALL;
    use rusqlite::{Connection, OpenFlags, StatementStatus};
    use std::path::Path;

    /// Scans that are allowed because they are rare:
    ///
    /// - Old requests are deleted all at once, every hour. With an index by time, every move would have to write to it.
    /// - Before a forgotten player is deleted, SQLite looks for references in all games; pings are searched in the
    ///   messages of the last days.
    /// - The running games are scanned when the bot starts, when a place comes back, and once an hour for clocks that were
    ///   set wrongly; then, unsent messages are few.
    const MAY_SCAN: &[(&str, &str)] = &[
        ("DELETE_OLD_REQUESTS", "SCAN requests"),
        ("FORGET_PLAYER", "SCAN games"),
        ("FORGET_PINGS", "SCAN outbox"),
        ("SERVERS_OF_GAMES", "SCAN games USING INDEX running_games_by_channel"),
        ("SHORTEN_CLOCKS", "SCAN games USING INDEX running_games_by_wake_time"),
        ("CHANNELS_OF_GAMES", "SCAN games USING INDEX running_games_by_channel"),
        ("EXPEDITE_PLACE", "SCAN outbox USING INDEX outbox_by_time"),
        ("CLOCKS_IN_PLACE", "SCAN games USING INDEX running_games_by_channel"),
    ];

    fn plan(db: &Connection, sql: &str) -> Vec<String> {
        let mut statement = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let parameters = statement.parameter_count();
        let nothing = rusqlite::params_from_iter(std::iter::repeat_n(rusqlite::types::Null, parameters));
        statement.query_map(nothing, |row| row.get(3)).unwrap().map(Result::unwrap).collect()
    }

    fn migrated() -> Connection {
        let db = connect(Path::new(":memory:"), OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
        MIGRATIONS.iter().for_each(|migration| db.execute_batch(migration).unwrap());
        db
    }

    fn names(db: &Connection, kind: &str) -> Vec<String> {
        let names = "SELECT name FROM sqlite_schema WHERE type = ?1 AND name NOT LIKE 'sqlite_%'";
        db.prepare(names).unwrap().query_map([kind], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn no_statement_of_play_goes_through_a_whole_table() {
        let db = migrated();
        let tables = names(&db, "table");
        assert!(tables.len() > 10 && ALL.len() > 40);
        for (name, sql) in ALL {
            for step in plan(&db, sql) {
                let scanned = step.strip_prefix("SCAN ").and_then(|scan| scan.split(' ').next()).unwrap_or_default();
                let allowed = MAY_SCAN.contains(&(name, &step));
                assert!(allowed || !tables.iter().any(|table| table == scanned), "{name}: {step}\n{sql}");
            }
        }
    }

    #[test]
    fn every_index_is_used() {
        let db = migrated();
        let plans: Vec<_> = ALL.iter().flat_map(|(_, sql)| plan(&db, sql)).collect();
        for index in names(&db, "index") {
            let is_used = plans.iter().any(|step| step.split(' ').any(|word| word == index));
            assert!(is_used, "no statement uses {index}");
        }
    }

    #[test]
    fn no_statement_is_planned_again_for_other_values() {
        let db = migrated();
        for (name, sql) in ALL {
            let mut statement = db.prepare(sql).unwrap();
            for value in 0..3 {
                for parameter in 1..=statement.parameter_count() {
                    statement.raw_bind_parameter(parameter, value).unwrap();
                }
                // Some statements refuse such values.
                let _refused = statement.raw_query().next().is_err();
            }
            assert_eq!(statement.get_status(StatementStatus::RePrepare), 0, "{name}");
        }
    }

    /// Columns that change with every move are in no index.
    #[test]
    fn a_move_touches_no_index_of_games() {
        let db = migrated();
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
