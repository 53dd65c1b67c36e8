//! How a line is typed: with history and completion at a terminal, as it comes from a pipe.

use super::PLACE;
use super::line::person;
use super::show::TerminalVoice;
use crate::app::App;
use crate::app::complete::Typing;
use crate::commands::{COMMANDS, Command, CommandOption, OptionKind};
use crate::game::GameId;
use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{Context, Editor, Helper};
use std::io::{self, BufRead, IsTerminal};
use std::sync::Arc;

/// Where lines come from.
pub(super) enum Input {
    /// Somebody types.
    Typed(Box<Editor<Hints, MemHistory>>),
    /// A file or another program.
    Piped,
}

/// What comes next.
pub(super) enum Next {
    Line(String),
    End,
}

impl Input {
    /// Opens the terminal, or the pipe if there is no terminal.
    pub(super) fn open(app: Arc<App>) -> Self {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Self::Piped;
        }
        // Pasted lines are lines: each is carried out as if it had been typed.
        let config = rustyline::Config::builder().bracketed_paste(false).build();
        let Ok(mut editor) = Editor::with_history(config, MemHistory::new()) else {
            return Self::Piped;
        };
        editor.set_helper(Some(Hints { app, player: String::new() }));
        Self::Typed(Box::new(editor))
    }

    pub(super) const fn is_interactive(&self) -> bool {
        matches!(self, Self::Typed(_))
    }

    /// Waits for the next line.
    pub(super) fn next(&mut self, player: &str) -> io::Result<Next> {
        let editor = match self {
            Self::Piped => {
                let mut line = Vec::new();
                let read = io::stdin().lock().read_until(b'\n', &mut line)?;
                let text = String::from_utf8_lossy(&line).into_owned();
                return Ok(if read == 0 { Next::End } else { Next::Line(text) });
            }
            Self::Typed(editor) => editor,
        };
        if let Some(hints) = editor.helper_mut() {
            player.clone_into(&mut hints.player);
        }
        match editor.readline(&format!("{player}> ")) {
            Ok(line) => {
                // A history that is full forgets its oldest line; nothing to tell.
                let _ = editor.add_history_entry(line.as_str());
                Ok(Next::Line(line))
            }
            Err(ReadlineError::Eof) => Ok(Next::End),
            // Gives up the line, not the table.
            Err(ReadlineError::Interrupted) => Ok(Next::Line(String::new())),
            Err(ReadlineError::Io(error)) => Err(error),
            Err(other) => Err(io::Error::other(other.to_string())),
        }
    }
}

/// Completes commands, options and what can be said for them.
pub(super) struct Hints {
    app: Arc<App>,
    player: String,
}

impl Helper for Hints {}
impl Highlighter for Hints {}
impl Validator for Hints {}

impl Hinter for Hints {
    type Hint = String;
}

impl Completer for Hints {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = line.get(..at).unwrap_or(line);
        // A completion that fails is none; the command itself will say what is wrong.
        Ok(self.suggest(typed).unwrap_or((at, Vec::new())))
    }
}

impl Hints {
    fn suggest(&self, typed: &str) -> Option<(usize, Vec<Pair>)> {
        let pair = |display: String, replacement: String| Pair { display, replacement };
        let command = typed.strip_prefix('/')?;
        let Some((name, rest)) = command.split_once(' ') else {
            let fitting = COMMANDS.iter().map(|known| known.name).chain(["as", "quit"]);
            let fitting = fitting.filter(|name| name.starts_with(command));
            return Some((1, fitting.map(|name| pair(format!("/{name}"), format!("{name} "))).collect()));
        };
        let word_at = typed.len() - rest.rsplit(' ').next().map_or(0, str::len);
        let word = &typed[word_at..];
        if name == "as" {
            // A name may have several words.
            return Some((typed.len() - rest.len(), self.names(rest)));
        }
        let command = Command::find(name)?;
        let before = rest[..rest.len() - word.len()].trim();
        let said = |wanted: &str| rest.split(' ').find_map(|part| part.strip_prefix(wanted)?.strip_prefix(':'));
        let free = |option: &&CommandOption| said(option.name).is_none();
        let options = command.options.iter().filter(free).map(|option| format!("{}:", option.name));
        let options = options.filter(|name| !word.is_empty() && name.starts_with(word));
        let mut names: Vec<Pair> = options.map(|name| pair(name.clone(), name)).collect();
        let (option, value) = match word.split_once(':') {
            Some((option, value)) => (command.option(option)?, value),
            // The first word may be the first option, without its name.
            None if before.is_empty() => (command.options.first()?, word),
            None if word.is_empty() => {
                let free = command.options.iter().filter(free).skip(usize::from(!before.contains(':')));
                let free = free.map(|option| format!("{}:", option.name));
                return Some((word_at, free.map(|name| pair(name.clone(), name)).collect()));
            }
            None => return Some((word_at, names)),
        };
        let start = typed.len() - value.len();
        if option.kind == OptionKind::Player {
            names.extend(self.names(value));
            return Some((start, names));
        }
        let person = person(self.app.store(), &self.player).ok()?;
        let typing = Typing {
            person: &person,
            place: PLACE,
            kind: option.kind,
            typed: value,
            game: said("game").and_then(|number| number.parse().ok()).map(GameId),
            variant: said("variant").or_else(|| rest.split(' ').next().filter(|word| !word.contains(':'))),
        };
        let voice = TerminalVoice::new(Arc::clone(&self.app), false);
        let suggestions = self.app.complete(&typing, &voice).ok()?;
        names.extend(suggestions.into_iter().map(|it| pair(it.label, it.value)));
        Some((start, names))
    }

    /// Suggests the names of people who have played here.
    fn names(&self, beginning: &str) -> Vec<Pair> {
        let names = self.app.store().names_beginning(beginning, 25).unwrap_or_default();
        names.into_iter().map(|name| Pair { display: name.clone(), replacement: name }).collect()
    }
}
