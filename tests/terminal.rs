//! The terminal, through the real program: whole games, odd input, restarts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod seeded_rng;
#[cfg(unix)]
#[path = "store_fixture/small_disk.rs"]
#[allow(dead_code, reason = "it is never remounted here")]
mod small_disk;
mod temp_folder;

use ratatosk::rules::{Layout, Move, Piece, Record, Side, Variant, opentafl};
use seeded_rng::{Rng, set_ups};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use temp_folder::TempFolder;

/// A database for one test, and a terminal on it.
struct Terminal {
    folder: TempFolder,
}

impl Terminal {
    fn new() -> Self {
        Self { folder: TempFolder::new("terminal") }
    }

    /// Returns the path of something in the folder.
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the names of the files in the folder, or in one below it.
    fn files(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<String> = entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ratatosk"));
        command.args(arguments).env("RATATOSK_DATABASE", self.path("table.db")).env_remove("DISCORD_TOKEN");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str], input: impl Into<Vec<u8>>) -> Output {
        let mut program = self.command(arguments).spawn().unwrap();
        let (mut pipe, input) = (program.stdin.take().unwrap(), input.into());
        let writer = std::thread::spawn(move || drop(pipe.write_all(&input)));
        let output = program.wait_with_output().unwrap();
        writer.join().unwrap();
        output
    }

    /// Types lines, all of which must be understood, and returns the output.
    fn types(&self, lines: &[&str]) -> String {
        let output = self.run(&[], lines.join("\n") + "\n");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{text}");
        text
    }

    /// Changes or reads the database while no program has it open.
    fn sql<T>(&self, run: impl FnOnce(&rusqlite::Connection) -> rusqlite::Result<T>) -> T {
        run(&rusqlite::Connection::open(self.path("table.db")).unwrap()).unwrap()
    }

    fn prints(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments, "");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

/// Starts a game in which Ann has the attackers and Bo the king's side.
const BEGIN: [&str; 4] = ["/as ann", "/challenge opponent:bo variant:brandubh side:attackers", "/as bo", "1"];

/// Starts another game between them.
const BEGIN_YORK: [&str; 4] = ["/as ann", "/challenge opponent:bo variant:york side:attackers", "/as bo", "1"];

/// Plays random games until one has a winner.
fn decided_game(rng: &mut Rng, variant: &Variant, layout: &Layout) -> Record {
    loop {
        let mut record = variant.new_record(layout);
        for _ in 0..150 {
            let moves: Vec<Move> = record.playable_moves().collect();
            // A winning move is always made, so that games end.
            let wins = |mv: &&Move| {
                let played = record.rulebook().apply(record.position(), **mv);
                played.outcome.is_some_and(|outcome| outcome.winner() == Some(played.piece.side()))
            };
            let mv = moves.iter().find(wins).copied().unwrap_or_else(|| rng.pick(&moves));
            if record.try_move(mv).unwrap().repetition().is_some() {
                break;
            }
            if record.play(mv).unwrap().outcome.is_some() {
                return record;
            }
        }
    }
}

#[test]
fn whole_games_of_every_variant_and_layout_are_played_stored_and_exported() {
    let mut rng = Rng::new(21);
    for (variant, layout) in set_ups() {
        let terminal = Terminal::new();
        let record = decided_game(&mut rng, variant, layout);
        let challenge = format!("/challenge opponent:bo variant:{} layout:{} side:attackers", variant.id, layout.id);
        let mut lines = vec![String::from("/as ann"), challenge, String::from("/as bo"), String::from("1")];
        for ply in record.plies() {
            let who = if ply.piece == Piece::Attacker { "ann" } else { "bo" };
            lines.push(format!("/as {who}"));
            lines.push(format!("/move {ply}"));
        }
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let said = terminal.types(&lines);
        let winner = record.outcome().unwrap().winner().unwrap();
        let name = if winner == Side::Attackers { "ann" } else { "bo" };
        let end = said.rsplit("played").next().unwrap();
        assert!(end.contains(&format!("{name} wins with")), "{end}");
        assert!(said.contains(variant.words.attackers) && said.contains(variant.words.king));
        // The stored game is the one that was played.
        assert!(terminal.prints(&["check"]).contains("1 game and "));
        let written = terminal.prints(&["export", "--game", "1"]);
        let read = opentafl::read_game(&written).unwrap();
        assert_eq!(read.game, record, "{written}");
        assert!(read.tags.contains(&(String::from("attackers"), String::from("ann"))));
        let json: serde_json::Value = serde_json::from_str(&terminal.prints(&["export", "--format", "json"])).unwrap();
        assert_eq!(json["moves"].as_array().unwrap().len(), record.plies().len());
        assert_eq!(json["winner"], winner.id());
    }
}

#[test]
fn a_game_continues_after_a_restart() {
    let terminal = Terminal::new();
    terminal.types(&BEGIN);
    terminal.types(&["/as ann", "/move d2-c2"]);
    let said = terminal.types(&["/as bo", "/board", "/move d3-e3"]);
    assert!(said.contains("ann played d2-c2"), "{said}");
    assert!(said.contains("bo played d3-e3"), "{said}");
    let picture = fs::read(terminal.path("board.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG"));
}

#[test]
fn a_game_goes_on_without_pictures_where_they_cannot_be_written() {
    let terminal = Terminal::new();
    // A folder is in the place of the picture.
    fs::create_dir(terminal.path("board.png")).unwrap();
    let said = terminal.types(&BEGIN);
    assert!(said.contains("There is no picture of this board: ") && said.contains("board.png"), "{said}");
    assert!(!said.contains("Picture: "), "{said}");
    let said = terminal.types(&["/as ann", "/move d2-c2"]);
    assert!(said.contains("ann played d2-c2") && said.contains("There is no picture of this board: "), "{said}");
    assert_eq!(terminal.files("."), ["board.png", "table.db", "table.db.lock"]);
}

#[cfg(unix)]
#[test]
fn a_game_goes_on_and_no_broken_file_is_left_where_the_disk_is_full() {
    let terminal = Terminal::new();
    terminal.types(&BEGIN);
    // Pictures and records are written beside the link to the database.
    let Some(_disk) = small_disk::SmallDisk::mount(&terminal.path("small"), "size=16k") else { return };
    let database = terminal.path("small/table.db");
    std::os::unix::fs::symlink(terminal.path("table.db"), &database).unwrap();
    let arguments = ["terminal", "--database", database.to_str().unwrap()];
    // There is room for a part of a picture, and after that for nothing.
    assert_eq!(terminal.run(&arguments, "/board\n").status.code(), Some(0));
    assert_eq!(terminal.files("small"), ["table.db"]);
    let _ = fs::write(terminal.path("small/filler"), vec![0; 100_000]);
    let output = terminal.run(&arguments, "/history\n/forget-me\n1\n/move d2-c2\n");
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(1), 0), "{said}");
    for file in ["small/ratatosk-1.txt", "small/ratatosk-everything.txt"] {
        let file = terminal.path(file);
        assert!(said.contains(&format!("The record could not be saved: {}: ", file.display())), "{said}");
    }
    assert!(said.contains("nothing to press now") && !said.contains("You are forgotten"), "{said}");
    assert!(said.contains("ann played d2-c2"), "{said}");
    assert_eq!(terminal.files("small"), ["filler", "table.db"]);
}

#[test]
fn a_move_by_buttons_is_previewed_before_it_is_made() {
    let terminal = Terminal::new();
    terminal.types(&BEGIN);
    // The board's Move button, the first piece, its first square, and then "Play it".
    let said = terminal.types(&["/as ann", "/board", "1", "1", "1"]);
    assert!(said.contains("Nothing is played yet."), "{said}");
    assert!(!terminal.types(&["/as ann", "/history"]).contains("After move 1"));
    let said = terminal.types(&["/as ann", "/board", "1", "1", "1", "1"]);
    assert!(said.contains("ann played "), "{said}");
}

#[test]
fn lines_that_are_not_understood_are_explained_and_fail_the_command() {
    let terminal = Terminal::new();
    let lines = "/nonsense\nhello\n/challenge variant:chess\n/move\n7\n/as\n/games player:nobody\n/board colour:red\n";
    let output = terminal.run(&[], lines);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said.lines().count(), 8, "{said}");
    for part in [
        "no /nonsense",
        "begin with a slash",
        "brandubh",
        "needs `move`, such as `/move d1-d4`",
        "nothing to press",
        "/as ivar",
        "Nobody called `nobody`",
        "no option `colour`",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn a_line_that_is_not_text_is_explained_and_not_run() {
    let terminal = Terminal::new();
    terminal.types(&BEGIN);
    let output = terminal.run(&[], *b"/as bj\xf6rn\n/move d2-c2\n");
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(1), 0), "{said}");
    assert!(said.starts_with("That line is not text that I can read"), "{said}");
    assert!(said.contains("ann played d2-c2"), "{said}");
}

/// Reads what a program prints until this appears.
#[cfg(target_os = "linux")]
fn read_until(out: &mut impl std::io::Read, expected: &str) {
    let mut read = Vec::new();
    while !String::from_utf8_lossy(&read).contains(expected) {
        let mut byte = [0];
        assert_eq!(out.read(&mut byte).unwrap(), 1, "no {expected:?}: {}", String::from_utf8_lossy(&read));
        read.extend(byte);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_typed_line_that_is_not_text_does_not_end_the_terminal() {
    let terminal = Terminal::new();
    let mut script = Command::new("script");
    script.args(["-qec", &format!("'{}' terminal", env!("CARGO_BIN_EXE_ratatosk")), "/dev/null"]);
    script.env("RATATOSK_DATABASE", terminal.path("table.db")).env("TERM", "xterm").env_remove("DISCORD_TOKEN");
    let Ok(mut script) = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() else {
        println!("skipped: there is no `script` here, which provides a terminal");
        return;
    };
    let (mut typed, mut out) = (script.stdin.take().unwrap(), script.stdout.take().unwrap());
    let steps: [(&[u8], &str); 3] = [
        (b"", "ann> "),
        (b"/as bj\xf6rn\r/help\r", "If you pasted more lines after it, paste those again, too."),
        (b"/games\r", "You have no running game here."),
    ];
    for (bytes, answer) in steps {
        typed.write_all(bytes).unwrap();
        read_until(&mut out, answer);
    }
    typed.write_all(b"/quit\r").unwrap();
    std::io::copy(&mut out, &mut std::io::sink()).unwrap();
    assert_eq!(script.wait().unwrap().code(), Some(0));
}

#[test]
fn control_characters_are_not_repeated() {
    let output = Terminal::new().run(&[], "\x1b[2Jhello\n/as \x1b[2J\n/\x07bell\n/board \x1b]0;x:1\n");
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said.lines().count(), 4, "{said:?}");
    assert!(said.chars().all(|letter| letter == '\n' || !letter.is_control()), "{said:?}");
}

#[test]
fn refused_commands_change_nothing() {
    let terminal = Terminal::new();
    terminal.types(&BEGIN);
    let said = terminal.types(&[
        "/as ann",
        "/move d1-d9",
        "/move d3-c3",
        "/move d2-c2xd3",
        "/move a1-b2",
        "/claim",
        "/rematch",
        "/takeback",
        "/as bo",
        "/move d3-c3",
        "/as eve",
        "/move d2-c2 game:1",
        "/resign game:1",
        "/draw game:1",
    ]);
    for part in [
        "a1 to g7",
        "belongs to your opponent",
        "takes nobody",
        "Nobody stands on a1",
        "It is your own turn",
        "Game #1 still goes on",
        "not made a move yet",
        "your opponent's turn",
        "You are not playing in this game",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(terminal.types(&["/as ann", "/move d2-c2"]).contains("ann played d2-c2"));
}

#[test]
fn a_move_that_fits_several_games_is_kept_for_the_chosen_one() {
    let terminal = Terminal::new();
    terminal.types(&BEGIN);
    terminal.types(&BEGIN_YORK);
    let said = terminal.types(&["/as ann", "/move d1-d2 game:2", "/move d2-c2"]);
    // Only one game is waiting for her.
    assert!(said.contains("Brandubh #1\nann played d2-c2"), "{said}");
    terminal.types(&["/as bo", "/move d3-e3 game:1", "/move f4-g4 game:2"]);
    let said = terminal.types(&["/as ann", "/move c2-c1", "1"]);
    assert!(said.contains("Which one do you mean with `c2-c1`?"), "{said}");
    assert!(said.contains("ann played c2-c1"), "{said}");
}

#[test]
fn a_third_occurrence_needs_confirmation() {
    let terminal = Terminal::new();
    terminal.types(&["/as ann", "/challenge opponent:bo variant:magpie layout:cross side:attackers", "/as bo", "1"]);
    let moves_there_and_back = ["/as ann", "/move d2-c2", "/as bo", "/move d3-c3", "/as ann", "/move c2-d2", "/as bo"];
    let mut lines: Vec<&str> = moves_there_and_back.to_vec();
    lines.push("/move c3-d3");
    let said = terminal.types(&lines);
    assert!(said.contains("This position has occurred twice."), "{said}");
    let said = terminal.types(&lines);
    assert!(said.contains("comes about for the 3rd time"), "{said}");
    assert!(said.contains("Play it all the same?") && !said.contains("drawn:"), "{said}");
    let said = terminal.types(&["/as bo", "/move c3-d3", "1"]);
    assert!(said.contains("The game is drawn between ann and bo: the position came about for the 3rd time."), "{said}");
}

#[test]
fn offers_are_made_answered_and_limited() {
    let terminal = Terminal::new();
    terminal.types(&BEGIN);
    terminal.types(&["/as ann", "/move d2-c2"]);
    assert!(
        terminal
            .types(&["/as ann", "/takeback"])
            .contains("ann would like to take the last move back; bo can grant it.")
    );
    assert!(terminal.types(&["/as bo", "/takeback"]).contains("one move was taken back"));
    terminal.types(&["/as ann", "/move d2-e2", "/draw"]);
    assert!(terminal.types(&["/as bo", "/move d3-c3"]).contains("bo has declined the draw."));
    assert!(terminal.types(&["/as ann", "/draw"]).contains("when both of you have moved"));
    assert!(
        terminal.types(&["/as ann", "/resign", "1"]).contains("bo wins with the king's side against ann: ann resigns.")
    );
    assert!(terminal.types(&["/as bo", "/rematch"]).contains("bo offers ann a rematch"));
    let said = terminal.types(&["/as ann", "/rematch", "/games"]);
    assert!(said.contains("bo has the attackers, ann has the king's side"), "{said}");
    assert!(said.contains("You have 1 running game"), "{said}");
}

#[test]
fn numbers_belong_to_the_last_answer_only() {
    let terminal = Terminal::new();
    terminal.types(&BEGIN);
    let output = terminal.run(&[], "/as ann\n/board\n/challenge opponent:ann variant:york\n2\n");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("nothing to press now") && !said.contains("offers a draw"), "{said}");
}

#[test]
fn an_offer_is_found_among_several_games() {
    let terminal = Terminal::new();
    terminal.types(&BEGIN);
    terminal.types(&BEGIN_YORK);
    terminal.types(&["/as ann", "/move d2-c2 game:1", "/draw game:2"]);
    assert!(
        terminal.types(&["/as bo", "/draw"]).contains("York #2\nThe game is drawn between ann and bo: both agreed.")
    );
}

#[test]
fn a_player_who_has_typed_can_be_named() {
    let terminal = Terminal::new();
    let said = terminal.types(&["/as ivar", "/as anna", "/block ivar", "/games ivar"]);
    assert!(said.contains("ivar can no longer challenge you"), "{said}");
}

#[test]
fn only_one_terminal_at_a_time_can_open_the_database() {
    let terminal = Terminal::new();
    terminal.types(&BEGIN);
    let mut first = terminal.command(&[]).spawn().unwrap();
    // Its first answer means that the database is open.
    let mut pipe = first.stdin.take().unwrap();
    pipe.write_all(b"/help\n").unwrap();
    std::io::Read::read_exact(first.stdout.as_mut().unwrap(), &mut [0; 10]).unwrap();
    let second = terminal.run(&[], "/games\n");
    assert_eq!(second.status.code(), Some(75));
    assert!(String::from_utf8_lossy(&second.stderr).contains("another ratatosk has this database open"));
    // Read-only commands work beside it.
    let copy = terminal.path("copy.db");
    assert!(terminal.run(&["backup", copy.to_str().unwrap()], "").status.success());
    assert!(terminal.prints(&["check"]).contains("no errors"));
    assert!(terminal.prints(&["export"]).contains("[variant:Brandubh]"));
    assert!(!terminal.run(&["backup", copy.to_str().unwrap()], "").status.success(), "a backup was overwritten");
    drop(pipe);
    assert!(first.wait().unwrap().success());
}

#[test]
fn a_file_that_is_not_a_database_is_left_unchanged() {
    let terminal = Terminal::new();
    let file = terminal.path("table.db");
    fs::write(&file, "dear diary ".repeat(1000)).unwrap();
    let output = terminal.run(&[], "/games\n");
    assert_eq!(output.status.code(), Some(74));
    assert!(!output.stderr.is_empty());
    assert!(fs::read_to_string(&file).unwrap().starts_with("dear diary"));
    assert_eq!(terminal.run(&["check", "--database", "/nowhere/at/all.db"], "").status.code(), Some(74));
}

#[test]
fn the_history_of_a_new_game_is_empty() {
    let terminal = Terminal::new();
    terminal.types(&BEGIN);
    let said = terminal.types(&["/as ann", "/history"]);
    assert!(said.contains("Nobody has moved yet.") && !said.contains("0 moves"), "{said}");
}

#[test]
fn an_export_without_games_fails() {
    let terminal = Terminal::new();
    terminal.types(&BEGIN);
    for (asked, said) in [
        (["export", "--player", "77"], "player 77 has no games here"),
        (["export", "--game", "9"], "there is no game #9"),
    ] {
        let output = terminal.run(&asked, "");
        assert_eq!(output.status.code(), Some(1), "{asked:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), format!("ratatosk: {said}\n"));
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn the_list_of_games_mentions_challenges_to_answer() {
    let terminal = Terminal::new();
    terminal.types(&["/as ann", "/challenge york opponent:bo"]);
    assert!(
        terminal.types(&["/as bo", "/games"]).contains("A challenge waits for your answer: `/challenges` shows it.")
    );
    assert!(!terminal.types(&["/as ann", "/games"]).contains("waits for your answer"));
}

#[test]
fn a_new_offer_is_mentioned_once() {
    let terminal = Terminal::new();
    terminal.types(&BEGIN);
    let said = terminal.types(&["/as ann", "/draw"]);
    assert!(said.contains("ann offers a draw to bo.") && !said.contains("ann offers a draw."), "{said}");
    assert!(terminal.types(&["/as bo", "/board"]).contains("ann offers a draw."));
}

#[test]
fn the_reason_of_end_game_is_shown_as_it_was_typed() {
    let terminal = Terminal::new();
    terminal.types(&BEGIN);
    for empty in
        ["/end-game 1", "/end-game 1 reason:", "/end-game 1 reason: \t ", "/end-game 1 reason:\u{200b} \u{202e}"]
    {
        let output = terminal.run(&[], format!("{empty}\n"));
        assert_eq!(output.status.code(), Some(1), "{empty}");
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(said, "/end-game needs `reason`, such as `/end-game 42 reason:…`.\n", "{empty}");
    }
    for (line, answer) in [
        (
            "/end-game reason:both left game:1",
            "All that follows `reason:` belongs to it, so write `game` before it, such as `/end-game 42 reason:…`.\n",
        ),
        (
            "/end-game 1 because he game:9 left",
            "If `because he game:9 left` is the `reason`, write its name before it: \
             `/end-game 1 reason:because he game:9 left`.\n",
        ),
        (
            "/end-game he left",
            "If `he left` is the `reason`, write its name before it: `/end-game 42 reason:he left`.\n",
        ),
    ] {
        let output = terminal.run(&[], format!("{line}\n"));
        assert_eq!(output.status.code(), Some(1), "{line}");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), answer, "{line}");
    }
    // The longest reason has 200 characters, and a longer one is refused, not shortened.
    let output = terminal.run(&[], format!("/end-game 1 reason:{}\n", "ä".repeat(201)));
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("`reason` is too long"));
    let reason = "Ivar LEFT  the\tclub. Note: he said so HIMSELF, in game:7 reason: none";
    // What is invisible or changes the direction of the text is not printed.
    let said = terminal.types(&["/as ann", &format!("/end-game 1 reason: \u{202e}{reason}\u{200b} ")]);
    assert!(said.contains(&format!("The reason: {reason}\n")), "{said}");
}

#[test]
fn an_unreadable_game_does_not_stop_the_others() {
    let terminal = Terminal::new();
    terminal.types(&BEGIN);
    terminal.types(&BEGIN_YORK);
    // The last post of each game is to be shown again, and game 1 cannot be read.
    terminal.sql(|db| {
        db.execute_batch(
            "UPDATE outbox SET closed = NULL WHERE game IS NOT NULL; UPDATE games SET variant = 'chess' WHERE id = 1",
        )
    });
    for _ in 0..2 {
        // The exit code is the same whether a message or a command finds the game.
        let output = terminal.run(&[], "/as ann\n/board game:2\n");
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("A message about game #1 cannot be shown: "), "{said}");
        assert!(said.contains("York #2"), "{said}");
    }
    let output = terminal.run(&[], "/as ann\n/board game:1\n/move d1-d2 game:2\n");
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "the first command failed: {said}");
    assert!(said.contains("Game #1 cannot be read: ") && said.contains("ann played d1-d2"), "{said}");
}

#[test]
fn an_unreadable_message_does_not_stop_the_others() {
    let terminal = Terminal::new();
    terminal.types(&BEGIN);
    terminal.types(&BEGIN_YORK);
    terminal.sql(|db| {
        db.execute_batch(
            "UPDATE outbox SET closed = NULL WHERE game IS NOT NULL; UPDATE outbox SET body = '{}' WHERE game = 1",
        )
    });
    let output = terminal.run(&[], "/as ann\n/move d2-c2 game:1\n");
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("Message ") && said.contains(" about game #1 cannot be read, and is given up"), "{said}");
    assert!(said.contains("York #2") && said.contains("ann played d2-c2"), "{said}");
    let output = terminal.run(&[], "/as ann\n/games\n");
    assert_eq!(output.status.code(), Some(0), "it is reported once: {output:?}");
}

#[test]
fn a_script_whose_output_is_closed_fails() {
    let terminal = Terminal::new();
    let mut program = terminal.command(&[]).spawn().unwrap();
    drop(program.stdout.take());
    // The program may end before it has read all of it.
    let _ = program.stdin.take().unwrap().write_all("/help\n".repeat(1000).as_bytes());
    let output = program.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(1), ""));
}

#[cfg(target_os = "linux")]
#[test]
fn a_deleted_database_is_noticed_before_the_next_command() {
    let terminal = Terminal::new();
    terminal.types(&BEGIN);
    let mut program = terminal.command(&[]).spawn().unwrap();
    let (mut typed, mut out) = (program.stdin.take().unwrap(), program.stdout.take().unwrap());
    typed.write_all(b"/as ann\n/move d2-c2\n").unwrap();
    read_until(&mut out, "ann played d2-c2");
    fs::remove_file(terminal.path("table.db")).unwrap();
    typed.write_all(b"/as ann\n/history\n").unwrap();
    read_until(&mut out, "`/history` still saves the record of a game");
    read_until(&mut out, "Record: ");
    drop(typed);
    std::io::copy(&mut out, &mut std::io::sink()).unwrap();
    let output = program.wait_with_output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(74), "{error}");
    assert!(error.contains("table.db was deleted or replaced"), "{error}");
    assert!(fs::read_to_string(terminal.path("ratatosk-1.txt")).unwrap().contains("d2-c2"));
}
