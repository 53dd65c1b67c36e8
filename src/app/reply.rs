//! Replies: an answer to the player who asked, or a post for everybody.

use crate::board_view::BoardView;
use crate::commands::Command;
use crate::game::PlayerId;
use crate::store::PendingMessage;
use crate::text;

/// What a request leads to.
#[derive(Clone, Debug)]
pub enum Reply {
    /// An answer to the player who asked.
    Answer(Answer),
    /// A post in the game's place, which is also the answer.
    Post(Post),
}

/// What is shown, for any audience.
#[derive(Clone, Debug, Default)]
pub struct Content {
    pub text: String,
    pub board: Option<Box<BoardView>>,
    /// Whether the board is shown as text.
    pub board_as_text: bool,
    pub buttons: Vec<Button>,
    pub menu: Option<Menu>,
    pub file: Option<File>,
}

/// An answer to the player who asked. It pings nobody.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    pub content: Content,
    pub audience: Audience,
    /// Messages that are to be posted somewhere else.
    pub handovers: Vec<Handover>,
}

/// A post in the place of a game or challenge.
#[derive(Clone, Debug, Default)]
pub struct Post {
    pub content: Content,
    /// Who is pinged; nobody else ever is.
    pub ping: Vec<PlayerId>,
    /// The row of the outbox that this post delivers: it is closed as soon as the post is known to be on Discord.
    pub pending: Option<PendingMessage>,
    /// Messages that are to be posted somewhere else.
    pub handovers: Vec<Handover>,
}

/// An outbox message that is delivered separately from the answer.
#[derive(Clone, Debug)]
pub struct Handover {
    pub pending: PendingMessage,
    /// The post, if it is already made.
    pub post: Option<Box<Post>>,
}

/// Who sees an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Audience {
    /// The player who asked.
    #[default]
    Private,
    /// Everybody in the place.
    Public,
}

/// A button below a message.
#[derive(Clone, Debug)]
pub struct Button {
    pub label: &'static str,
    pub command: Command,
    pub style: ButtonStyle,
}

/// How a button looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ButtonStyle {
    /// What a player most likely wants.
    Main,
    /// Something else.
    Plain,
    /// Something that cannot be undone.
    Danger,
}

/// A list to choose from.
#[derive(Clone, Debug)]
pub struct Menu {
    pub prompt: String,
    /// What can be chosen; at most [`Menu::MAX_ITEMS`].
    pub items: Vec<Item>,
}

impl Menu {
    /// How many items a menu has at most.
    pub const MAX_ITEMS: usize = 25;

    /// Makes a menu; items beyond [`Menu::MAX_ITEMS`] are left out.
    #[must_use]
    pub fn new(prompt: &str, items: impl IntoIterator<Item = Item>) -> Self {
        Self { prompt: prompt.to_owned(), items: items.into_iter().take(Self::MAX_ITEMS).collect() }
    }
}

/// An item of a menu.
#[derive(Clone, Debug)]
pub struct Item {
    pub label: String,
    pub detail: String,
    pub command: Command,
}

/// A text file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    pub name: String,
    pub text: String,
}

impl Content {
    /// Shows a text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Adds a board, with whose turn it is or who has won written on its frame.
    #[must_use]
    pub fn board(mut self, mut view: BoardView) -> Self {
        view.caption = text::caption(&view);
        self.board = Some(Box::new(view));
        self
    }

    /// Adds a button.
    #[must_use]
    pub fn button(mut self, label: &'static str, style: ButtonStyle, command: Command) -> Self {
        self.buttons.push(Button { label, command, style });
        self
    }

    /// Adds a menu.
    #[must_use]
    pub fn menu(mut self, menu: Menu) -> Self {
        self.menu = Some(menu);
        self
    }

    /// Turns the content into an answer that only the player who asked sees.
    #[must_use]
    pub fn privately(self) -> Answer {
        Answer { content: self, ..Answer::default() }
    }
}

impl Answer {
    /// Says something to the player who asked.
    #[must_use]
    pub fn private(text: impl Into<String>) -> Self {
        Content::text(text).privately()
    }
}

impl Post {
    /// Turns the post into a private answer without pings and buttons, and hands the post over to be delivered.
    #[must_use]
    pub fn for_one_player(self) -> Answer {
        let content = Content { buttons: Vec::new(), ..self.content.clone() };
        Answer { content, audience: Audience::Private, handovers: self.into_handovers() }
    }

    /// Hands the post over to be delivered, before the messages that it hands over itself.
    #[must_use]
    pub fn into_handovers(mut self) -> Vec<Handover> {
        let others = std::mem::take(&mut self.handovers);
        let this = self.pending.take().map(|pending| Handover { pending, post: Some(Box::new(self)) });
        this.into_iter().chain(others).collect()
    }
}

impl Handover {
    /// Hands over a message whose post is not made yet.
    #[must_use]
    pub const fn without_post(pending: PendingMessage) -> Self {
        Self { pending, post: None }
    }
}

impl Reply {
    /// Says something to the player who asked.
    #[must_use]
    pub fn private(text: impl Into<String>) -> Self {
        Answer::private(text).into()
    }

    /// Returns what it shows.
    #[must_use]
    pub const fn content(&self) -> &Content {
        match self {
            Self::Answer(answer) => &answer.content,
            Self::Post(post) => &post.content,
        }
    }

    /// Returns what it shows, for changes.
    pub const fn content_mut(&mut self) -> &mut Content {
        match self {
            Self::Answer(answer) => &mut answer.content,
            Self::Post(post) => &mut post.content,
        }
    }

    /// Returns the messages that are to be posted somewhere else.
    pub const fn handovers_mut(&mut self) -> &mut Vec<Handover> {
        match self {
            Self::Answer(answer) => &mut answer.handovers,
            Self::Post(post) => &mut post.handovers,
        }
    }

    /// Returns who sees it.
    #[must_use]
    pub const fn audience(&self) -> Audience {
        match self {
            Self::Answer(answer) => answer.audience,
            Self::Post(_) => Audience::Public,
        }
    }
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        Self::Answer(answer)
    }
}

impl From<Post> for Reply {
    fn from(post: Post) -> Self {
        Self::Post(post)
    }
}

impl From<Content> for Reply {
    fn from(content: Content) -> Self {
        content.privately().into()
    }
}
