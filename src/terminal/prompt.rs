//! Reads lines: with history and completion from a terminal, as they are from a pipe.

use super::PLACE;
use super::output::TerminalStyle;
use super::parse::{LineError, find_or_add_person, options};
use crate::app::autocomplete::FocusedOption;
use crate::app::{App, Person};
use crate::commands::{COMMANDS, CommandSpec, OptionKind, OptionSpec};
use crate::game::GameId;
use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};
use std::io::{self, BufRead, IsTerminal};
use std::sync::Arc;

/// Where lines come from.
pub(super) enum Input {
    /// A person at a terminal.
    Typed(Box<Editor<CommandCompleter, MemHistory>>),
    /// A file or another program.
    Piped,
}

impl Input {
    /// Reads from the terminal, or from standard input if there is no terminal.
    pub(super) fn open(app: Arc<App>) -> Self {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Self::Piped;
        }
        // Each line of a pasted text is run as if it had been typed.
        let config = Config::builder().bracketed_paste(false);
        // Shows all completions at once, with their labels.
        let config = config.completion_type(CompletionType::List).completion_show_all_if_ambiguous(true).build();
        let Ok(mut editor) = Editor::with_history(config, MemHistory::new()) else {
            return Self::Piped;
        };
        editor.set_helper(Some(CommandCompleter { app, player: String::new() }));
        Self::Typed(Box::new(editor))
    }

    pub(super) const fn is_interactive(&self) -> bool {
        matches!(self, Self::Typed(_))
    }

    /// Waits for the next line. Returns `None` at the end of the input, and [`LineError::NotText`] for a line that is
    /// not UTF-8.
    pub(super) fn next_line(&mut self, player: &str) -> io::Result<Option<Result<String, LineError>>> {
        let editor = match self {
            Self::Piped => {
                let mut line = Vec::new();
                let read = io::stdin().lock().read_until(b'\n', &mut line)?;
                return Ok(
                    (read > 0).then(|| String::from_utf8(line).map_err(|_| LineError::NotText { rest_is_lost: false }))
                );
            }
            Self::Typed(editor) => editor,
        };
        if let Some(hints) = editor.helper_mut() {
            player.clone_into(&mut hints.player);
        }
        match editor.readline(&format!("{player}> ")) {
            Ok(line) => {
                // Fails only if the history cannot grow, and the line counts anyway.
                let _ = editor.add_history_entry(line.as_str());
                Ok(Some(Ok(line)))
            }
            Err(ReadlineError::Eof) => Ok(None),
            // Ctrl-C clears the line and does not close the terminal.
            Err(ReadlineError::Interrupted) => Ok(Some(Ok(String::new()))),
            Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
                // The editor drops what it has read ahead, and gives no access to it.
                Ok(Some(Err(LineError::NotText { rest_is_lost: true })))
            }
            Err(ReadlineError::Io(error)) => Err(error),
            Err(other) => Err(io::Error::other(other.to_string())),
        }
    }
}

/// Completes commands, options and their values.
pub(super) struct CommandCompleter {
    app: Arc<App>,
    player: String,
}

impl Helper for CommandCompleter {}
impl Highlighter for CommandCompleter {}
impl Validator for CommandCompleter {}

impl Hinter for CommandCompleter {
    type Hint = String;
}

impl Completer for CommandCompleter {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = line.get(..at).unwrap_or(line);
        // A completion that fails offers nothing; the command itself will say what is wrong.
        Ok(self.suggest(typed).unwrap_or((at, Vec::new())))
    }
}

impl CommandCompleter {
    /// Returns where the completed text begins, and what it can be.
    fn suggest(&self, typed: &str) -> Option<(usize, Vec<Pair>)> {
        let command = typed.strip_prefix('/')?;
        let Some((name, rest)) = command.split_once(' ') else {
            let names = COMMANDS.iter().map(|known| known.name).chain(["as", "quit"]);
            let fitting = names.filter(|name| name.starts_with(command));
            return Some((1, fitting.map(|name| pair(format!("/{name}"), format!("{name} "))).collect()));
        };
        let rest_at = typed.len() - rest.len();
        if name == "as" {
            // A name may have several words.
            return Some((rest_at, self.names(rest)));
        }
        let command = CommandSpec::find(name)?;
        let word_at = rest.rfind(' ').map_or(0, |space| space + 1);
        let (before, word) = rest.split_at(word_at);
        // The options before the word are parsed as they will be when the command is run.
        let given = options(command, before.trim());
        let in_free_text = given.last().and_then(|(name, _)| command.option(name));
        if in_free_text.is_some_and(|option| option.kind == OptionKind::FreeText) {
            return None;
        }
        let free = command.options.iter().filter(|option| given_value(&given, option.name).is_none());
        let free = free.map(|option| format!("{}:", option.name));
        let (option, value) = match word.split_once(':') {
            Some((option, value)) => (command.option(option)?, value),
            // The first word may be the first option, without its name.
            None if given.is_empty() => (command.options.first()?, word),
            None => {
                let fitting = free.filter(|name| name.starts_with(word));
                return Some((rest_at + word_at, fitting.map(|name| pair(name.clone(), name)).collect()));
            }
        };
        let fitting = free.filter(|name| !word.is_empty() && !word.contains(':') && name.starts_with(word));
        let mut suggestions: Vec<Pair> = fitting.map(|name| pair(name.clone(), name)).collect();
        suggestions.extend(self.values(command, option, value, &given)?);
        Some((typed.len() - value.len(), suggestions))
    }

    /// Suggests values of an option.
    fn values(
        &self,
        command: &CommandSpec,
        option: &OptionSpec,
        value: &str,
        given: &[(String, String)],
    ) -> Option<Vec<Pair>> {
        let person = find_or_add_person(self.app.store(), &self.player).ok()?;
        if option.kind == OptionKind::Player {
            return Some(match command.name {
                "unblock" => self.blocked(&person, value),
                // Nobody challenges or blocks themselves.
                "challenge" | "block" => {
                    self.names(value).into_iter().filter(|it| it.replacement != person.name).collect()
                }
                _ => self.names(value),
            });
        }
        let focused = FocusedOption {
            person: &person,
            place: PLACE,
            kind: option.kind,
            typed: value,
            game: given_value(given, "game").and_then(GameId::parse),
            variant: given_value(given, "variant"),
        };
        let suggestions = self.app.autocomplete(&focused, &TerminalStyle { colours: false }).ok()?;
        Some(suggestions.into_iter().map(|it| pair(it.label, it.value)).collect())
    }

    /// Suggests the names of players.
    fn names(&self, beginning: &str) -> Vec<Pair> {
        let names =
            self.app.store().session().and_then(|session| session.names_beginning(beginning, 25)).unwrap_or_default();
        names.into_iter().map(|name| pair(name.clone(), name)).collect()
    }

    /// Suggests the names of the players whom a player has blocked.
    fn blocked(&self, by: &Person, beginning: &str) -> Vec<Pair> {
        let store = self.app.store();
        let names =
            store.session().and_then(|session| session.names_of(&session.blocked_by(by.id)?)).unwrap_or_default();
        let mut names: Vec<String> = names.into_values().collect();
        names.retain(|name| name.to_lowercase().starts_with(&beginning.to_lowercase()));
        names.sort();
        names.into_iter().map(|name| pair(name.clone(), name)).collect()
    }
}

const fn pair(display: String, replacement: String) -> Pair {
    Pair { display, replacement }
}

fn given_value<'g>(given: &'g [(String, String)], name: &str) -> Option<&'g str> {
    given.iter().find(|(option, _)| option == name).map(|(_, value)| value.as_str())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::game::Timestamp;
    use crate::store::Store;

    /// Returns what ann is offered after each of these lines. She knows bo, and has blocked cleo.
    fn offered(name: &str, typed: &[&str]) -> Vec<Vec<String>> {
        let folder = std::env::temp_dir().join(format!("ratatosk-prompt-{}-{name}", std::process::id()));
        let store = Store::open(&folder.join("table.db")).unwrap();
        let [ann, _, cleo] = ["ann", "bo", "cleo"].map(|name| store.find_or_add_player(name).unwrap());
        store.block(ann, cleo, Timestamp(0)).unwrap();
        let app = Arc::new(App::new(store.clone(), || Timestamp(0), || true));
        let hints = CommandCompleter { app, player: String::from("ann") };
        let complete = |typed: &&str| {
            let (_, pairs) = hints.suggest(typed).unwrap_or_default();
            pairs.into_iter().map(|pair| pair.replacement).collect()
        };
        let offered = typed.iter().map(complete).collect();
        store.close().unwrap();
        std::fs::remove_dir_all(folder).unwrap();
        offered
    }

    #[test]
    fn completion_does_not_offer_an_option_twice() {
        let beginnings = [
            "/challenge brandubh opponent:bo ",
            "/challenge opponent:bo brandubh ",
            "/challenge opponent:bo variant:brandubh ",
        ];
        for options in offered("options", &beginnings) {
            assert_eq!(options, ["layout:", "side:", "pace:"]);
        }
        let [layouts, options] =
            offered("layouts", &["/challenge magpie layout:", "/challenge magpie l"]).try_into().unwrap();
        assert_eq!(layouts, ["circle", "cross", "line"]);
        assert_eq!(options, ["layout:"]);
        let [empty, free_text] =
            offered("free-text", &["/end-game reason:", "/end-game reason:both left "]).try_into().unwrap();
        assert!(empty.is_empty() && free_text.is_empty(), "{empty:?}, {free_text:?}");
    }

    #[test]
    fn completion_offers_only_valid_players() {
        let [block, unblock, challenge, games] =
            offered("people", &["/block ", "/unblock ", "/challenge york opponent:", "/games player:"])
                .try_into()
                .unwrap();
        assert_eq!(block, ["bo", "cleo"]);
        assert_eq!(unblock, ["cleo"]);
        assert_eq!(challenge, ["bo", "cleo"]);
        assert_eq!(games, ["ann", "bo", "cleo"]);
    }
}
