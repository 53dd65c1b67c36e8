//! What tests read and change in the program's database, through a second connection. All SQL about it is here, except
//! for the list of columns in `tests/resilience/experiments/readers/damaged_database.rs`.

use rusqlite::types::Value;
use rusqlite::{Connection, Row};
use std::path::Path;

/// The table of messages that have to be posted.
pub const OUTBOX: &str = "outbox";

/// A second connection to the program's database.
pub struct Database(Connection);

/// A message of the outbox, and its post.
pub struct Delivery {
    pub outbox: u64,
    pub game: Option<u64>,
    pub challenge: Option<u64>,
    pub post: Option<u64>,
    pub why: Option<String>,
}

impl Database {
    pub fn open(path: &Path) -> Self {
        Self(Connection::open(path).unwrap())
    }

    /// Runs any statement, and returns how many rows it changed.
    pub fn execute(&self, sql: &str) -> usize {
        self.0.execute(sql, []).unwrap()
    }

    /// Returns a number.
    pub fn number(&self, sql: &str) -> u64 {
        self.0.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap().cast_unsigned()
    }

    /// Counts the rows of a table.
    pub fn count(&self, table: &str) -> usize {
        self.number(&format!("SELECT count(*) FROM {table}")) as usize
    }

    /// Counts the messages that wait to be posted, and describes them.
    pub fn unposted(&self) -> rusqlite::Result<(usize, String)> {
        let sql = "SELECT count(*), \
                   json_group_array(json_array(id, game, challenge, channel, body, made, due, attempts)) \
                   FROM outbox WHERE closed IS NULL";
        self.0.query_row(sql, [], |row: &Row<'_>| Ok((row.get::<_, usize>(0)?, row.get::<_, String>(1)?)))
    }

    /// Returns the posts whose buttons the bot removes, or has just removed, and whether each is a challenge.
    pub fn stale_posts(&self) -> rusqlite::Result<Vec<(u64, bool)>> {
        let mut posts = self.0.prepare("SELECT post, challenge IS NOT NULL FROM posts WHERE stale = 1")?;
        let posts = posts.query_map([], |row| Ok((row.get::<_, i64>(0)?.cast_unsigned(), row.get(1)?)))?;
        posts.collect()
    }

    /// Returns whether a channel, thread or server is recorded as gone; `None` if that cannot be read now.
    pub fn is_gone(&self, place: u64) -> Option<bool> {
        let sql = "SELECT count(*) FROM gone WHERE place = ?1";
        self.0.query_row(sql, [place.cast_signed()], |row| row.get::<_, u32>(0)).ok().map(|count| count > 0)
    }

    /// Returns whether a message on Discord is recorded as the post of an outbox message.
    pub fn is_delivered(&self, post: u64) -> bool {
        let sql = "SELECT count(*) FROM outbox WHERE post = ?1 AND closed IS NOT NULL";
        self.0.query_row(sql, [post.cast_signed()], |row| row.get::<_, u32>(0)).is_ok_and(|count| count > 0)
    }

    /// Records that a thread is gone.
    pub fn set_thread_gone(&self, thread: u64) {
        self.0.execute("INSERT INTO gone VALUES ('thread', ?1, 0)", [thread.cast_signed()]).unwrap();
    }

    /// Forgets that a place is gone.
    pub fn set_back(&self, place: u64) {
        self.0.execute("DELETE FROM gone WHERE place = ?1", [place.cast_signed()]).unwrap();
    }

    /// Returns whether a message of a game waits for more than five minutes before it is tried again.
    pub fn is_postponed_for_long(&self, game: u64) -> bool {
        let sql =
            format!("SELECT count(*) FROM outbox WHERE closed IS NULL AND game = {game} AND due > unixepoch() + 300");
        self.number(&sql) > 0
    }

    /// Returns how often posting the oldest unsent message about a game has failed.
    pub fn attempts(&self, game: u64) -> u64 {
        self.number(&format!("SELECT coalesce(max(attempts), 0) FROM outbox WHERE closed IS NULL AND game = {game}"))
    }

    /// Returns how a player wants to be reminded, if that is set.
    pub fn reminders_of(&self, player: u64) -> Option<String> {
        let sql = "SELECT max(reminders) FROM preferences WHERE player = ?1";
        self.0.query_row(sql, [player.cast_signed()], |row| row.get(0)).unwrap()
    }

    /// Returns the theme that a server has set, and how many of its games are over.
    pub fn theme_and_ended_games(&self, server: u64) -> (Option<String>, u64) {
        let server = server.cast_signed();
        let theme = "SELECT max(theme) FROM servers WHERE id = ?1";
        let theme = self.0.query_row(theme, [server], |row| row.get(0)).unwrap();
        let over = "SELECT count(*) FROM games WHERE ending IS NOT NULL AND server = ?1";
        (theme, self.0.query_row(over, [server], |row| row.get(0)).unwrap())
    }

    /// Makes the messages that wait to be posted so young that the bot leaves them to an answer for longer than a test
    /// may take, unless it knows that none will come.
    pub fn make_messages_young(&self) {
        self.execute("UPDATE outbox SET made = unixepoch() + 600, due = min(due, unixepoch()) WHERE closed IS NULL");
    }

    /// Makes all new messages as young.
    pub fn make_new_messages_young(&self) {
        self.execute(
            "CREATE TRIGGER young AFTER INSERT ON outbox \
             BEGIN UPDATE outbox SET made = made + 600 WHERE id = NEW.id; END",
        );
    }

    /// Makes everything older by a number of seconds.
    pub fn make_older(&self, seconds: i64) {
        for (table, columns) in [
            ("games", "began changed deadline wake_at flagged ended"),
            ("moves", "at"),
            ("challenges", "made expires"),
            ("outbox", "made due closed"),
            ("requests", "at"),
        ] {
            let set: Vec<String> =
                columns.split(' ').map(|column| format!("{column} = {column} - {seconds}")).collect();
            self.execute(&format!("UPDATE {table} SET {}", set.join(", ")));
        }
    }

    /// Forgets that a message was delivered, as if the power had failed before that was stored. Returns how many
    /// messages it has changed.
    pub fn forget_delivery(&self, post: u64) -> usize {
        let sql = "UPDATE outbox SET closed = NULL, post = NULL WHERE post = ?1";
        self.0.execute(sql, [post.cast_signed()]).unwrap()
    }

    /// Forgets that the messages about a game were delivered, and sets how often they were tried.
    pub fn forget_deliveries_of_game(&self, game: u64, attempts: u64) {
        let set = format!("closed = NULL, post = NULL, attempts = {attempts}");
        self.execute(&format!("UPDATE outbox SET {set} WHERE game = {game}"));
    }

    /// Forgets that the last message about each game was delivered.
    pub fn forget_last_deliveries(&self) {
        self.execute(
            "UPDATE outbox SET closed = NULL, post = NULL \
             WHERE id IN (SELECT max(id) FROM outbox WHERE game IS NOT NULL GROUP BY game)",
        );
    }

    /// Copies the first game to games 100 to 1200, and adds a message about each of these and about game 2.
    pub fn add_many_waiting_messages(&self) {
        self.execute(
            "WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 1200) INSERT INTO games \
             (id, version, variant, layout, ruleset, attackers, defenders, pace, server, channel, thread, began, changed, \
             plies, position, to_move, deadline, reminded, flagged, offers, wake_at, winner, ending, ended) \
             SELECT i, version, variant, layout, ruleset, attackers, defenders, pace, server, channel, thread, began, \
             changed, plies, position, to_move, deadline, reminded, flagged, offers, wake_at, winner, ending, ended \
             FROM n, games WHERE games.id = 1",
        );
        for which in ["id >= 100", "id = 2"] {
            self.execute(&format!(
                "INSERT INTO outbox (game, server, channel, thread, body, made, due) SELECT games.id, server, channel, \
                 thread, (SELECT body FROM outbox WHERE game = 1), began, began FROM games WHERE {which}"
            ));
        }
    }

    /// Replaces the position of a game, as if the game had begun with it.
    pub fn set_position(&self, game: u64, position: &str) {
        let ruleset = format!("(SELECT ruleset FROM games WHERE id = {game})");
        self.execute(&format!("UPDATE rulesets SET start = '{position}' WHERE id = {ruleset}"));
        self.execute(&format!("UPDATE games SET position = '{position}' WHERE id = {game}"));
    }

    /// Lets the time of everybody who is to move run out.
    pub fn flag_all_games(&self) {
        self.execute("UPDATE games SET flagged = deadline");
    }

    /// Makes all games unreadable.
    pub fn damage_games(&self) {
        self.execute("UPDATE games SET variant = 'nonsense'");
    }

    /// Makes each game unreadable as soon as there is a message about it.
    pub fn damage_games_with_new_messages(&self) {
        self.execute(
            "CREATE TRIGGER spoil AFTER INSERT ON outbox \
             BEGIN UPDATE games SET variant = 'nonsense' WHERE id = NEW.game; END",
        );
    }

    /// Makes the outbox message that was posted as a Discord message open again, with a body that this version cannot
    /// read; returns its id.
    pub fn make_unreadable(&self, post: u64) -> i64 {
        let post = [post.cast_signed()];
        let id = self.0.query_row("SELECT id FROM outbox WHERE post = ?1", post, |row| row.get(0)).unwrap();
        let unreadable =
            "UPDATE outbox SET closed = NULL, post = NULL, body = '{\"from\":\"the future\"}' WHERE id = ?1";
        self.0.execute(unreadable, [id]).unwrap();
        id
    }

    /// Makes a kind of statement fail, such as `UPDATE ON outbox`.
    pub fn refuse(&self, what: &str) {
        self.execute(&format!("CREATE TRIGGER refuse BEFORE {what} BEGIN SELECT RAISE(ABORT, 'no'); END"));
    }

    pub fn stop_refusing(&self) {
        self.execute("DROP TRIGGER refuse");
    }

    /// Returns the number of a table's first page, counted from 1.
    pub fn first_page_of(&self, table: &str) -> usize {
        let sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
        self.0.query_row(sql, [table], |row| row.get(0)).unwrap()
    }

    /// Returns all messages of the outbox in order.
    pub fn deliveries(&self) -> Vec<Delivery> {
        let sql = "SELECT id, game, challenge, post, why FROM outbox ORDER BY id";
        let mut statement = self.0.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| {
            let number = |column| row.get::<_, Option<i64>>(column).map(|number| number.map(i64::cast_unsigned));
            let (outbox, game, challenge, post) = (number(0)?.unwrap_or(0), number(1)?, number(2)?, number(3)?);
            Ok(Delivery { outbox, game, challenge, post, why: row.get(4)? })
        });
        rows.unwrap().map(|row| row.unwrap()).collect()
    }

    /// Returns everything that is stored about some players, their games and challenges, and about a server, as text.
    pub fn rows_about(&self, players: impl Iterator<Item = u64>, server: u64) -> Vec<String> {
        let numbers: Vec<String> = players.map(|id| id.cast_signed().to_string()).collect();
        let them = format!("IN ({})", numbers.join(", "));
        let games = format!("attackers {them} OR defenders {them}");
        let challenges = format!("challenger {them} OR opponent {them}");
        let theirs = format!(
            "game IN (SELECT id FROM games WHERE {games}) OR challenge IN (SELECT id FROM challenges WHERE {challenges})"
        );
        let tables = [
            ("players", format!("id {them}")),
            ("preferences", format!("player {them}")),
            ("blocks", format!("player {them} OR blocked {them}")),
            ("moves", format!("game IN (SELECT id FROM games WHERE {games})")),
            ("games", games),
            ("challenges", challenges),
            ("outbox", theirs.clone()),
            // Stale posts have lost their buttons, and are deleted with the next commit.
            ("posts", format!("stale = 0 AND ({theirs})")),
            ("requests", format!("outbox IN (SELECT id FROM outbox WHERE {theirs})")),
            ("servers", format!("id = {}", server.cast_signed())),
        ];
        tables.iter().flat_map(|(table, which)| self.rows(table, which)).collect()
    }

    fn rows(&self, table: &str, which: &str) -> Vec<String> {
        let mut statement = self.0.prepare(&format!("SELECT * FROM {table} WHERE {which} ORDER BY 1, 2")).unwrap();
        let columns = statement.column_count();
        let rows = statement.query_map([], |row| {
            let values = (0..columns).map(|column| row.get::<_, Value>(column));
            Ok(format!("{table} {:?}", values.collect::<Result<Vec<_>, _>>()?))
        });
        rows.unwrap().map(|row| row.unwrap()).collect()
    }
}
