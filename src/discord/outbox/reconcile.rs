//! Finds the posts of messages that were sent but never confirmed: the call broke off, or the process was killed.

use super::LogFields;
use super::claims::Claims;
use crate::discord::app_handle::AppHandle;
use crate::discord::message::picture_name;
use crate::discord::rest::client::parse_id;
use crate::discord::rest::{BACKGROUND_TIMEOUT, RestClient, RestError, Route};
use crate::game::{ChannelId, Seconds, Timestamp};
use crate::store::{OutboxId, OutboxMessage};
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tracing::{error, info};

/// The epoch of the times in Discord's ids, as a Unix time in milliseconds.
const DISCORD_EPOCH: i64 = 1_420_070_400_000;
/// How far Discord's clock and ours may differ.
const CLOCK_SKEW: Seconds = Seconds(60);
/// How many posts a request returns, and the most requests: players may chat a lot between boards.
const PAGE: usize = 100;
const PAGES: usize = 20;

/// The pause before each look for a post that Discord may still be processing.
const PAUSE: Duration = Duration::from_millis(500);

/// Returns an id below those of all posts made since a time: Discord's ids begin with the time.
fn first_id_at(time: Timestamp) -> u64 {
    let milliseconds = time.0.saturating_mul(1000).saturating_sub(DISCORD_EPOCH);
    u64::try_from(milliseconds).map_or(0, |time| time.saturating_mul(1 << 22))
}

/// Returns whether a post has buttons or a menu.
pub(crate) fn has_components(post: &Value) -> bool {
    post["components"].as_array().is_some_and(|rows| !rows.is_empty())
}

/// Looks in channels for the posts of outbox messages.
pub(crate) struct Reconciler {
    app: AppHandle,
    rest: RestClient,
    claims: Arc<Claims>,
}

impl Reconciler {
    pub(crate) const fn new(app: AppHandle, rest: RestClient, claims: Arc<Claims>) -> Self {
        Self { app, rest, claims }
    }

    /// Looks for the post of a message if an attempt may have succeeded unnoticed. Where the bot may not read the
    /// history, nothing is found.
    pub(crate) async fn find_if_maybe_sent(
        &self,
        message: &OutboxMessage,
        channel: ChannelId,
    ) -> Result<Option<Value>, RestError> {
        if !self.claims.is_maybe_sent(message) {
            return Ok(None);
        }
        match self.find(message, channel).await {
            Err(RestError::Refused { .. }) => Ok(None),
            found => found,
        }
    }

    /// Looks for the post of a message until `end`, because Discord may still be processing it, and at least once.
    pub(crate) async fn find_until(
        &self,
        end: Instant,
        outbox_id: OutboxId,
        channel: ChannelId,
    ) -> Result<Option<Value>, RestError> {
        loop {
            tokio::time::sleep(PAUSE).await;
            match self.find_by_id(outbox_id, channel).await {
                Ok(None) if Instant::now() < end => {}
                found => return found,
            }
        }
    }

    /// Reads a message from the store and looks for its post.
    pub(crate) async fn find_by_id(&self, outbox_id: OutboxId, channel: ChannelId) -> Result<Option<Value>, RestError> {
        let read = self.app.run(move |app| app.store().session()?.message(outbox_id)).await;
        let message = read.unwrap_or_else(|error| {
            error!(outbox = outbox_id.0, %error, "outbox message cannot be read, looking for its post again before it is posted");
            None
        });
        let unreadable = || RestError::Unclear(String::from("the outbox message cannot be read"));
        self.find(&message.ok_or_else(unreadable)?, channel).await
    }

    async fn find(&self, message: &OutboxMessage, channel: ChannelId) -> Result<Option<Value>, RestError> {
        let mut after = first_id_at(message.made - CLOCK_SKEW);
        for _ in 0..PAGES {
            let mut page =
                self.rest.get(Route::GetMessages { channel, after, limit: PAGE }, BACKGROUND_TIMEOUT).await?;
            let page = page.as_array_mut().map(std::mem::take).unwrap_or_default();
            let newest = page.iter().filter_map(parse_id).max().filter(|_| page.len() >= PAGE);
            if let Some(found) = self.find_among(page, message).await? {
                let LogFields { outbox, game, challenge, .. } = LogFields::of(message);
                let (channel, post) = (channel.0, parse_id(&found));
                info!(outbox, game, challenge, channel, post, "message was posted before, not posting it again");
                return Ok(Some(found));
            }
            match newest {
                Some(newest) => after = newest,
                None => break,
            }
        }
        Ok(None)
    }

    /// Finds the post of a message among others: by its picture, or as the answer to its request.
    async fn find_among(&self, mut page: Vec<Value>, message: &OutboxMessage) -> Result<Option<Value>, RestError> {
        // No other bot uses these file names or answers our interactions.
        page.retain(|found| found["author"]["bot"] == true);
        let name = picture_name(Some(message.id));
        let has_picture = |found: &Value| {
            let mut files = found["attachments"].as_array().into_iter().flatten();
            files.any(|file| file["filename"] == name.as_str())
        };
        match page.iter().position(has_picture) {
            Some(index) => Ok(Some(page.swap_remove(index))),
            None => self.find_answer_among(page, message).await,
        }
    }

    /// Finds the answer to the request that caused a message: the only sign of a post without a picture.
    async fn find_answer_among(&self, page: Vec<Value>, message: &OutboxMessage) -> Result<Option<Value>, RestError> {
        let Some(request) = message.request else { return Ok(None) };
        let handled = self.app.run(move |app| app.store().session()?.handled_request(request)).await;
        let handled = handled.map_err(|error| {
            let LogFields { outbox, game, challenge, channel } = LogFields::of(message);
            error!(outbox, game, challenge, channel, request = request.0, %error, "the request of an outbox message cannot be read, looking for its post again before it is posted");
            RestError::Unclear(String::from("the request of the outbox message cannot be read"))
        })?;
        // A request may cause several messages, and only one of them is its answer.
        let answer = handled.and_then(|handled| handled.message);
        if answer.is_none_or(|answer| answer.id != message.id) {
            return Ok(None);
        }
        let interaction = request.0.to_string();
        Ok(page.into_iter().find(|found| found["interaction_metadata"]["id"] == interaction.as_str()))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::discord::interaction::Source;
    use crate::discord::test_bot::{ATTACKER, TestBot, first_move, picture};
    use crate::discord::test_log::collect_lines;
    use crate::game::OutboxBody;
    use crate::store::{Commit, Effect, NewBody, RequestId};
    use fake_discord::rest::Failure;
    use fake_discord::state::permissions;

    impl TestBot {
        /// Looks for a message in the channel; returns the id of the post.
        async fn find(&self, message: &OutboxMessage) -> Option<u64> {
            let found = self.bot.responder.followups.reconciler.find_by_id(message.id, self.place.channel).await;
            found.unwrap().as_ref().and_then(parse_id)
        }
    }

    #[test]
    fn times_become_ids_as_discord_makes_them() {
        // The example in Discord's documentation was made at 1462015105 s and 796 ms.
        const EXAMPLE: u64 = 175_928_847_299_117_063;
        let at = 1_462_015_105;
        assert!(first_id_at(Timestamp(at)) < EXAMPLE && EXAMPLE < first_id_at(Timestamp(at + 1)));
        let odd = [0, -1, i64::MIN, i64::MAX].map(|time| first_id_at(Timestamp(time)));
        assert_eq!(odd, [0, 0, 0, u64::MAX], "times in a damaged row");
    }

    #[tokio::test]
    async fn a_post_is_found_by_the_name_of_its_picture_and_not_somebody_elses() {
        let test = TestBot::start().await;
        let (_, message) = test.start_game();
        let name = picture_name(Some(message.id));
        test.add_post(Some(ATTACKER), |post| post.attachments = vec![picture(&name)]);
        test.add_post(None, |post| post.attachments = vec![picture("board-77.png")]);
        assert_eq!(test.find(&message).await, None);
        let ours = test.add_post(None, |post| post.attachments = vec![picture("other.png"), picture(&name)]);
        test.add_post(None, |_| {});
        assert_eq!(test.find(&message).await, Some(ours));
    }

    #[tokio::test]
    async fn a_post_without_a_picture_is_found_as_the_answer_to_its_request() {
        let test = TestBot::start().await;
        let (game, _) = test.start_game();
        let [request, other] = [(); 2].map(|()| test.interact(first_move(game), Source::Command).interaction.id);
        let body = NewBody::Known(OutboxBody::began(game));
        let post = Effect::AddMessage { body, place: test.place, ping: None };
        let commit = Commit { request: Some(request), effects: vec![post.clone(), post], now: test.now() };
        let store = test.store();
        let saved = store.commit(commit).unwrap().messages;
        let [answer, second] = [0, 1].map(|n| store.session().unwrap().message(saved[n].id).unwrap().unwrap());
        test.add_post(None, |post| post.interaction = Some(other.0));
        assert_eq!(test.find(&answer).await, None);
        let ours = test.add_post(None, |post| post.interaction = Some(request.0));
        assert_eq!(test.find(&answer).await, Some(ours));
        // It is posted by itself, although the same request caused it.
        assert_eq!(test.find(&second).await, None);
    }

    #[tokio::test]
    async fn a_post_is_found_among_many_others() {
        let test = TestBot::start().await;
        let (_, message) = test.start_game();
        for _ in 0..PAGE * 2 + 1 {
            test.add_post(Some(ATTACKER), |_| {});
        }
        let ours = test.add_post(None, |post| post.attachments = vec![picture(&picture_name(Some(message.id)))]);
        assert_eq!(test.find(&message).await, Some(ours));
    }

    #[tokio::test]
    async fn only_what_may_have_been_posted_is_looked_for() {
        let test = TestBot::start().await;
        let ((_, message), channel) = (test.start_game(), test.place.channel);
        let ours = test.add_post(None, |post| post.attachments = vec![picture(&picture_name(Some(message.id)))]);
        let look = || test.bot.responder.followups.reconciler.find_if_maybe_sent(&message, channel);
        assert_eq!(look().await, Ok(None));
        assert!(test.discord.requests_to("GET /channels/*/messages").is_empty(), "it costs no call");
        test.bot.claims.mark_maybe_sent(message.id);
        assert_eq!(look().await.unwrap().as_ref().and_then(parse_id), Some(ours));
        test.discord.fail_next("GET /channels/*/messages", 1, Failure::Status(500));
        assert!(look().await.is_err(), "it may be there: posting it now could double it");
        test.discord.deny_bot(channel.0, permissions::VIEW);
        assert_eq!(look().await, Ok(None), "the bot will never find out");
    }

    #[tokio::test]
    async fn an_answer_is_not_taken_for_missing_because_its_request_cannot_be_read() {
        let test = TestBot::start().await;
        let ((_, message), channel) = (test.start_game(), test.place.channel);
        let message = OutboxMessage { request: Some(RequestId(7)), ..message };
        test.bot.claims.mark_maybe_sent(message.id);
        let look = || test.bot.responder.followups.reconciler.find_if_maybe_sent(&message, channel);
        assert_eq!(look().await, Ok(None));
        let (lines, logging) = collect_lines();
        test.store().clone().close().unwrap();
        assert!(matches!(look().await, Err(RestError::Unclear(_))), "posting it now could double it");
        drop(logging);
        let logged = "the request of an outbox message cannot be read, looking for its post again before it is posted";
        assert!(lines.lock().unwrap().iter().any(|line| line == logged));
    }
}
