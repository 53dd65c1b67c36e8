//! The bot at a terminal, without Discord: the same commands, the same store, the same pictures.
//!
//! | question | file |
//! |---|---|
//! | What does a line mean? | [`parse`] |
//! | How is a line read and completed? | `prompt` |
//! | What does an answer look like? | `output` |
//! | How are pictures and records written? | `files` |

mod files;
mod output;
pub mod parse;
mod prompt;

use crate::app::{App, Command, Content, Reply, Request};
use crate::board_view::BoardView;
use crate::game::{BotPermissions, ChannelId, Place, PlayerId, ServerId, Timestamp};
use crate::render::Renderer;
use crate::store::{Delivery, OutboxId, Store, StoreError};
use output::TerminalStyle;
pub(crate) use output::colours_wanted;
use parse::{LineError, ParsedLine};
use prompt::Input;
use std::collections::HashSet;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The place of every game at the terminal.
pub const PLACE: Place = Place { server: Some(ServerId(0)), channel: ChannelId(0), thread: None };

/// The player who has the terminal when it is opened.
const FIRST_PLAYER: &str = "ann";

/// How many outbox messages are read at once.
const OUTBOX_BATCH: usize = 20;

/// Why the terminal was closed early.
#[derive(Debug)]
pub enum TerminalError {
    /// The database cannot be read or written.
    Store(StoreError),
    /// The terminal cannot be read or written.
    Io(io::Error),
}

impl fmt::Display for TerminalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => error.fmt(f),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TerminalError {}

impl From<StoreError> for TerminalError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<io::Error> for TerminalError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// An open terminal.
struct Terminal<'t> {
    app: Arc<App>,
    renderer: Renderer,
    style: TerminalStyle,
    /// The folder for pictures and records.
    folder: PathBuf,
    /// The name of the player who types.
    player: String,
    /// The commands that the numbers below the last answer stand for.
    numbered: Vec<Command>,
    /// Outbox messages whose game or challenge cannot be read. They stay in the outbox, and each is reported once.
    unreadable: HashSet<OutboxId>,
    /// Whether a line was not understood or not done, or something that is stored cannot be read.
    failed: bool,
    database: PathBuf,
    /// Whether the database was deleted or replaced while it was open.
    database_gone: bool,
    out: &'t mut dyn Write,
}

/// Opens the terminal and runs commands until the input ends. Returns whether every line was understood and done.
/// Only a script needs that: an interactive user has already seen the errors.
///
/// # Errors
///
/// Returns an error if the database cannot be opened, read or written, or if the output cannot be written.
pub fn open(
    database: &Path,
    now: impl Fn() -> Timestamp + Send + Sync + 'static,
    coin_toss: impl Fn() -> bool + Send + Sync + 'static,
) -> Result<bool, TerminalError> {
    let store = Store::open(database)?;
    for index in store.recreated() {
        eprintln!("{index} was missing and was made again");
    }
    if let Some(migration) = store.migration() {
        eprintln!("{migration}");
    }
    let app = Arc::new(App::new(store.clone(), now, coin_toss));
    let mut input = Input::open(Arc::clone(&app));
    let interactive = input.is_interactive();
    let mut out = io::stdout().lock();
    let mut terminal = Terminal {
        style: TerminalStyle::detect(),
        renderer: Renderer::new(),
        folder: database.parent().unwrap_or_else(|| Path::new(".")).to_path_buf(),
        player: FIRST_PLAYER.to_owned(),
        numbered: Vec::new(),
        unreadable: HashSet::new(),
        failed: false,
        database: database.to_owned(),
        database_gone: false,
        out: &mut out,
        app,
    };
    if interactive {
        writeln!(terminal.out, "{}", output::WELCOME)?;
    }
    terminal.run_lines(&mut input).map_err(|error| match error {
        TerminalError::Store(error) => TerminalError::Store(store.explain(error)),
        other => other,
    })?;
    let (failed, is_gone) = (terminal.failed, terminal.database_gone);
    drop(terminal);
    drop(input);
    let closed = store.close();
    if is_gone {
        let problem = format!("{} was deleted or replaced while it was open", database.display());
        return Err(StoreError::Io(problem).into());
    }
    closed?;
    Ok(!failed || interactive)
}

/// What a line led to.
enum LineOutcome {
    Done,
    /// It was not understood, or something that it asked for failed.
    Failed,
    Quit,
}

impl Terminal<'_> {
    /// Runs commands until the input ends.
    fn run_lines(&mut self, input: &mut Input) -> Result<(), TerminalError> {
        // No grace period: players at one terminal see their deadlines whenever they look.
        let grace_ends = self.app.now();
        let opened = files::identity(&self.database);
        loop {
            self.app.handle_due(grace_ends)?;
            self.show_outbox()?;
            let Some(line) = input.next_line(&self.player)? else { return Ok(()) };
            if !self.database_gone && files::identity(&self.database) != opened {
                self.database_gone = true;
                writeln!(self.out, "{}", output::database_gone(&self.database))?;
            }
            match self.run_input(line)? {
                LineOutcome::Done => {}
                LineOutcome::Failed => self.failed = true,
                LineOutcome::Quit => return Ok(()),
            }
        }
    }

    /// Runs a line, or says why it cannot be read.
    fn run_input(&mut self, line: Result<String, LineError>) -> Result<LineOutcome, TerminalError> {
        let outcome = match line {
            Ok(line) => self.run_line(&line),
            Err(error) => self.explain(&error),
        };
        // The terminal goes on, so that other games can be played.
        if let Err(TerminalError::Store(StoreError::BadRow(bad))) = &outcome {
            writeln!(self.out, "{}", output::unreadable_row(bad))?;
            return Ok(LineOutcome::Failed);
        }
        outcome
    }

    fn run_line(&mut self, line: &str) -> Result<LineOutcome, TerminalError> {
        let command = match parse::parse_line(line, self.app.store())? {
            Ok(ParsedLine::Empty) => return Ok(LineOutcome::Done),
            Ok(ParsedLine::Quit) => return Ok(LineOutcome::Quit),
            Ok(ParsedLine::SwitchPlayer(name)) => {
                self.switch_player(&name)?;
                return Ok(LineOutcome::Done);
            }
            Ok(ParsedLine::Press(number)) => match number.checked_sub(1).and_then(|n| self.numbered.get(n)) {
                Some(command) => command.clone(),
                None => return self.explain(&LineError::NoSuchNumber { number, count: self.numbered.len() }),
            },
            Ok(ParsedLine::Command(command)) => *command,
            Err(error) => return self.explain(&error),
        };
        self.run_command(command)
    }

    fn run_command(&mut self, command: Command) -> Result<LineOutcome, TerminalError> {
        let person = parse::find_or_add_person(self.app.store(), &self.player)?;
        let is_help = matches!(command, Command::Help);
        let request = Request { id: None, person, place: PLACE, permissions: BotPermissions::ALL, command };
        let reply = self.app.handle(&request, &self.style)?;
        let outcome = self.answer(&reply)?;
        if is_help {
            writeln!(self.out, "{}", output::TERMINAL_HELP)?;
        }
        Ok(outcome)
    }

    fn switch_player(&mut self, name: &str) -> Result<(), TerminalError> {
        let known = self.app.store().session()?.find_player(name)?.is_some();
        writeln!(self.out, "{}", output::switched_player(name, known))?;
        // Adds the player if the name is new, so that others can name them from now on.
        self.player = parse::find_or_add_person(self.app.store(), name)?.name;
        Ok(())
    }

    fn explain(&mut self, error: &LineError) -> Result<LineOutcome, TerminalError> {
        writeln!(self.out, "{error}")?;
        Ok(LineOutcome::Failed)
    }

    /// Shows the messages in the outbox: those of deadlines, and those of a terminal that ended before it showed them.
    fn show_outbox(&mut self) -> Result<(), TerminalError> {
        loop {
            let limit = u32::try_from(OUTBOX_BATCH + self.unreadable.len()).unwrap_or(u32::MAX);
            let found = self.app.store().session()?.due_messages(self.app.now(), limit)?;
            if found.unreadable > 0 {
                self.give_up_unreadable_messages()?;
                continue;
            }
            let mut messages = found.rows;
            messages.retain(|message| !self.unreadable.contains(&message.id));
            if messages.is_empty() {
                return Ok(());
            }
            for message in messages {
                match self.app.post(&message, &self.style) {
                    Ok(post) => {
                        post.map_or(Ok(()), |post| self.print(&post.content, &post.ping))?;
                        self.settle(message.id)?;
                    }
                    Err(error @ StoreError::BadRow(_)) => {
                        writeln!(self.out, "{}", output::unreadable_message(&message, &error))?;
                        self.unreadable.insert(message.id);
                        self.failed = true;
                    }
                    Err(error) => return Err(error.into()),
                }
            }
        }
    }

    /// Closes messages that cannot be read themselves: nobody could ever show them, and later ones wait behind them.
    fn give_up_unreadable_messages(&mut self) -> Result<(), TerminalError> {
        self.failed = true;
        let unreadable = self.app.store().session()?.unreadable_messages()?;
        for message in unreadable {
            writeln!(self.out, "{}", output::message_given_up(&message))?;
            self.app.store().give_up(message.id, "it cannot be read", self.app.now())?;
        }
        Ok(())
    }

    /// Shows the answer to a command, and numbers its buttons and menu items.
    fn answer(&mut self, reply: &Reply) -> Result<LineOutcome, TerminalError> {
        let content = reply.content();
        match reply {
            Reply::Answer(_) => self.print(content, &[])?,
            Reply::Post(post) => {
                self.print(content, &post.ping)?;
                post.pending.as_ref().map_or(Ok(()), |pending| self.settle(pending.id))?;
            }
        }
        let buttons = content.buttons.iter().map(|button| (button.label.to_owned(), &button.command));
        let items = content.menu.iter().flat_map(|menu| &menu.items).map(|item| {
            let detail = if item.detail.is_empty() { String::new() } else { format!(" ({})", item.detail) };
            (format!("{}{detail}", item.label), &item.command)
        });
        self.numbered.clear();
        if let Some(file) = &content.file {
            match files::write_new_file(&self.folder, &file.name, &file.text) {
                Ok(path) => writeln!(self.out, "Record: {}", path.display())?,
                Err(error) => {
                    // No buttons: nobody should be forgotten who does not have the file with their data.
                    writeln!(self.out, "{}", output::record_not_written(&error))?;
                    return Ok(LineOutcome::Failed);
                }
            }
        }
        for (label, command) in items.chain(buttons) {
            self.numbered.push(command.clone());
            writeln!(self.out, "  {} {label}", self.style.number(self.numbered.len()))?;
        }
        Ok(LineOutcome::Done)
    }

    /// Records that an outbox message was shown.
    fn settle(&self, message: OutboxId) -> Result<(), TerminalError> {
        let delivery = Delivery::WithoutButtons { post: None };
        Ok(self.app.store().settle(message, delivery, self.app.now())?)
    }

    /// Prints content without its buttons: numbers belong to the last answer only.
    fn print(&mut self, content: &Content, ping: &[PlayerId]) -> Result<(), TerminalError> {
        writeln!(self.out, "{}", content.text)?;
        if let Some(view) = &content.board {
            write!(self.out, "{}", self.style.board(view))?;
            if !content.board_as_text {
                // The board is printed as text, too, so that a game goes on without pictures.
                match self.write_picture(view) {
                    Ok(path) => writeln!(self.out, "Picture: {}", path.display())?,
                    Err(error) => writeln!(self.out, "There is no picture of this board: {error}.")?,
                }
            }
        }
        for player in ping {
            writeln!(self.out, "{}", output::notified(&self.app.name_of(*player)))?;
        }
        self.out.flush()?;
        Ok(())
    }

    /// Draws a board and writes the picture into the folder; returns its path.
    fn write_picture(&self, view: &BoardView) -> io::Result<PathBuf> {
        files::replace_file(&self.folder, "board.png", &self.renderer.png(view)?)
    }
}
