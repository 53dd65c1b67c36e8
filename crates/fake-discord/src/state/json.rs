//! The JSON that Discord sends.

use super::DiscordState;
use super::model::{Attachment, Channel, DIRECT, EPHEMERAL, Guild, Id, Message, THREAD, permissions};
use serde_json::{Value, json};

/// The flag of a deferred response that only says that the bot is thinking.
const LOADING: u64 = 1 << 7;

impl DiscordState {
    pub fn user_json(&self, id: Id) -> Value {
        let Some(user) = self.users.get(&id) else { return Value::Null };
        json!({
            "id": user.id.to_string(), "username": user.name.to_lowercase(), "global_name": user.name,
            "discriminator": "0", "avatar": null, "bot": user.bot, "system": false, "public_flags": 0, "flags": 0,
            "mfa_enabled": false, "banner": null, "accent_color": null, "locale": "en-US", "premium_type": 0,
        })
    }

    /// Returns a member as JSON.
    pub fn member_json(&self, guild: &Guild, id: Id, with_user: bool) -> Value {
        let Some(member) = guild.members.get(&id) else { return Value::Null };
        let mut shown = json!({
            "nick": member.nick, "avatar": null, "banner": null, "roles": [], "joined_at": iso(0),
            "premium_since": null, "deaf": false, "mute": false, "flags": 0, "pending": false,
            "permissions": member.permissions.to_string(), "communication_disabled_until": null,
        });
        if with_user {
            shown["user"] = self.user_json(id);
        }
        shown
    }

    pub fn channel_json(&self, channel: &Channel) -> Value {
        let id = channel.id.to_string();
        let mut shown = json!({ "id": id, "type": channel.kind, "last_message_id": null, "flags": 0 });
        if channel.kind == DIRECT {
            shown["recipients"] = json!([self.user_json(channel.recipient.unwrap_or(0))]);
            return shown;
        }
        let guild = channel.guild.unwrap_or(0).to_string();
        shown["guild_id"] = json!(guild);
        shown["name"] = json!(channel.name);
        shown["parent_id"] = json!(channel.parent.map(|parent| parent.to_string()));
        shown["rate_limit_per_user"] = json!(0);
        if channel.kind == THREAD {
            shown["owner_id"] = json!(self.bot.to_string());
            shown["message_count"] = json!(0);
            shown["member_count"] = json!(1);
            shown["thread_metadata"] = json!({
                "archived": channel.archived, "auto_archive_duration": channel.archive_after, "locked": channel.locked,
                "archive_timestamp": iso(channel.active), "create_timestamp": iso(channel.active),
            });
            return shown;
        }
        let mut overwrites = Vec::new();
        if channel.denied != 0 {
            overwrites.push((self.bot, 1, channel.denied));
        }
        overwrites.extend(channel.hidden_from.iter().map(|user| (*user, 1, permissions::VIEW)));
        let overwrites = overwrites.into_iter().map(
            |(id, kind, deny)| json!({ "id": id.to_string(), "type": kind, "allow": "0", "deny": deny.to_string() }),
        );
        shown["permission_overwrites"] = overwrites.collect();
        shown["position"] = json!(0);
        shown["topic"] = Value::Null;
        shown["nsfw"] = json!(false);
        shown
    }

    /// Returns a server as JSON; `full` is what a bot gets in GUILD_CREATE.
    pub fn guild_json(&self, guild: &Guild, full: bool) -> Value {
        let id = guild.id.to_string();
        let everyone = json!({
            "id": id, "name": "@everyone", "color": 0, "hoist": false, "managed": false, "mentionable": false,
            "colors": { "primary_color": 0, "secondary_color": null, "tertiary_color": null },
            "permissions": permissions::MEMBER.to_string(), "position": 0, "flags": 0, "icon": null, "unicode_emoji": null,
        });
        let mut shown = json!({
            "id": id, "name": guild.name, "icon": null, "splash": null, "discovery_splash": null, "owner_id": "1",
            "afk_channel_id": null, "afk_timeout": 300, "verification_level": 0, "default_message_notifications": 0,
            "explicit_content_filter": 0, "roles": [everyone], "emojis": [], "features": [], "mfa_level": 0,
            "application_id": null, "system_channel_id": null, "system_channel_flags": 0, "rules_channel_id": null,
            "vanity_url_code": null, "description": null, "banner": null, "premium_tier": 0,
            "preferred_locale": "en-US", "public_updates_channel_id": null, "nsfw_level": 0, "stickers": [],
            "premium_progress_bar_enabled": false, "safety_alerts_channel_id": null, "incidents_data": null,
        });
        if full {
            let here = |channel: &&Channel| channel.guild == Some(guild.id);
            let channels = self.channels.values().filter(here);
            let (threads, channels): (Vec<&Channel>, Vec<&Channel>) = channels.partition(|c| c.kind == THREAD);
            let list = |channels: Vec<&Channel>| channels.iter().map(|c| self.channel_json(c)).collect::<Value>();
            shown["joined_at"] = json!(iso(0));
            shown["large"] = json!(false);
            shown["unavailable"] = json!(false);
            shown["member_count"] = json!(guild.members.len());
            shown["voice_states"] = json!([]);
            shown["members"] = json!([self.member_json(guild, self.bot, true)]);
            shown["channels"] = list(channels);
            shown["threads"] = list(threads.into_iter().filter(|thread| !thread.archived).collect());
            shown["presences"] = json!([]);
            shown["stage_instances"] = json!([]);
            shown["guild_scheduled_events"] = json!([]);
            shown["soundboard_sounds"] = json!([]);
        }
        shown
    }

    pub fn message_json(&self, message: &Message) -> Value {
        let attachments = message.attachments.iter().map(|file| {
            let url = format!("http://{}/attachments/{}/{}", self.address, file.id, file.name);
            let mut shown = json!({
                "id": file.id.to_string(), "filename": file.name, "size": file.bytes.len(), "url": url,
                "proxy_url": url, "content_type": file.kind,
            });
            if let Some(description) = &file.description {
                shown["description"] = json!(description);
            }
            if let Some((width, height)) = file.dimensions() {
                shown["width"] = json!(width);
                shown["height"] = json!(height);
            }
            shown
        });
        let flags = message.reader.map_or(0, |_| EPHEMERAL) | if message.loading { LOADING } else { 0 };
        let mut shown = json!({
            "id": message.id.to_string(), "channel_id": message.channel.to_string(), "type": if message.interaction.is_some() { 20 } else { 0 },
            "author": self.user_json(message.author), "content": message.content, "timestamp": iso(message.sent),
            "edited_timestamp": message.edited.map(iso), "tts": false, "mention_everyone": message.pings_group,
            "mentions": message.pings.iter().map(|id| self.user_json(*id)).collect::<Vec<_>>(), "mention_roles": [],
            "attachments": attachments.collect::<Vec<_>>(), "embeds": message.embeds, "components": message.components,
            "pinned": false, "flags": flags, "nonce": message.nonce,
        });
        if let Some(interaction) = message.interaction.and_then(|id| self.interactions.get(&id)) {
            let owner = self.channels.get(&message.channel).and_then(|channel| channel.guild).unwrap_or(0);
            shown["interaction_metadata"] = json!({
                "id": interaction.id.to_string(), "type": interaction.kind, "user": self.user_json(interaction.user),
                "authorizing_integration_owners": { "0": owner.to_string() },
            });
            if let Some(pressed) = interaction.source {
                shown["interaction_metadata"]["interacted_message_id"] = json!(pressed.to_string());
            }
        }
        shown
    }
}

impl Attachment {
    /// Reads the size of a PNG from its header.
    fn dimensions(&self) -> Option<(u32, u32)> {
        let size = self.bytes.strip_prefix(b"\x89PNG\r\n\x1a\n")?.get(8..16)?;
        let number = |bytes: &[u8]| bytes.try_into().ok().map(u32::from_be_bytes);
        Some((number(&size[..4])?, number(&size[4..])?))
    }
}

/// Writes a time in milliseconds since 1970 as `2026-11-16T20:00:00Z`.
pub fn iso(time: u64) -> String {
    let (days, seconds) = (time / 86_400_000, time / 1000 % 86_400);
    // Years begin in March here, so that the leap day is the last of its year.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day_of_month:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::iso;

    #[test]
    fn times_are_written_with_the_right_date() {
        for (time, written) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399_000, "2000-02-28T23:59:59Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (1_800_000_000_999, "2027-01-15T08:00:00Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(iso(time), written);
        }
    }
}
