//! What people get to see: text, a board, buttons, and whom it calls.

use crate::board_view::BoardView;
use crate::commands::command::Command;
use crate::game::PlayerId;
use crate::store::OutboxId;

/// An answer, or a post that nobody asked for.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// For whom it is.
    pub audience: Audience,
    /// What is said.
    pub text: String,
    /// The board.
    pub board: Option<Box<BoardView>>,
    /// Whether the board is shown as text.
    pub board_as_text: bool,
    /// What can be pressed.
    pub buttons: Vec<Button>,
    /// What can be chosen.
    pub menu: Option<Menu>,
    /// Who is called; nobody else ever is.
    pub call: Vec<PlayerId>,
    /// A file that goes with it.
    pub file: Option<File>,
    /// The owed message that is settled once this has been delivered.
    pub owed: Option<OutboxId>,
    /// The owed messages that this is not, because they belong somewhere else: they are to be posted there at once.
    pub elsewhere: Vec<OutboxId>,
}

/// For whom an answer is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Audience {
    /// The one who asked.
    #[default]
    Private,
    /// Everybody in the game's place.
    Public,
}

/// Something that can be pressed.
#[derive(Clone, Debug)]
pub struct Button {
    /// What it says.
    pub label: &'static str,
    /// What it does.
    pub command: Command,
    /// How it looks.
    pub style: Style,
}

/// How a button looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// What one most likely wants.
    Main,
    /// Something else.
    Plain,
    /// Something that cannot be undone.
    Danger,
}

/// A list to choose from.
#[derive(Clone, Debug)]
pub struct Menu {
    /// What is asked.
    pub prompt: String,
    /// IncomingKind can be chosen; at most [`Menu::MOST`].
    pub items: Vec<Item>,
}

impl Menu {
    /// How many things can be chosen from.
    pub const MOST: usize = 25;

    /// Makes a menu; what there is no room for is left out.
    #[must_use]
    pub fn new(prompt: &str, items: impl IntoIterator<Item = Item>) -> Self {
        Self { prompt: prompt.to_owned(), items: items.into_iter().take(Self::MOST).collect() }
    }
}

/// Something that can be chosen.
#[derive(Clone, Debug)]
pub struct Item {
    /// What it says.
    pub label: String,
    /// What more there is to say.
    pub detail: String,
    /// What it does.
    pub command: Command,
}

/// A file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// What it is called.
    pub name: String,
    /// What is in it.
    pub text: String,
}

impl Reply {
    /// Says something to the one who asked.
    #[must_use]
    pub fn private(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Says something to everybody.
    #[must_use]
    pub fn public(text: impl Into<String>) -> Self {
        Self { audience: Audience::Public, text: text.into(), ..Self::default() }
    }

    /// Turns what everybody would read into an answer for the one who asked: it calls nobody and has no buttons.
    #[must_use]
    pub fn for_one_player(mut self) -> Self {
        self.audience = Audience::Private;
        self.call.clear();
        self.buttons.clear();
        self
    }

    /// Adds a button.
    #[must_use]
    pub fn button(mut self, label: &'static str, style: Style, command: Command) -> Self {
        self.buttons.push(Button { label, command, style });
        self
    }

    /// Adds a board.
    #[must_use]
    pub fn board(mut self, view: BoardView) -> Self {
        self.board = Some(Box::new(view));
        self
    }

    /// Adds a menu.
    #[must_use]
    pub fn menu(mut self, menu: Menu) -> Self {
        self.menu = Some(menu);
        self
    }
}
