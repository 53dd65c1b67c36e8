//! A reply becomes a message: text, picture with its description, rows of buttons, a menu, and whom it may call.

use super::markup::mention;
use super::outbox::reconcile::picture_name;
use super::rest::client::Attachment;
use crate::app::{Audience, Button, Menu, Reply, Style};
use crate::commands::custom_id;
use crate::game::{BotPermissions, PlayerId};
use crate::render::Renderer;
use crate::text::{self, Colouring, DESCRIPTION_LIMIT, delivery};
use serde_json::{Value, json};

/// How much Discord takes, in its own count of characters.
pub(super) const LONGEST_CONTENT: usize = 2000;
const LONGEST_REST: usize = 4000;
/// As many messages more as the longest rest needs, however its lines are broken.
const MOST_MORE: usize = 4;
const LONGEST_LABEL: usize = 80;
const LONGEST_ITEM: usize = 100;
const LONGEST_PROMPT: usize = 150;
const BUTTONS_A_ROW: usize = 5;
const ROWS: usize = 5;

/// Begins and ends a block whose letters stand below each other.
const FENCE: &str = "```";

/// Only the one who asked sees it.
const EPHEMERAL: u64 = 1 << 6;

/// A message as it goes to Discord.
#[derive(Clone, Debug)]
pub(super) struct OutgoingMessage {
    content: String,
    /// What there was no room for in the content, where it may be shown below.
    rest: Option<String>,
    /// The same as messages that follow, where it may not.
    more: Vec<String>,
    /// A file that may not be attached, as a message that follows.
    enclosed: Option<String>,
    rows: Vec<Value>,
    call: Vec<PlayerId>,
    pub(super) files: Vec<Attachment>,
    pub(super) private: bool,
}

impl OutgoingMessage {
    /// Writes a reply as a message, with what the bot may do: without files the board is written out, and without
    /// embeds a long text becomes several messages.
    pub(super) fn write(reply: &Reply, renderer: &Renderer, rights: BotPermissions) -> Self {
        let pictures = rights.attach;
        let mut content = reply.text.clone();
        let call: Vec<PlayerId> = reply.call.iter().copied().filter(|player| !player.is_former()).collect();
        for player in call.iter().rev() {
            if !content.contains(&mention(*player)) {
                content = format!("{} {content}", mention(*player));
            }
        }
        let mut files = Vec::new();
        if let Some(view) = &reply.board {
            let picture = (pictures && !reply.board_as_text).then(|| renderer.png(view).ok()).flatten();
            match picture {
                Some(bytes) => files.push(Attachment {
                    name: picture_name(reply.owed),
                    kind: "image/png",
                    bytes,
                    description: Some(cut(&text::description(view), DESCRIPTION_LIMIT)),
                }),
                None => {
                    content = format!("{content}\n{}", block(&text::board(view, Colouring::Plain)));
                    // A board of signs is hard to hear; below a picture the same words are its description.
                    let described = format!("{content}\n{}", text::description(view));
                    if reply.audience == Audience::Private || described.encode_utf16().count() <= LONGEST_CONTENT {
                        content = described;
                    }
                }
            }
        }
        let mut enclosed = None;
        if let Some(file) = &reply.file {
            let block = block(&file.text.replace('`', "'"));
            if pictures {
                let bytes = file.text.clone().into_bytes();
                files.push(Attachment { name: file.name.clone(), kind: "text/plain", bytes, description: None });
            } else if block.encode_utf16().count() <= LONGEST_CONTENT {
                enclosed = Some(block);
            } else {
                content = format!("{content}\n{}", delivery::record_too_long());
            }
        }
        let (content, mut rest) = fold(&content);
        let more = if rights.embed { Vec::new() } else { rest.take().map(|rest| pieces(&rest)).unwrap_or_default() };
        Self {
            content,
            rest,
            more,
            enclosed,
            rows: rows(&reply.buttons, reply.menu.as_ref()),
            call,
            files,
            private: reply.audience == Audience::Private,
        }
    }

    /// Writes a few words for one reader.
    pub(super) fn words(content: &str) -> Self {
        let (content, rest) = fold(content);
        let (more, rows, call, files) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { content, rest, more, enclosed: None, rows, call, files, private: true }
    }

    /// Gives the messages that follow, for the same readers. What is said in place of another message is short enough,
    /// so that only what is enclosed follows it.
    pub(super) fn more(&self, replaces: bool) -> Vec<Value> {
        let outgoing = |words: &String| {
            let mut said = Self::words(words).json();
            if self.private {
                said["flags"] = json!(EPHEMERAL);
            }
            said
        };
        let long = if replaces { &[][..] } else { self.more.as_slice() };
        long.iter().chain(&self.enclosed).map(outgoing).collect()
    }

    /// Gives the text alone, for a message that stands already and keeps everything else.
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

    /// Gives the message as Discord reads it, for a new message and for one that replaces another alike: what is not
    /// there is said to be not there.
    pub(super) fn json(&self) -> Value {
        let attachments = self.files.iter().enumerate().map(|(id, file)| {
            let mut attachment = json!({ "id": id, "filename": file.name });
            if let Some(description) = &file.description {
                attachment["description"] = json!(description);
            }
            attachment
        });
        let embeds: Vec<Value> = self.rest.iter().map(|rest| json!({ "description": rest })).collect();
        json!({
            "content": self.content,
            "embeds": embeds,
            "attachments": attachments.collect::<Vec<_>>(),
            "components": self.rows,
            "allowed_mentions": allowed_mentions(&self.call),
        })
    }

    /// Gives the message as the answer to an interaction.
    pub(super) fn answer(&self) -> Value {
        let mut data = self.json();
        if self.private {
            data["flags"] = json!(EPHEMERAL);
        }
        json!({ "type": 4, "data": data })
    }

    /// Gives the message as a word aside, besides an answer.
    pub(super) fn aside(&self) -> Value {
        let mut said = self.json();
        said["flags"] = json!(EPHEMERAL);
        said
    }

    /// Gives the message in place of the one whose button was pressed.
    /// It changes with every click, so that a long one is cut rather than followed by others.
    pub(super) fn update(&self) -> Value {
        let mut data = self.json();
        if !self.more.is_empty() {
            data["content"] = json!(cut(&format!("{}\n…", self.content), LONGEST_CONTENT));
        }
        json!({ "type": 7, "data": data })
    }
}

/// Allows a message to call these players and nobody else.
pub(super) fn allowed_mentions(call: &[PlayerId]) -> Value {
    let users: Vec<String> = call.iter().map(|player| player.0.to_string()).collect();
    json!({ "parse": [], "users": users })
}

fn rows(buttons: &[Button], menu: Option<&Menu>) -> Vec<Value> {
    let mut rows: Vec<Value> = menu.and_then(menu_row).into_iter().collect();
    let buttons: Vec<Value> = buttons.iter().filter_map(button).collect();
    let room = ROWS - rows.len();
    rows.extend(buttons.chunks(BUTTONS_A_ROW).take(room).map(|row| json!({ "type": 1, "components": row })));
    rows
}

fn button(button: &Button) -> Option<Value> {
    let style = match button.style {
        Style::Main => 1,
        Style::Plain => 2,
        Style::Danger => 4,
    };
    let code = custom_id::encode(&button.command)?;
    Some(json!({ "type": 2, "style": style, "label": cut(button.label, LONGEST_LABEL), "custom_id": code }))
}

fn menu_row(menu: &Menu) -> Option<Value> {
    let mut taken = Vec::new();
    let options = menu.items.iter().filter_map(|item| {
        let value = custom_id::encode(&item.command)?;
        if taken.contains(&value) {
            return None;
        }
        taken.push(value.clone());
        let mut option = json!({ "label": cut(&item.label, LONGEST_ITEM), "value": value });
        if !item.detail.is_empty() {
            option["description"] = json!(cut(&item.detail, LONGEST_ITEM));
        }
        Some(option)
    });
    let options: Vec<Value> = options.take(Menu::MOST).collect();
    let prompt = cut(&menu.prompt, LONGEST_PROMPT);
    let select = json!({
        "type": 3, "custom_id": MENU, "placeholder": prompt, "options": options, "min_values": 1, "max_values": 1,
    });
    (!options.is_empty()).then(|| json!({ "type": 1, "components": [select] }))
}

/// What a menu is called; what it does stands in what was chosen.
pub(super) const MENU: &str = "menu";

/// Cuts a text to so many characters as Discord counts them, which is generously in code units of UTF-16.
pub(super) fn cut(text: &str, most: usize) -> String {
    if text.encode_utf16().count() <= most {
        return text.to_owned();
    }
    let mut room = most.saturating_sub(1);
    let mut short: String = text
        .chars()
        .take_while(|outgoing| {
            let fits = outgoing.len_utf16() <= room;
            room = room.saturating_sub(outgoing.len_utf16());
            fits
        })
        .collect();
    short.push('…');
    short
}

/// Writes something so that its letters stand below each other.
fn block(text: &str) -> String {
    format!("{FENCE}\n{}\n{FENCE}", text.trim_end())
}

/// Splits a text into as many messages as it needs.
fn pieces(text: &str) -> Vec<String> {
    let (mut pieces, mut left) = (Vec::new(), Some(text.to_owned()));
    while let Some(text) = left.filter(|text| !text.trim().is_empty() && pieces.len() < MOST_MORE) {
        let (piece, rest) = fold(&text);
        pieces.push(piece);
        left = rest;
    }
    pieces
}

/// Splits a text that is too long for one message at the end of a line, or else of a word. A board goes over as a whole.
fn fold(text: &str) -> (String, Option<String>) {
    if text.encode_utf16().count() <= LONGEST_CONTENT {
        return (text.to_owned(), None);
    }
    let mut room = LONGEST_CONTENT;
    let fits = |outgoing: &char| {
        let fits = outgoing.len_utf16() <= room;
        room = room.saturating_sub(outgoing.len_utf16());
        fits
    };
    let most: usize = text.chars().take_while(fits).map(char::len_utf8).sum();
    let (first, _) = text.split_at(most);
    let first = open_block(first).filter(|block| *block > 0).map_or(first, |block| &first[..block]);
    let Some(end) = first.rfind('\n').or_else(|| first.rfind(' ')).filter(|end| *end > 0) else {
        return (cut(text, LONGEST_CONTENT), None);
    };
    // Of what the next line begins with, nothing may be lost: it may be part of a board.
    let (first, rest) = (&text[..end], &text[end + 1..]);
    (first.trim_end().to_owned(), Some(cut(rest.trim_start_matches('\n'), LONGEST_REST)))
}

/// Finds where a block begins that is not closed.
fn open_block(text: &str) -> Option<usize> {
    let fences = text.match_indices(FENCE);
    fences.clone().last().map(|(at, _)| at).filter(|_| !fences.count().is_multiple_of(2))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::app::{Command, File, Item};

    fn outgoing(reply: &Reply) -> Value {
        OutgoingMessage::write(reply, &Renderer::new(), BotPermissions { attach: false, ..BotPermissions::ALL })
            .answer()
    }

    #[test]
    fn only_the_one_who_is_called_is_notified() {
        let mut reply = Reply::public("@everyone <@&1> <@3> look");
        assert_eq!(outgoing(&reply)["data"]["allowed_mentions"], json!({ "parse": [], "users": [] }));
        reply.call = vec![PlayerId(2)];
        let called = outgoing(&reply);
        assert_eq!(called["data"]["allowed_mentions"], json!({ "parse": [], "users": ["2"] }));
        assert!(called["data"]["content"].as_str().unwrap().starts_with("<@2> "), "who is called is named");
    }

    #[test]
    fn buttons_stand_in_rows_of_five_below_the_menu() {
        let mut reply = Reply::private("choose");
        for _ in 0..7 {
            reply = reply.button("Help", Style::Plain, Command::Help);
        }
        let item = |label: &str, command| Item { label: label.to_owned(), detail: String::new(), command };
        let long = "x".repeat(300);
        reply = reply.menu(Menu::new(
            "?",
            [item("one", Command::Help), item(&long, Command::Challenges), item("again", Command::Help)],
        ));
        let outgoing = outgoing(&reply);
        let rows = outgoing["data"]["components"].as_array().unwrap();
        let widths: Vec<usize> = rows.iter().map(|row| row["components"].as_array().unwrap().len()).collect();
        assert_eq!(widths, [1, 5, 2]);
        let options = rows[0]["components"][0]["options"].as_array().unwrap();
        assert_eq!(options.len(), 2, "the same wish twice is refused by Discord");
        assert_eq!(options[1]["label"].as_str().unwrap().chars().count(), 100);
    }

    #[test]
    fn long_texts_are_folded_at_the_end_of_a_line() {
        let text = format!("{}\n{}", "a".repeat(1500), "b".repeat(1000));
        let (first, rest) = fold(&text);
        assert_eq!((first.len(), rest.map(|rest| rest.len())), (1500, Some(1000)));
        let (first, rest) = fold(&"ä".repeat(3000));
        assert_eq!((first.chars().count(), rest), (2000, None));
        assert_eq!(cut("🦑🦑🦑", 4), "🦑…");
    }

    #[test]
    fn a_board_that_has_no_room_goes_over_as_a_whole() {
        let board = block("  a b c\n 3 x x\n 2 x x");
        for words in [1945, 1950, 1960, 1970, 1980, 1990, 1994, 1996] {
            let words = format!("{} b", "a".repeat(words));
            let text = format!("{words}\n{board}\nIt is said in words, too.");
            let (first, rest) = fold(&text);
            let rest = rest.unwrap();
            let together = [&first, &rest].map(|part| part.matches(FENCE).count() % 2);
            assert_eq!(together, [0, 0], "{first}\n---\n{rest}");
            assert!(first.contains(&board) || rest.contains(&board), "{first}\n---\n{rest}");
        }
        // Where nothing but a block has to be broken, its lines keep what they begin with.
        let line = format!("  {}", "x".repeat(97));
        let (_, rest) = fold(&block(&vec![line; 30].join("\n")));
        assert!(rest.unwrap().starts_with("  x"));
    }

    #[test]
    fn a_file_that_may_not_be_attached_is_written_out_or_missed() {
        let mut reply = Reply::private("history");
        let rights = BotPermissions { attach: false, ..BotPermissions::ALL };
        let mut written = |text: &str| {
            reply.file = Some(File { name: String::from("x.txt"), text: text.to_owned() });
            let outgoing = OutgoingMessage::write(&reply, &Renderer::new(), rights);
            (outgoing.content.clone(), outgoing.more(true))
        };
        let (content, more) = written("a ``` b");
        assert_eq!((content.as_str(), &more[0]["content"]), ("history", &json!("```\na ''' b\n```")));
        assert_eq!(more[0]["flags"], EPHEMERAL);
        let (content, more) = written(&"x".repeat(2000));
        assert!(content.contains("Attach Files") && more.is_empty(), "{content}");
    }

    #[test]
    fn without_embeds_a_long_text_is_several_messages() {
        let line = |n: usize| format!("{n:04} {}", "x".repeat(94));
        let lines: Vec<String> = (0..50).map(line).collect();
        let rights = BotPermissions { embed: false, ..BotPermissions::ALL };
        let outgoing = OutgoingMessage::write(&Reply::private(lines.join("\n")), &Renderer::new(), rights);
        assert_eq!(outgoing.json()["embeds"], json!([]));
        let more = outgoing.more(false);
        assert!(more.iter().all(|said| said["flags"] == EPHEMERAL && said["content"].as_str().unwrap().len() <= 2000));
        let said = more.iter().map(|said| said["content"].as_str().unwrap().to_owned());
        let all: Vec<String> = std::iter::once(outgoing.content.clone()).chain(said).collect();
        assert_eq!(all.join("\n"), lines.join("\n"), "nothing is lost");
    }
}
