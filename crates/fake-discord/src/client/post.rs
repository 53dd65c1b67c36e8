//! A message as a user sees it.

use super::Person;
use crate::FakeDiscord;
use crate::state::{Callback, DiscordState, Id, Message};

/// A message, which is read again each time.
#[derive(Clone)]
pub struct Post {
    pub(super) discord: FakeDiscord,
    pub id: Id,
    /// The kind of response that it is, if it responds to this user's interaction.
    pub response: Option<Callback>,
}

impl Post {
    pub fn new(discord: FakeDiscord, id: Id) -> Self {
        Self { discord, id, response: None }
    }

    fn see<T>(&self, see: impl FnOnce(&Message) -> T) -> T {
        self.discord.state.read(|state| see(&state.messages[&self.id]))
    }

    pub fn text(&self) -> String {
        self.see(|message| message.content.clone())
    }

    /// Returns the text before the last edit, or the text if it was never edited.
    pub fn previous_text(&self) -> String {
        self.see(|message| message.previous_contents.last().unwrap_or(&message.content).clone())
    }

    pub fn buttons(&self) -> Vec<String> {
        self.see(Message::button_labels)
    }

    /// Returns the entries of its menus.
    pub fn choices(&self) -> Vec<String> {
        self.see(|message| {
            let options = message.controls().filter_map(|part| part["options"].as_array()).flatten();
            options.map(|option| option["label"].as_str().unwrap_or_default().to_owned()).collect()
        })
    }

    /// Returns the placeholder of its menu.
    pub fn prompt(&self) -> Option<String> {
        self.see(|message| message.controls().find_map(|part| part["placeholder"].as_str().map(str::to_owned)))
    }

    /// Returns whether it pinged this user and nobody else.
    pub fn pings_only(&self, person: &Person) -> bool {
        self.see(|message| message.pings.iter().eq([&person.id]) && !message.pings_group)
    }

    /// Returns whether it pinged nobody.
    pub fn pings_nobody(&self) -> bool {
        self.see(|message| message.pings.is_empty() && !message.pings_group)
    }

    /// Returns the alt text of its picture.
    pub fn alt_text(&self) -> Option<String> {
        self.see(|message| message.attachments.first().and_then(|file| file.description.clone()))
    }

    /// Returns width and height of its picture, which is decoded to the last row.
    pub fn picture_size(&self) -> Option<(u32, u32)> {
        let bytes = self.see(|message| message.attachments.first().map(|file| file.bytes.clone()))?;
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().ok()?;
        let mut pixels = vec![0; reader.output_buffer_size()?];
        let frame = reader.next_frame(&mut pixels).ok()?;
        Some((frame.width, frame.height))
    }

    pub fn files(&self) -> Vec<String> {
        self.see(|message| message.attachments.iter().map(|file| file.name.clone()).collect())
    }

    /// Returns whether it is ephemeral for this user.
    pub fn is_private_for(&self, person: &Person) -> bool {
        self.see(|message| message.reader == Some(person.id))
    }

    pub fn is_public(&self) -> bool {
        self.see(|message| message.reader.is_none())
    }

    pub fn is_deleted(&self) -> bool {
        self.see(|message| message.deleted)
    }

    /// Returns how often it was edited.
    pub fn edits(&self) -> usize {
        self.see(|message| message.previous_contents.len())
    }

    pub fn channel(&self) -> Id {
        self.see(|message| message.channel)
    }

    /// Waits until its buttons are removed.
    pub async fn wait_until_buttons_are_gone(&self) {
        let gone = |state: &DiscordState| state.messages[&self.id].button_labels().is_empty().then_some(());
        self.discord.wait_until("the buttons of a post to be removed", gone).await;
    }
}
