//! The local table: the same bot at a terminal, without Discord. The same commands, the same store, the same pictures.
//!
//! | question | file |
//! |---|---|
//! | What does a line mean? | [`parse`] |
//! | How does an answer look? | `output` |
//! | How is a line typed? | `prompt` |

mod output;
pub mod parse;
mod prompt;

use crate::app::{App, Command, Content, Post, Reply, Request};
use crate::game::{BotPermissions, Place, PlayerId, Timestamp};
use crate::render::Renderer;
use crate::store::{Delivery, Store, StoreError};
pub(crate) use output::colours_wanted;
use output::{Look, TerminalStyle};
use parse::{NotUnderstood, ParsedLine};
use prompt::{Input, Next};
use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The whole table is one place.
pub const PLACE: Place = Place { server: Some(0), channel: 0, thread: None };

/// Who sits down first.
const FIRST_PLAYER: &str = "ann";

/// Why the table was left.
#[derive(Debug)]
pub enum TerminalError {
    /// The games cannot be read or written.
    Store(StoreError),
    /// The terminal or a picture cannot be written.
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

/// The table: who sits there, and what was last shown.
struct Terminal<'t> {
    app: Arc<App>,
    renderer: Renderer,
    style: TerminalStyle,
    look: Look,
    /// Where pictures are put.
    pictures: PathBuf,
    player: String,
    /// What the numbers below the last answer do.
    numbered: Vec<Command>,
    out: &'t mut dyn Write,
}

/// Opens the table and plays until the input ends. Tells whether everything that was typed was understood.
pub fn open(
    database: &Path,
    now: impl Fn() -> Timestamp + Send + Sync + 'static,
    dice: impl Fn() -> bool + Send + Sync + 'static,
) -> Result<bool, TerminalError> {
    let store = Store::open(database)?;
    let app = Arc::new(App::new(store.clone(), now, dice));
    let mut input = Input::open(Arc::clone(&app));
    let interactive = input.is_interactive();
    let mut out = io::stdout().lock();
    let mut table = Terminal {
        style: TerminalStyle { colours: colours_wanted() },
        look: Look::here(),
        renderer: Renderer::new(),
        pictures: database.parent().unwrap_or_else(|| Path::new(".")).to_path_buf(),
        player: FIRST_PLAYER.to_owned(),
        numbered: Vec::new(),
        out: &mut out,
        app,
    };
    if interactive {
        writeln!(table.out, "{}", output::WELCOME)?;
    }
    // Nobody could have been told anything while the table was closed, and it is never open for long: no grace here.
    let grace_ends = table.app.now();
    let mut understood = true;
    loop {
        table.app.do_what_is_due(grace_ends)?;
        table.deliver()?;
        match input.next(&table.player)? {
            Next::ParsedLine(line) => match table.take(&line)? {
                Taken::Fine => {}
                Taken::NotUnderstood => understood = false,
                Taken::Quit => break,
            },
            Next::End => break,
        }
    }
    drop(table);
    drop(input);
    store.close()?;
    Ok(understood || interactive)
}

/// What became of a line.
enum Taken {
    Fine,
    NotUnderstood,
    Quit,
}

impl Terminal<'_> {
    fn take(&mut self, text: &str) -> Result<Taken, TerminalError> {
        let command = match parse::read(text, self.app.store())? {
            Ok(ParsedLine::Nothing) => return Ok(Taken::Fine),
            Ok(ParsedLine::Quit) => return Ok(Taken::Quit),
            Ok(ParsedLine::Sit(name)) => {
                let known = self.app.store().session()?.find_player(&name)?.is_some();
                writeln!(self.out, "{}", output::sits_down(&name, known))?;
                // From now on others can name him.
                self.player = parse::person(self.app.store(), &name)?.name;
                return Ok(Taken::Fine);
            }
            Ok(ParsedLine::Press(number)) => match number.checked_sub(1).and_then(|n| self.numbered.get(n)) {
                Some(command) => command.clone(),
                None => {
                    let why = NotUnderstood::NoSuchNumber { number, most: self.numbered.len() };
                    writeln!(self.out, "{why}")?;
                    return Ok(Taken::NotUnderstood);
                }
            },
            Ok(ParsedLine::Command(command)) => *command,
            Err(why) => {
                writeln!(self.out, "{why}")?;
                return Ok(Taken::NotUnderstood);
            }
        };
        let person = parse::person(self.app.store(), &self.player)?;
        let help = matches!(command, Command::Help);
        let request = Request { id: None, person, place: PLACE, permissions: BotPermissions::ALL, command };
        let reply = match self.app.handle(&request, &self.style) {
            Ok(reply) => reply,
            // One game that cannot be read must not keep people from the others.
            Err(error @ StoreError::BadRow(_)) => {
                writeln!(self.out, "This game cannot be read: {error}.")?;
                return Ok(Taken::NotUnderstood);
            }
            Err(error) => return Err(error.into()),
        };
        self.show(&reply)?;
        if help {
            writeln!(self.out, "{}", output::TABLE_HELP)?;
        }
        Ok(Taken::Fine)
    }

    /// Shows the messages that are owed, because something was due or the table was left in a hurry.
    fn deliver(&mut self) -> Result<(), TerminalError> {
        loop {
            let messages = self.app.store().session()?.due_messages(self.app.now(), 20)?;
            if messages.is_empty() {
                return Ok(());
            }
            for message in messages {
                match self.app.post(&message, &self.style) {
                    Ok(Some(post)) => self.tell(&post.content, &post.ping)?,
                    Ok(None) => {}
                    // One game that cannot be read must not keep people from the others.
                    Err(error @ StoreError::BadRow(_)) => writeln!(self.out, "This game cannot be read: {error}.")?,
                    Err(error) => return Err(error.into()),
                }
                let delivery = Delivery::WithoutButtons { message: None };
                self.app.store().settle(message.id, delivery, self.app.now())?;
            }
        }
    }

    /// Shows the answer to what was typed; from now on numbers press what is on it.
    fn show(&mut self, reply: &Reply) -> Result<(), TerminalError> {
        let ping = match reply {
            Reply::Post(post) => post.ping.as_slice(),
            Reply::Answer(_) => &[],
        };
        self.tell(reply.content(), ping)?;
        if let Reply::Post(Post { pending: Some(pending), .. }) = reply {
            let delivery = Delivery::WithoutButtons { message: None };
            self.app.store().settle(pending.id, delivery, self.app.now())?;
        }
        let content = reply.content();
        let buttons = content.buttons.iter().map(|button| (button.label.to_owned(), &button.command));
        let items = content.menu.iter().flat_map(|menu| &menu.items).map(|item| {
            let detail = if item.detail.is_empty() { String::new() } else { format!(" ({})", item.detail) };
            (format!("{}{detail}", item.label), &item.command)
        });
        self.numbered.clear();
        for (label, command) in items.chain(buttons) {
            self.numbered.push(command.clone());
            writeln!(self.out, "  {} {label}", self.look.number(self.numbered.len()))?;
        }
        Ok(())
    }

    /// Shows text and board. What nobody has asked for gets no numbers: they belong to the last answer.
    fn tell(&mut self, content: &Content, ping: &[PlayerId]) -> Result<(), TerminalError> {
        writeln!(self.out, "{}", content.text)?;
        if let Some(view) = &content.board {
            write!(self.out, "{}", self.look.board(view))?;
            if !content.board_as_text
                && let Ok(png) = self.renderer.png(view)
            {
                let path = self.pictures.join("board.png");
                std::fs::write(&path, png)?;
                writeln!(self.out, "Picture: {}", path.display())?;
            }
        }
        if let Some(file) = &content.file {
            let path = write_anew(&self.pictures, &file.name, &file.text)?;
            writeln!(self.out, "Record: {}", path.display())?;
        }
        for player in ping {
            writeln!(self.out, "{}", output::called(&self.app.name_of(*player)))?;
        }
        self.out.flush()?;
        Ok(())
    }
}

/// Writes a file for its owner alone, under another name if there is one already: it may be all that is left of a player.
fn write_anew(folder: &Path, name: &str, text: &str) -> io::Result<PathBuf> {
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, "txt"));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut path = folder.join(name);
    for number in 2.. {
        match options.open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                path = folder.join(format!("{stem}-{number}.{ending}"));
            }
            file => {
                file?.write_all(text.as_bytes())?;
                break;
            }
        }
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_file_is_its_owners_and_takes_no_place_of_another() {
        let folder = std::env::temp_dir().join(format!("ratatosk-anew-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let names = ["first", "second", "third"].map(|text| {
            let path = write_anew(&folder, "everything.txt", text).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o077, 0);
            }
            path.file_name().unwrap().to_owned()
        });
        assert_eq!(names, ["everything.txt", "everything-2.txt", "everything-3.txt"]);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
