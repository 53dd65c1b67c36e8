//! Turns a reply into a Discord message: text, picture with its description, buttons, menu, and whom it notifies.

use super::markup::mention;
use super::rest::Attachment;
use crate::app::{Answer, Audience, Button, ButtonStyle, Content, Menu, Post};
use crate::board_view::BoardView;
use crate::commands::custom_id;
use crate::game::{BotPermissions, PlayerId};
use crate::render::{EncodingError, Renderer};
use crate::store::{OutboxId, PendingMessage};
use crate::text::{self, Colouring, DESCRIPTION_LIMIT, delivery};
use bytes::Bytes;
use serde_json::{Value, json};
use tracing::error;

/// Discord's limits, in its own count of characters.
pub(super) const MAX_CONTENT: usize = 2000;
const MAX_EMBED: usize = 4000;
/// As many further messages as the longest embed needs, wherever its lines are broken.
const MAX_FURTHER_MESSAGES: usize = 4;
const MAX_LABEL: usize = 80;
const MAX_ITEM: usize = 100;
const MAX_PROMPT: usize = 150;
const BUTTONS_PER_ROW: usize = 5;
const ROWS: usize = 5;

/// Begins and ends a code block.
const FENCE: &str = "```";

/// The flag of a message that only the player who asked sees.
const EPHEMERAL: u64 = 1 << 6;

/// Returns whether only one player sees a message of Discord.
pub(super) fn is_private(message: &Value) -> bool {
    message["flags"].as_u64().is_some_and(|flags| flags & EPHEMERAL != 0)
}

/// The `custom_id` of every menu; the value that was chosen says what to do.
const MENU: &str = "menu";

/// Turns replies into messages. Shared, because the renderer caches what it has prepared.
pub(super) struct Composer {
    renderer: Renderer,
}

impl Composer {
    pub(super) fn new() -> Self {
        Self { renderer: Renderer::new() }
    }

    /// Composes an answer within the bot's permissions: without files the board is written out as text, and without
    /// embeds a long text becomes several messages.
    pub(super) fn answer(&self, answer: &Answer, permissions: BotPermissions) -> OutgoingMessage {
        let recipients = Recipients { audience: answer.audience, notify: &[], pending: None };
        OutgoingMessage::compose(&answer.content, recipients, &self.renderer, permissions)
    }

    /// Composes a post in the same way.
    pub(super) fn post(&self, post: &Post, permissions: BotPermissions) -> OutgoingMessage {
        let recipients = Recipients { audience: Audience::Public, notify: &post.ping, pending: post.pending.as_ref() };
        OutgoingMessage::compose(&post.content, recipients, &self.renderer, permissions)
    }
}

/// Who sees a message and who is notified, and the outbox message that it delivers.
#[derive(Clone, Copy)]
struct Recipients<'r> {
    audience: Audience,
    notify: &'r [PlayerId],
    pending: Option<&'r PendingMessage>,
}

/// A message as it is sent to Discord.
#[derive(Clone, Debug)]
pub(super) struct OutgoingMessage {
    content: String,
    /// Text that does not fit into the content, shown as an embed.
    embed: Option<String>,
    /// The same text as further messages, where embeds are not allowed.
    further: Vec<String>,
    /// A file that may not be attached, as a further message.
    written_out_file: Option<String>,
    rows: Vec<Value>,
    notify: Vec<PlayerId>,
    pub(super) files: Vec<Attachment>,
    private: bool,
}

impl OutgoingMessage {
    fn compose(shown: &Content, recipients: Recipients<'_>, renderer: &Renderer, permissions: BotPermissions) -> Self {
        let Recipients { audience, notify, pending } = recipients;
        let mut content = shown.text.clone();
        let notify: Vec<PlayerId> = notify.iter().copied().filter(|player| !player.is_former()).collect();
        for player in notify.iter().rev() {
            if !content.contains(&mention(*player)) {
                content = format!("{} {content}", mention(*player));
            }
        }
        let mut files = Vec::new();
        if let Some(view) = &shown.board {
            let draw = permissions.attach && !shown.board_as_text;
            match draw.then(|| picture(view, pending, renderer)).flatten() {
                Some(picture) => files.push(picture),
                None => content = with_text_board(content, view, audience),
            }
        }
        let mut written_out_file = None;
        if let Some(file) = &shown.file {
            let block = code_block(&file.text.replace('`', "'"));
            if permissions.attach {
                let bytes = Bytes::from(file.text.clone());
                files.push(Attachment { name: file.name.clone(), mime: "text/plain", bytes, description: None });
            } else if fits(&block, MAX_CONTENT) {
                written_out_file = Some(block);
            } else {
                content = format!("{content}\n{}", delivery::record_too_long());
            }
        }
        let (content, mut embed) = split_long(&content);
        let further = if permissions.embed {
            Vec::new()
        } else {
            embed.take().map(|rest| split_into_messages(&rest)).unwrap_or_default()
        };
        Self {
            content,
            embed,
            further,
            written_out_file,
            rows: rows(&shown.buttons, shown.menu.as_ref()),
            notify,
            files,
            private: audience == Audience::Private,
        }
    }

    /// Creates a private message that is only text.
    pub(super) fn private_text(text: &str) -> Self {
        let (content, embed) = split_long(text);
        Self {
            content,
            embed,
            further: Vec::new(),
            written_out_file: None,
            rows: Vec::new(),
            notify: Vec::new(),
            files: Vec::new(),
            private: true,
        }
    }

    /// Returns the messages that follow this one, for the same readers. An update is cut to one message (see
    /// [`Self::update`]), so only a written-out file follows it.
    pub(super) fn further_messages(&self, is_update: bool) -> Vec<Value> {
        let message = |text: &String| Self { private: self.private, ..Self::private_text(text) }.json_with_flags();
        let texts = if is_update { &[][..] } else { self.further.as_slice() };
        texts.iter().chain(&self.written_out_file).map(message).collect()
    }

    /// Returns the text alone, for an edit that keeps everything else.
    pub(super) fn content(&self) -> &str {
        &self.content
    }

    pub(super) fn without_buttons(mut self) -> Self {
        self.rows.clear();
        self
    }

    pub(super) const fn has_buttons(&self) -> bool {
        !self.rows.is_empty()
    }

    /// Returns the message as JSON. Empty fields are present, so that it can also replace another message.
    pub(super) fn json(&self) -> Value {
        let attachments = self.files.iter().enumerate().map(|(id, file)| {
            let mut attachment = json!({ "id": id, "filename": file.name });
            if let Some(description) = &file.description {
                attachment["description"] = json!(description);
            }
            attachment
        });
        let embeds: Vec<Value> = self.embed.iter().map(|text| json!({ "description": text })).collect();
        json!({
            "content": self.content,
            "embeds": embeds,
            "attachments": attachments.collect::<Vec<_>>(),
            "components": self.rows,
            "allowed_mentions": allowed_mentions(&self.notify),
        })
    }

    /// Returns the message as the answer to an interaction.
    pub(super) fn answer(&self) -> Value {
        json!({ "type": 4, "data": self.json_with_flags() })
    }

    /// Returns the message as JSON that says whether only one player sees it.
    pub(super) fn json_with_flags(&self) -> Value {
        let mut json = self.json();
        if self.private {
            json["flags"] = json!(EPHEMERAL);
        }
        json
    }

    /// Returns the message as a replacement of the one whose button was pressed. That happens with every click, so a long
    /// text is cut instead of continued in further messages.
    pub(super) fn update(&self) -> Value {
        let mut data = self.json();
        if !self.further.is_empty() {
            data["content"] = json!(cut(&format!("{}\n…", self.content), MAX_CONTENT));
        }
        json!({ "type": 7, "data": data })
    }
}

/// Draws the board. If that fails, which is a bug, the board is written out as text.
fn picture(view: &BoardView, pending: Option<&PendingMessage>, renderer: &Renderer) -> Option<Attachment> {
    let outbox_id = pending.map(|pending| pending.id);
    let log_failure = |error: &EncodingError| {
        let (game, challenge) = pending.map(|pending| pending.subject.log_ids()).unwrap_or_default();
        let (outbox, variant) = (outbox_id.map(|id| id.0), view.variant.id);
        error!(outbox, game, challenge, variant, %error, "board cannot be drawn, showing it as text");
    };
    let png = renderer.png(view).inspect_err(log_failure).ok()?;
    Some(Attachment {
        name: picture_name(outbox_id),
        mime: "image/png",
        bytes: Bytes::from(png),
        description: Some(cut(&text::description(view), DESCRIPTION_LIMIT)),
    })
}

/// Adds the board as text, and its description if there is room: a board of letters is hard to follow with a screen
/// reader.
fn with_text_board(content: String, view: &BoardView, audience: Audience) -> String {
    let content = format!("{content}\n{}", code_block(&text::board(view, Colouring::Plain)));
    let described = format!("{content}\n{}", text::description(view));
    if audience == Audience::Private || fits(&described, MAX_CONTENT) { described } else { content }
}

/// Returns the JSON that lets a message notify these players and nobody else.
pub(super) fn allowed_mentions(notify: &[PlayerId]) -> Value {
    let users: Vec<String> = notify.iter().map(|player| player.0.to_string()).collect();
    json!({ "parse": [], "users": users })
}

fn rows(buttons: &[Button], menu: Option<&Menu>) -> Vec<Value> {
    let mut rows: Vec<Value> = menu.and_then(menu_row).into_iter().collect();
    let buttons: Vec<Value> = buttons.iter().filter_map(button).collect();
    let room = ROWS - rows.len();
    rows.extend(buttons.chunks(BUTTONS_PER_ROW).take(room).map(|row| json!({ "type": 1, "components": row })));
    rows
}

fn button(button: &Button) -> Option<Value> {
    let style = match button.style {
        ButtonStyle::Main => 1,
        ButtonStyle::Plain => 2,
        ButtonStyle::Danger => 4,
    };
    let custom_id = custom_id::encode(&button.command)?;
    Some(json!({ "type": 2, "style": style, "label": cut(button.label, MAX_LABEL), "custom_id": custom_id }))
}

fn menu_row(menu: &Menu) -> Option<Value> {
    let mut taken = Vec::new();
    let options = menu.items.iter().filter_map(|item| {
        let value = custom_id::encode(&item.command)?;
        if taken.contains(&value) {
            return None;
        }
        taken.push(value.clone());
        let mut option = json!({ "label": cut(&item.label, MAX_ITEM), "value": value });
        if !item.detail.is_empty() {
            option["description"] = json!(cut(&item.detail, MAX_ITEM));
        }
        Some(option)
    });
    let options: Vec<Value> = options.take(Menu::MAX_ITEMS).collect();
    let prompt = cut(&menu.prompt, MAX_PROMPT);
    let select = json!({
        "type": 3, "custom_id": MENU, "placeholder": prompt, "options": options, "min_values": 1, "max_values": 1,
    });
    (!options.is_empty()).then(|| json!({ "type": 1, "components": [select] }))
}

/// Cuts a text to a number of characters, counted as UTF-16 code units: that is never less than what Discord counts.
pub(super) fn cut(text: &str, limit: usize) -> String {
    if fits(text, limit) { text.to_owned() } else { format!("{}…", longest_prefix(text, limit.saturating_sub(1))) }
}

/// Returns whether a text has at most `limit` characters, counted as in [`cut`].
pub(super) fn fits(text: &str, limit: usize) -> bool {
    text.encode_utf16().count() <= limit
}

fn longest_prefix(text: &str, limit: usize) -> &str {
    let mut room = limit;
    let fits = |letter: &char| {
        let fits = letter.len_utf16() <= room;
        room = room.saturating_sub(letter.len_utf16());
        fits
    };
    let length: usize = text.chars().take_while(fits).map(char::len_utf8).sum();
    &text[..length]
}

/// Returns a text as a code block.
fn code_block(text: &str) -> String {
    format!("{FENCE}\n{}\n{FENCE}", text.trim_end())
}

/// Splits a text into as many messages as it needs.
fn split_into_messages(text: &str) -> Vec<String> {
    let (mut messages, mut left) = (Vec::new(), Some(text.to_owned()));
    while let Some(text) = left.filter(|text| !text.trim().is_empty() && messages.len() < MAX_FURTHER_MESSAGES) {
        let (message, rest) = split_long(&text);
        messages.push(message);
        left = rest;
    }
    messages
}

/// Splits a text that is too long for one message at the end of a line, or else of a word. A code block is not split.
fn split_long(text: &str) -> (String, Option<String>) {
    if fits(text, MAX_CONTENT) {
        return (text.to_owned(), None);
    }
    let first = longest_prefix(text, MAX_CONTENT);
    let first = open_block(first).filter(|block| *block > 0).map_or(first, |block| &first[..block]);
    let Some(end) = first.rfind('\n').or_else(|| first.rfind(' ')).filter(|end| *end > 0) else {
        return (cut(text, MAX_CONTENT), None);
    };
    // Spaces at the start of the next line stay: they may be part of a board.
    let (first, rest) = (&text[..end], &text[end + 1..]);
    (first.trim_end().to_owned(), Some(cut(rest.trim_start_matches('\n'), MAX_EMBED)))
}

/// Returns where an unclosed code block begins.
fn open_block(text: &str) -> Option<usize> {
    let fences = text.match_indices(FENCE);
    fences.clone().last().map(|(at, _)| at).filter(|_| !fences.count().is_multiple_of(2))
}

/// Returns the file name of a message's picture, by which the message can be found again.
pub(super) fn picture_name(outbox_id: Option<OutboxId>) -> String {
    outbox_id.map_or_else(|| String::from("board.png"), |id| format!("board-{}.png", id.0))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::app::{Command, File, Item};

    const WITHOUT_FILES: BotPermissions = BotPermissions { attach: false, ..BotPermissions::ALL };

    fn private(content: Content, permissions: BotPermissions) -> OutgoingMessage {
        Composer::new().answer(&content.privately(), permissions)
    }

    #[test]
    fn only_the_players_of_the_reply_are_notified() {
        let mut post = Post { content: Content::text("@everyone <@&1> <@3> look"), ..Post::default() };
        let outgoing = |post: &Post| Composer::new().post(post, WITHOUT_FILES).answer();
        assert_eq!(outgoing(&post)["data"]["allowed_mentions"], json!({ "parse": [], "users": [] }));
        post.ping = vec![PlayerId(2)];
        let called = outgoing(&post);
        assert_eq!(called["data"]["allowed_mentions"], json!({ "parse": [], "users": ["2"] }));
        assert!(called["data"]["content"].as_str().unwrap().starts_with("<@2> "), "a player who is notified is named");
    }

    #[test]
    fn buttons_are_in_rows_of_five_below_the_menu() {
        let mut content = Content::text("choose");
        for _ in 0..7 {
            content = content.button("Help", ButtonStyle::Plain, Command::Help);
        }
        let item = |label: &str, command| Item { label: label.to_owned(), detail: String::new(), command };
        let long = "x".repeat(300);
        content = content.menu(Menu::new(
            "?",
            [item("one", Command::Help), item(&long, Command::Challenges), item("again", Command::Help)],
        ));
        let outgoing = private(content, WITHOUT_FILES).answer();
        let rows = outgoing["data"]["components"].as_array().unwrap();
        let widths: Vec<usize> = rows.iter().map(|row| row["components"].as_array().unwrap().len()).collect();
        assert_eq!(widths, [1, 5, 2]);
        let options = rows[0]["components"][0]["options"].as_array().unwrap();
        assert_eq!(options.len(), 2, "Discord refuses the same value twice");
        assert_eq!(options[1]["label"].as_str().unwrap().chars().count(), 100);
    }

    #[test]
    fn long_texts_are_split_at_the_end_of_a_line() {
        let text = format!("{}\n{}", "a".repeat(1500), "b".repeat(1000));
        let (first, rest) = split_long(&text);
        assert_eq!((first.len(), rest.map(|rest| rest.len())), (1500, Some(1000)));
        let (first, rest) = split_long(&"ä".repeat(3000));
        assert_eq!((first.chars().count(), rest), (2000, None));
        assert_eq!(cut("🦑🦑🦑", 4), "🦑…");
    }

    #[test]
    fn a_board_that_does_not_fit_moves_to_the_embed_as_a_whole() {
        let board = code_block("  a b c\n 3 x x\n 2 x x");
        for words in [1945, 1950, 1960, 1970, 1980, 1990, 1994, 1996] {
            let words = format!("{} b", "a".repeat(words));
            let text = format!("{words}\n{board}\nIt is said in words, too.");
            let (first, rest) = split_long(&text);
            let rest = rest.unwrap();
            let together = [&first, &rest].map(|part| part.matches(FENCE).count() % 2);
            assert_eq!(together, [0, 0], "{first}\n---\n{rest}");
            assert!(first.contains(&board) || rest.contains(&board), "{first}\n---\n{rest}");
        }
        // A block that is longer than a message is split, and its lines keep their indentation.
        let line = format!("  {}", "x".repeat(97));
        let (_, rest) = split_long(&code_block(&vec![line; 30].join("\n")));
        assert!(rest.unwrap().starts_with("  x"));
    }

    #[test]
    fn a_file_that_may_not_be_attached_is_written_out_if_it_fits() {
        let written = |text: &str| {
            let file = Some(File { name: String::from("x.txt"), text: text.to_owned() });
            let outgoing = private(Content { file, ..Content::text("history") }, WITHOUT_FILES);
            (outgoing.content.clone(), outgoing.further_messages(true))
        };
        let (content, more) = written("a ``` b");
        assert_eq!((content.as_str(), &more[0]["content"]), ("history", &json!("```\na ''' b\n```")));
        assert_eq!(more[0]["flags"], EPHEMERAL);
        let (content, more) = written(&"x".repeat(2000));
        assert!(content.contains("Attach Files") && more.is_empty(), "{content}");
    }

    #[test]
    fn without_embeds_a_long_text_becomes_several_messages() {
        let line = |n: usize| format!("{n:04} {}", "x".repeat(94));
        let lines: Vec<String> = (0..50).map(line).collect();
        let permissions = BotPermissions { embed: false, ..BotPermissions::ALL };
        let outgoing = private(Content::text(lines.join("\n")), permissions);
        assert_eq!(outgoing.json()["embeds"], json!([]));
        let more = outgoing.further_messages(false);
        assert!(more.iter().all(|said| said["flags"] == EPHEMERAL && said["content"].as_str().unwrap().len() <= 2000));
        let said = more.iter().map(|said| said["content"].as_str().unwrap().to_owned());
        let all: Vec<String> = std::iter::once(outgoing.content.clone()).chain(said).collect();
        assert_eq!(all.join("\n"), lines.join("\n"), "nothing is lost");
    }
}
