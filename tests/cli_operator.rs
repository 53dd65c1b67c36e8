//! Commands for operators, through the real program: configuration, status, health, backups.
#![allow(clippy::unwrap_used, clippy::panic)]

mod store_fixture;
mod temp_folder;

use ratatosk::cli::exit;
use ratatosk::config::{self, keys::KEYS};
use ratatosk::game::Timestamp;
use ratatosk::store::{ConnectionState, Heartbeat, LockHolder, Store};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};
use store_fixture::small_disk::SmallDisk;
use store_fixture::{NOW, TempStore, begin, brandubh, wait_for};

const TOKEN: &str = "MTE3NDk4NTc2MTI4MzY1NTY4MA.GstanD.not-a-real-token-not-a-real-token-0";

/// Runs the program in a folder, with only these environment variables.
fn run(temp: &TempStore, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ratatosk"));
    command.args(arguments).env_clear().envs(variables.iter().copied()).env("HOME", temp.path("home"));
    command.current_dir(temp.path("")).stdin(Stdio::null()).output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn project(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

/// Returns the newest schema version, which is the number of migrations.
fn schema() -> usize {
    fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations")).unwrap().count()
}

/// Returns the rows of the first table below a heading of the README, without its head.
fn readme_table(heading: &str) -> Vec<String> {
    let readme = project("README.md");
    let below = readme.split_once(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no ## {heading}")).1;
    let lines = below.lines().skip_while(|line| !line.starts_with('|'));
    lines.take_while(|line| line.starts_with('|')).skip(2).map(str::to_owned).collect()
}

#[test]
fn the_readme_and_the_example_match_the_configuration_keys() {
    let row = |key: &config::keys::Key| {
        let config::keys::Key { name, variable, kind, default, meaning, .. } = key;
        format!("| `{name}` | `{variable}` | {kind} | {default} | {meaning} |")
    };
    let rows: Vec<String> = KEYS.iter().map(row).collect();
    assert_eq!(readme_table("Configuration"), rows, "the table should be:\n{}", rows.join("\n"));
    assert_eq!(project("config.example.toml"), config::example(), "`ratatosk example-config` prints the right one");
    let temp = TempStore::new("example");
    let printed = run(&temp, &["example-config"], &[]);
    assert_eq!((printed.status.code(), out(&printed)), (Some(0), config::example()));
}

#[test]
fn the_readme_lists_every_exit_code() {
    let rows: Vec<String> = exit::CODES.iter().map(|(code, meaning)| format!("| {code} | {meaning} |")).collect();
    assert_eq!(readme_table("Exit codes"), rows, "the table should be:\n{}", rows.join("\n"));
}

#[test]
fn the_systemd_unit_does_not_restart_after_final_errors() {
    let unit = project("deploy/ratatosk.service");
    let value =
        |name: &str| unit.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')).unwrap_or_default();
    let codes: Vec<u8> = value("RestartPreventExitStatus").split(' ').map(|code| code.parse().unwrap()).collect();
    assert_eq!(codes, exit::NO_RESTART);
    assert_eq!(value("Restart"), "on-failure");
    assert!(value("ExecStart").ends_with("ratatosk serve"));
    assert!(project("deploy/ratatosk-backup.service").contains("\nExecStart=/usr/local/bin/ratatosk backup\n"));
}

#[test]
fn the_container_has_one_volume_a_health_check_and_no_root_user() {
    let file = project("Dockerfile");
    let lines = |word: &str| file.lines().filter_map(|line| line.strip_prefix(word)).collect::<Vec<_>>();
    assert_eq!(lines("VOLUME "), ["/data"]);
    assert!(
        matches!(lines("HEALTHCHECK ")[..], [check] if check.ends_with("[\"/usr/local/bin/ratatosk\", \"health\"]"))
    );
    assert!(matches!(lines("USER ")[..], [user] if user.split(':').all(|id| id.parse().is_ok_and(|id: u32| id > 0))));
    assert_eq!(lines("CMD "), ["[\"serve\"]"]);
    assert_eq!(lines("FROM ").len(), 2, "what builds is not what runs");
}

#[test]
fn check_config_prints_values_with_their_origin_and_hides_the_token() {
    let temp = TempStore::new("check-config");
    let config = temp.path("config.toml");
    fs::write(&config, format!("database = \"games.db\"\n[discord]\ntoken = \"{TOKEN}\"\n[backup]\nevery = \"12h\"\n"))
        .unwrap();
    let checked = run(&temp, &["check-config", "--config", "config.toml"], &[("RATATOSK_LOG", "debug")]);
    assert_eq!(checked.status.code(), Some(0), "{}", err(&checked));
    let told = out(&checked);
    for part in [
        "config.toml is valid",
        "(config.toml, line 1)",
        "set, and not shown  (config.toml, line 3)",
        "12h  (config.toml, line 5)",
        "debug  (RATATOSK_LOG)",
        "https://discord.com  (default)",
        "backups  (default)",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }
    assert!(!told.contains("GstanD"), "{told}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&config, fs::Permissions::from_mode(0o644)).unwrap();
        let open = out(&run(&temp, &["check-config"], &[("RATATOSK_CONFIG", "config.toml")]));
        assert!(open.contains("every user of this machine can read it; run: chmod 600 config.toml"), "{open}");
        fs::set_permissions(&config, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(!out(&run(&temp, &["check-config"], &[("RATATOSK_CONFIG", "config.toml")])).contains("warning"));
    }
}

#[test]
fn where_the_log_is_json_a_wrong_configuration_is_one_line_of_it() {
    let temp = TempStore::new("json-faults");
    fs::write(temp.path("config.toml"), "datbase = \"a\"\n[log]\nformat = \"json\"\n[backup]\nkeep = \"many\"\n")
        .unwrap();
    let token = ("DISCORD_TOKEN", "a token with spaces");
    for arguments in [&["serve", "--config", "config.toml"][..], &["--config", "config.toml"]] {
        let refused = run(&temp, arguments, &[token]);
        assert_eq!(refused.status.code(), Some(i32::from(exit::MISCONFIGURED)), "{arguments:?}");
        let told = err(&refused);
        let line: serde_json::Value = serde_json::from_str(told.trim_end()).unwrap_or_else(|_| panic!("{told}"));
        assert_eq!((&line["level"], &line["exit_code"]), (&"ERROR".into(), &exit::MISCONFIGURED.into()), "{told}");
        let reason = line["reason"].as_str().unwrap();
        assert!(reason.contains("datbase: there is no such key") && reason.contains("backup.keep"), "{told}");
        assert!(!told.contains("a token with spaces"), "{told}");
    }
    // The same if only the token is missing.
    let refused = run(&temp, &["serve"], &[("RATATOSK_LOG_FORMAT", "json")]);
    assert!(err(&refused).starts_with('{') && err(&refused).contains("there is no token"), "{}", err(&refused));
}

#[test]
fn every_configuration_error_is_reported_with_exit_code_78() {
    let temp = TempStore::new("faults");
    fs::write(
        temp.path("config.toml"),
        "datbase = \"a\"\n[discord]\ntoken = \"put-the-token-of-your-bot-here\"\n[backup]\nkeep = \"many\"\n",
    )
    .unwrap();
    for arguments in [
        &["check-config", "--config", "config.toml"][..],
        &["serve", "--config", "config.toml"],
        &["--config", "config.toml"],
    ] {
        let refused = run(&temp, arguments, &[("RATATOSK_LOG_FORMAT", "xml")]);
        assert_eq!(refused.status.code(), Some(i32::from(exit::MISCONFIGURED)), "{arguments:?}");
        let told = err(&refused);
        for part in [
            "ratatosk: config.toml, line 1: datbase: there is no such key; did you mean database?\n",
            "ratatosk: config.toml, line 5: backup.keep: write a number",
            "ratatosk: RATATOSK_LOG_FORMAT: `xml` is not one of text, json\n",
        ] {
            assert!(told.contains(part), "{part}\n{told}");
        }
    }
    let missing = run(&temp, &["serve", "--config", "nowhere.toml"], &[]);
    assert_eq!(missing.status.code(), Some(78));
    assert!(err(&missing).contains("nowhere.toml: there is no such file"), "{}", err(&missing));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let folder = temp.path("home/.config/ratatosk");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("config.toml"), "").unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o000)).unwrap();
        // Root can read everything.
        if fs::read_dir(&folder).is_err() {
            let hidden = run(&temp, &["check-config"], &[]);
            assert_eq!(hidden.status.code(), Some(78), "an inaccessible file is not a missing one");
            assert!(err(&hidden).contains("config.toml: permission denied"), "{}", err(&hidden));
        }
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    }
    // The example token is an error for the bot only.
    fs::write(temp.path("config.toml"), config::example()).unwrap();
    let sample = run(&temp, &["serve", "--config", "config.toml"], &[]);
    assert_eq!(sample.status.code(), Some(78));
    assert!(err(&sample).contains("this is the token of the example"), "{}", err(&sample));
}

#[test]
fn without_a_command_a_token_decides_between_bot_and_terminal() {
    let temp = TempStore::new("chooses");
    let refused = run(&temp, &["serve"], &[]);
    assert_eq!(refused.status.code(), Some(78));
    assert!(err(&refused).contains("DISCORD_TOKEN: there is no token"), "{}", err(&refused));
    let table = run(&temp, &["--database", "table.db"], &[]);
    assert_eq!(table.status.code(), Some(0), "{}", err(&table));
    assert!(temp.path("table.db").exists());
    // A token in the default file starts the bot, which finds no Discord at the configured address.
    let folder = temp.path("home/.config/ratatosk");
    fs::create_dir_all(&folder).unwrap();
    let api = "http://127.0.0.1:9";
    fs::write(
        folder.join("config.toml"),
        format!("database = \"bot.db\"\n[discord]\ntoken = \"{TOKEN}\"\napi = \"{api}\"\n"),
    )
    .unwrap();
    let bot = run(&temp, &[], &[("RATATOSK_BACKUP_EVERY", "off")]);
    assert_eq!(bot.status.code(), Some(i32::from(exit::UNREACHABLE)), "{}{}", out(&bot), err(&bot));
    let told = err(&bot);
    assert!(told.contains("Ratatosk is starting version=") && told.contains(&format!("schema={}", schema())), "{told}");
    assert!(told.contains("cannot be reached") && told.contains("check discord.api"), "{told}");
    assert!(!told.contains("GstanD"), "{told}");
    assert!(folder.join("bot.db").exists());
}

#[test]
fn a_token_in_the_wrong_place_is_not_repeated() {
    let temp = TempStore::new("misplaced-token");
    for arguments in [
        &[TOKEN][..],
        &["serve", TOKEN],
        &["--config", TOKEN],
        &["check-config", &format!("--config={TOKEN}")],
        &["status", "--database", TOKEN],
        &["render", TOKEN],
    ] {
        let refused = run(&temp, arguments, &[]);
        let told = out(&refused) + &err(&refused);
        assert!(!refused.status.success() && !told.contains("GstanD"), "{arguments:?}: {told}");
        assert!(told.contains("MTE3NDk4…"), "what was given is named: {told}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_printed_is_a_failure() {
    for arguments in [&["--help"][..], &["serve", "--help"], &["--version"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ratatosk"));
        command.args(arguments).stdout(fs::File::create("/dev/full").unwrap());
        assert_eq!(command.status().unwrap().code(), Some(i32::from(exit::FAILED)), "{arguments:?}");
    }
}

/// Writes the heartbeat of a bot, some seconds ago. The bot counts as running until the store is closed.
fn heartbeat(temp: &TempStore, state: ConnectionState, seconds_ago: u64) -> Store {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() - seconds_ago;
    let beat = Timestamp(i64::try_from(now).unwrap());
    let (version, process) = (String::from("1.2.3"), std::process::id());
    let store = temp.open();
    store
        .write_heartbeat(Heartbeat {
            version,
            process,
            started: beat,
            beat,
            state,
            answers: 3,
            slowest_ms: 12,
            unknown_events: 1,
        })
        .unwrap();
    store
}

/// Closes a store and waits until its lock is free: a process that another test is just starting has a copy of every open
/// file, until it runs its own program.
fn close(store: Store, temp: &TempStore) {
    store.close().unwrap();
    wait_for("the lock to be free", || Store::lock_holder(&temp.database()) == LockHolder::Nobody);
}

#[test]
fn health_succeeds_only_if_the_bot_is_running_and_connected() {
    let temp = TempStore::new("health");
    let health = || {
        let asked = run(&temp, &["health", "--database", "games.db"], &[]);
        (asked.status.code().unwrap(), err(&asked))
    };
    let unhealthy = |part: &str| {
        let (code, told) = health();
        assert!(code == 1 && told.contains(part) && told.lines().count() == 1, "{code} {told}");
    };
    unhealthy("there is no database");
    temp.open().close().unwrap();
    unhealthy("never run");
    let bot = heartbeat(&temp, ConnectionState::Connected, 0);
    assert_eq!(health(), (0, String::new()));
    // The last heartbeat of a killed process does not count.
    close(bot, &temp);
    unhealthy("is not running");
    close(heartbeat(&temp, ConnectionState::Disconnected, 0), &temp);
    unhealthy("is not running");
    let bot = heartbeat(&temp, ConnectionState::Disconnected, 0);
    unhealthy("not connected");
    close(bot, &temp);
    let bot = heartbeat(&temp, ConnectionState::Connected, 600);
    unhealthy("no recent heartbeat (the last one: 10 minutes ago)");
    close(bot, &temp);
    let bot = heartbeat(&temp, ConnectionState::Stopped, 5);
    unhealthy("was stopped");
    close(bot, &temp);
    fs::write(temp.path("bad.toml"), "what").unwrap();
    let asked = run(&temp, &["health", "--config", "bad.toml"], &[]);
    assert_eq!(asked.status.code(), Some(1), "containers expect 1 for unhealthy");
}

#[test]
fn status_works_while_the_bot_is_running() {
    let temp = TempStore::new("status");
    let store = heartbeat(&temp, ConnectionState::Connected, 0);
    begin(&store, brandubh(), NOW);
    let asked = run(&temp, &["status"], &[("RATATOSK_DATABASE", "games.db")]);
    assert_eq!(asked.status.code(), Some(0), "{}", err(&asked));
    let told = out(&asked);
    for part in [
        &format!("games.db, schema {}\n", schema()),
        "running, and connected to Discord",
        "running since",
        "last heartbeat",
        "games running      1\n",
        "moves              0\n",
        "unsent messages    0\n",
        "slowest answer     12 ms",
        "unknown events     1",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }
    // Only one process can open the database for writing.
    let second = run(&temp, &["terminal", "--database", "games.db"], &[]);
    assert_eq!(second.status.code(), Some(i32::from(exit::IN_USE)));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("games.db", temp.path("link.db")).unwrap();
        let third = run(&temp, &["table", "--database", "link.db"], &[]);
        assert_eq!(third.status.code(), Some(i32::from(exit::IN_USE)), "a link leads to the same file");
    }
    let nowhere = run(&temp, &["status", "--database", "nowhere.db"], &[]);
    assert_eq!(nowhere.status.code(), Some(74));
    assert!(err(&nowhere).contains("name it with --database FILE"));
    for command in ["status", "check", "export", "backup"] {
        assert_eq!(run(&temp, &[command], &[]).status.code(), Some(74), "{command}: there is no default database");
    }
    let before = run(&temp, &["--database", "games.db", "status"], &[]);
    assert_eq!(before.status.code(), Some(0), "{}", err(&before));
    assert!(out(&before).contains("games.db, schema"), "{}", out(&before));
    let both = run(&temp, &["--database", "nowhere.db", "status", "--database", "games.db"], &[]);
    assert_eq!(both.status.code(), Some(0), "the option after the command counts: {}", err(&both));
    let unused = run(&temp, &["--database", "games.db", "rules", "list"], &[]);
    assert_eq!(unused.status.code(), Some(2));
    let first = run(&temp, &["export", "--database", "games.db", "--game", "#1"], &[]);
    assert_eq!(first.status.code(), Some(0), "{}", err(&first));
}

#[test]
fn a_backup_without_a_name_goes_to_the_folder_and_the_oldest_are_removed() {
    let temp = TempStore::new("named");
    temp.open().close().unwrap();
    fs::create_dir(temp.path("backups")).unwrap();
    for day in ["01", "02"] {
        fs::write(temp.path(&format!("backups/games-2020-01-{day}T000000Z.db")), "").unwrap();
    }
    let made = run(&temp, &["backup", "--database", "games.db"], &[("RATATOSK_BACKUP_KEEP", "2")]);
    assert_eq!(made.status.code(), Some(0), "{}", err(&made));
    let left = fs::read_dir(temp.path("backups")).unwrap().count();
    assert_eq!(left, 2);
    assert!(!temp.path("backups/games-2020-01-01T000000Z.db").exists());
    assert!(err(&made).contains("was copied to backups/games-20"), "{}", err(&made));
    let again = run(&temp, &["backup", "--database", "games.db"], &[]);
    assert_eq!(again.status.code(), Some(0), "in the same second: {}", err(&again));
    assert_eq!(fs::read_dir(temp.path("backups")).unwrap().count(), 3);
    let taken = run(&temp, &["backup", "games.db", "--database", "games.db"], &[]);
    assert_eq!(taken.status.code(), Some(1));
    assert!(err(&taken).contains("games.db already exists"), "{}", err(&taken));
    let astray = run(&temp, &["backup", "games.db/copy.db", "--database", "games.db"], &[]);
    assert_eq!(astray.status.code(), Some(1));
    assert!(err(&astray).contains("the copy cannot be written"), "{}", err(&astray));
}

/// Makes a database of an older schema, with two players.
fn older_database(path: &Path, schema: usize) {
    let db = rusqlite::Connection::open(path).unwrap();
    let mut migrations: Vec<_> = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations"))
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    migrations.sort();
    for migration in &migrations[..schema] {
        db.execute_batch(&fs::read_to_string(migration).unwrap()).unwrap();
    }
    let id = 0x5274_736B;
    db.execute_batch(&format!("PRAGMA user_version = {schema}; PRAGMA application_id = {id}")).unwrap();
    db.execute_batch("INSERT INTO players (id) VALUES (1), (2)").unwrap();
}

#[cfg(unix)]
#[test]
fn a_backup_that_root_makes_belongs_to_the_owner_of_the_database() {
    use std::os::unix::fs::{MetadataExt, chown};
    let temp = TempStore::new("backup-owner");
    drop(temp.open());
    let Ok(()) = chown(temp.path("games.db"), Some(1234), Some(1235)) else {
        return eprintln!("only root can give files away");
    };
    let made = run(&temp, &["backup", "--database", "games.db"], &[("RATATOSK_BACKUP_FOLDER", "of/ours")]);
    assert_eq!(made.status.code(), Some(0), "{}", err(&made));
    let folder = temp.path("of/ours");
    let backup = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    for path in [temp.path("of"), folder, backup] {
        let owner = path.metadata().unwrap();
        assert_eq!((owner.uid(), owner.gid()), (1234, 1235), "the bot has to write there: {}", path.display());
    }
}

#[test]
fn check_reads_a_backup_of_every_older_schema_and_leaves_it_alone() {
    let temp = TempStore::new("older");
    fs::create_dir(temp.path("tmp")).unwrap();
    let tmp = temp.path("tmp");
    let check = |name: &str| run(&temp, &["check", "--database", name], &[("TMPDIR", tmp.to_str().unwrap())]);
    for older in 1..schema() {
        let name = format!("{older}.db");
        older_database(&temp.path(&name), older);
        let before = fs::read(temp.path(&name)).unwrap();
        let checked = check(&name);
        assert_eq!(checked.status.code(), Some(0), "{}", err(&checked));
        let told = format!(
            "{name}: 0 games and 0 moves, no errors\nit has schema {older}; `ratatosk serve` or `ratatosk terminal` \
             migrates it to {}\n",
            schema()
        );
        assert_eq!(out(&checked), told);
        assert!(fs::read(temp.path(&name)).unwrap() == before, "the file is unchanged");
        let db = rusqlite::Connection::open(temp.path(&name)).unwrap();
        db.execute_batch("PRAGMA foreign_keys = OFF; INSERT INTO blocks VALUES (1, 3, 0)").unwrap();
        let damaged = check(&name);
        assert_eq!(damaged.status.code(), Some(74));
        assert!(out(&damaged).contains("a row of blocks refers to a missing row of players"), "{}", out(&damaged));
        db.execute_batch("DROP TABLE moves").unwrap();
        let altered = check(&name);
        assert_eq!(altered.status.code(), Some(74));
        let told = err(&altered);
        assert!(told.contains(&format!("it has schema {older}, but not the table moves")), "{told}");
    }
    assert_eq!(fs::read_dir(&tmp).unwrap().count(), 0, "the temporary copies are removed");
}

#[test]
fn a_migration_is_logged_by_the_bot_and_printed_at_the_terminal() {
    let temp = TempStore::new("migrates");
    let newest = schema();
    older_database(&temp.path("table.db"), 4);
    let table = run(&temp, &["terminal", "--database", "table.db"], &[]);
    assert_eq!(table.status.code(), Some(0), "{}", err(&table));
    let copy = format!("table.db.before-schema-{newest}.bak");
    let told = format!("the database was migrated from schema 4 to {newest}; a copy from before is {copy}\n");
    assert_eq!(err(&table), told);
    assert!(temp.path(&copy).exists());
    let again = run(&temp, &["terminal", "--database", "table.db"], &[]);
    assert_eq!((again.status.code(), err(&again)), (Some(0), String::new()));
    older_database(&temp.path("bot.db"), 4);
    let variables =
        [("DISCORD_TOKEN", TOKEN), ("RATATOSK_DISCORD_API", "http://127.0.0.1:9"), ("RATATOSK_BACKUP_EVERY", "off")];
    let bot = run(&temp, &["serve", "--database", "bot.db"], &variables);
    let log = err(&bot);
    let line = log.lines().find(|line| line.contains("the database was migrated")).unwrap_or_else(|| panic!("{log}"));
    for part in ["INFO", "from=4", &format!("to={newest}"), &format!("copy=bot.db.before-schema-{newest}.bak")] {
        assert!(line.contains(part), "{part}: {line}");
    }
}

/// Runs a statement as another program would.
fn alter(path: &Path, sql: &str) {
    let db = rusqlite::Connection::open(path).unwrap();
    db.execute_batch(&format!("PRAGMA foreign_keys = OFF; {sql}")).unwrap();
}

#[test]
fn a_missing_index_stops_no_command_and_the_next_start_makes_it_again() {
    let temp = TempStore::new("index");
    temp.open().close().unwrap();
    let drop_index = || alter(&temp.database(), "DROP INDEX players_by_name");
    drop_index();
    for command in ["status", "export", "backup"] {
        let ran = run(&temp, &[command, "--database", "games.db"], &[]);
        assert_eq!(ran.status.code(), Some(0), "{command}: {}", err(&ran));
    }
    let checked = run(&temp, &["check", "--database", "games.db"], &[]);
    let told =
        "the index players_by_name of players is missing; `ratatosk serve` or `ratatosk terminal` makes it again\n";
    assert_eq!((checked.status.code(), out(&checked).as_str()), (Some(74), told));
    assert_eq!(err(&checked), "ratatosk: games.db has 1 error; no data is lost\n");
    let line = "the index players_by_name of players was missing and was made again";
    let table = run(&temp, &["terminal", "--database", "games.db"], &[]);
    assert_eq!((table.status.code(), err(&table)), (Some(0), format!("{line}\n")));
    drop_index();
    let variables =
        [("DISCORD_TOKEN", TOKEN), ("RATATOSK_DISCORD_API", "http://127.0.0.1:9"), ("RATATOSK_BACKUP_EVERY", "off")];
    let log = err(&run(&temp, &["serve", "--database", "games.db"], &variables));
    assert!(log.lines().any(|logged| logged.contains("INFO") && logged.contains(line)), "{log}");
    assert_eq!(run(&temp, &["check", "--database", "games.db"], &[]).status.code(), Some(0));
}

#[test]
fn an_error_about_the_database_names_its_file_once() {
    let temp = TempStore::new("names");
    fs::write(temp.path("empty.db"), "").unwrap();
    fs::create_dir(temp.path("folder.db")).unwrap();
    fs::write(temp.path("damaged.db"), "Dear diary, today I have lost at tafl. ".repeat(100)).unwrap();
    for (file, part) in [("empty.db", "is empty"), ("folder.db", "is a folder"), ("damaged.db", "is damaged")] {
        for command in ["check", "status", "export", "backup"] {
            let refused = run(&temp, &[command, "--database", file], &[]);
            assert_eq!(refused.status.code(), Some(74), "{command} {file}");
            let told = err(&refused);
            assert!(told.contains(part) && told.matches(file).count() == 1, "{command}: {told}");
        }
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let path = temp.path("secret.db");
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
        // Root can read everything.
        if fs::read(&path).is_err() {
            let told = err(&run(&temp, &["check", "--database", "secret.db"], &[]));
            assert!(told.contains("Permission denied") && told.matches("secret.db").count() == 1, "{told}");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_export_that_cannot_be_written_says_what_was_being_written() {
    let temp = TempStore::new("output");
    let store = temp.open();
    begin(&store, brandubh(), NOW);
    store.close().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ratatosk"));
    command.args(["export", "--database"]).arg(temp.database()).stdout(fs::File::create("/dev/full").unwrap());
    let failed = command.output().unwrap();
    assert_eq!(failed.status.code(), Some(1));
    assert!(err(&failed).starts_with("ratatosk: the games could not be written (No space left"), "{}", err(&failed));
}

#[test]
fn a_forgotten_player_has_neither_name_nor_number_in_an_export() {
    let temp = TempStore::new("forgotten");
    let store = temp.open();
    let game = begin(&store, brandubh(), NOW);
    store.forget_player(game.terms.players.attackers).unwrap();
    store.close().unwrap();
    let records = run(&temp, &["export", "--database", "games.db"], &[]);
    assert!(out(&records).contains("[attackers:a former player]"), "{}", out(&records));
    let json = run(&temp, &["export", "--database", "games.db", "--format", "json"], &[]);
    assert!(out(&json).contains(r#""attackers":{"id":null,"name":"a former player"}"#), "{}", out(&json));
}

#[cfg(target_os = "linux")]
#[test]
fn a_picture_that_does_not_fit_on_the_disk_leaves_no_file() {
    let temp = TempStore::new("picture");
    let folder = temp.path("small");
    let Some(_disk) = SmallDisk::mount(&folder, "size=4k") else { return };
    let failed = run(&temp, &["render", "brandubh", "-o", "small/board.png"], &[]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(err(&failed).contains("small/board.png: No space left"), "{}", err(&failed));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn a_backup_of_a_database_that_lacks_a_table_saves_the_rest_and_warns() {
    let temp = TempStore::new("lacks");
    temp.open().close().unwrap();
    alter(&temp.database(), "DROP TABLE notes; ALTER TABLE preferences DROP COLUMN as_text");
    let made = run(&temp, &["backup", "copy.db", "--database", "games.db"], &[]);
    let told = "games.db was copied to copy.db\n\
                warning: the table notes is missing in the database and in the backup; see `ratatosk check`\n\
                warning: the column as_text of preferences is missing in the database and in the backup; see `ratatosk check`\n";
    assert_eq!((made.status.code(), err(&made).as_str()), (Some(0), told));
}

#[test]
fn every_command_has_help_with_an_example() {
    let temp = TempStore::new("help");
    let top = out(&run(&temp, &["--help"], &[]));
    assert!(top.contains("Examples:"), "{top}");
    let commands = top.split_once("Commands:\n").unwrap().1;
    let commands =
        commands.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
    let mut seen = 0;
    for command in commands.filter(|command| *command != "help") {
        let asked = run(&temp, &[command, "--help"], &[]);
        assert_eq!(asked.status.code(), Some(0), "{command}");
        let help = out(&asked);
        let example = help.split_once("Example").unwrap_or_else(|| panic!("{command} has no example:\n{help}")).1;
        assert!(example.contains(&format!("ratatosk {command}")), "{help}");
        seen += 1;
    }
    assert!(seen >= 10, "{seen} commands\n{top}");
    let wrong = run(&temp, &["helth"], &[]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(err(&wrong).contains("'health'"), "{}", err(&wrong));
}
