//! The REST endpoints that the bot uses.

use crate::game::{ChannelId, PlayerId, ServerId};
use crate::store::{PostId, RequestId};
use reqwest::Method;

/// An endpoint with its parameters. Tokens of interactions are secrets, so a route has no `Debug`.
#[derive(Clone, Copy)]
pub(crate) enum Route<'a> {
    /// Where the gateway is, and how many shards Discord recommends.
    GetGateway,
    GetApplication,
    /// Replaces all commands of an application.
    PutCommands {
        application: u64,
    },
    /// The first answer to an interaction.
    AnswerInteraction {
        interaction: RequestId,
        token: &'a str,
    },
    GetAnswer {
        application: u64,
        token: &'a str,
    },
    EditAnswer {
        application: u64,
        token: &'a str,
    },
    /// Another message after the first answer.
    PostFollowup {
        application: u64,
        token: &'a str,
    },
    PostMessage {
        channel: ChannelId,
    },
    EditMessage {
        channel: ChannelId,
        post: PostId,
    },
    /// The messages of a channel that are newer than `after`.
    GetMessages {
        channel: ChannelId,
        after: u64,
        limit: usize,
    },
    GetChannel {
        channel: ChannelId,
    },
    EditChannel {
        channel: ChannelId,
    },
    CreateThread {
        channel: ChannelId,
    },
    GetActiveThreads {
        server: ServerId,
    },
    AddThreadMember {
        thread: ChannelId,
        player: PlayerId,
    },
    /// Opens the channel for direct messages to a player.
    OpenDirectChannel,
}

impl Route<'_> {
    pub(crate) const fn method(&self) -> Method {
        match self {
            Self::GetGateway
            | Self::GetApplication
            | Self::GetAnswer { .. }
            | Self::GetMessages { .. }
            | Self::GetChannel { .. }
            | Self::GetActiveThreads { .. } => Method::GET,
            Self::AnswerInteraction { .. }
            | Self::PostFollowup { .. }
            | Self::PostMessage { .. }
            | Self::CreateThread { .. }
            | Self::OpenDirectChannel => Method::POST,
            Self::EditAnswer { .. } | Self::EditMessage { .. } | Self::EditChannel { .. } => Method::PATCH,
            Self::PutCommands { .. } | Self::AddThreadMember { .. } => Method::PUT,
        }
    }

    /// Returns the path below the API's base address.
    pub(crate) fn path(&self) -> String {
        match self {
            Self::GetGateway => String::from("/gateway/bot"),
            Self::GetApplication => String::from("/applications/@me"),
            Self::PutCommands { application } => format!("/applications/{application}/commands"),
            Self::AnswerInteraction { interaction, token } => {
                format!("/interactions/{}/{token}/callback?with_response=true", interaction.0)
            }
            Self::GetAnswer { application, token } | Self::EditAnswer { application, token } => {
                format!("/webhooks/{application}/{token}/messages/@original")
            }
            Self::PostFollowup { application, token } => format!("/webhooks/{application}/{token}"),
            Self::PostMessage { channel } => format!("/channels/{channel}/messages"),
            Self::EditMessage { channel, post } => format!("/channels/{channel}/messages/{post}"),
            Self::GetMessages { channel, after, limit } => {
                format!("/channels/{channel}/messages?after={after}&limit={limit}")
            }
            Self::GetChannel { channel } | Self::EditChannel { channel } => format!("/channels/{channel}"),
            Self::CreateThread { channel } => format!("/channels/{channel}/threads"),
            Self::GetActiveThreads { server } => format!("/guilds/{server}/threads/active"),
            Self::AddThreadMember { thread, player } => format!("/channels/{thread}/thread-members/{}", player.0),
            Self::OpenDirectChannel => String::from("/users/@me/channels"),
        }
    }

    /// Returns the name for the log, without parameters.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::GetGateway => "get gateway",
            Self::GetApplication => "get application",
            Self::PutCommands { .. } => "register commands",
            Self::AnswerInteraction { .. } => "answer interaction",
            Self::GetAnswer { .. } => "get answer",
            Self::EditAnswer { .. } => "edit answer",
            Self::PostFollowup { .. } => "post follow-up",
            Self::PostMessage { .. } => "post message",
            Self::EditMessage { .. } => "edit message",
            Self::GetMessages { .. } => "get messages",
            Self::GetChannel { .. } => "get channel",
            Self::EditChannel { .. } => "edit channel",
            Self::CreateThread { .. } => "create thread",
            Self::GetActiveThreads { .. } => "get active threads",
            Self::AddThreadMember { .. } => "add thread member",
            Self::OpenDirectChannel => "open direct channel",
        }
    }

    /// Returns whether the call is authorized by an interaction's token instead of the bot's. Discord's global rate limit
    /// does not count such calls, and a rejection says nothing about the bot's token.
    pub(crate) const fn answers_interaction(&self) -> bool {
        matches!(
            self,
            Self::AnswerInteraction { .. }
                | Self::GetAnswer { .. }
                | Self::EditAnswer { .. }
                | Self::PostFollowup { .. }
        )
    }

    /// Returns the channel whose rate limit for new messages counts this call. Edits and everything else have limits of
    /// their own.
    pub(crate) const fn posts_in(&self) -> Option<ChannelId> {
        match self {
            Self::PostMessage { channel } => Some(*channel),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_calls_with_the_token_of_an_interaction_answer_one() {
        let token = "abc";
        let answers = [
            Route::AnswerInteraction { interaction: RequestId(1), token },
            Route::GetAnswer { application: 1, token },
            Route::EditAnswer { application: 1, token },
            Route::PostFollowup { application: 1, token },
        ];
        assert!(answers.iter().all(|route| route.answers_interaction() && route.path().contains("/abc")));
        assert!(answers.iter().all(|route| !route.name().contains(token)), "the log never shows a token");
        assert!(!Route::PostMessage { channel: ChannelId(1) }.answers_interaction());
    }

    #[test]
    fn only_new_messages_count_for_the_limit_of_a_channel() {
        let channel = ChannelId(7);
        assert_eq!(Route::PostMessage { channel }.posts_in(), Some(channel));
        assert_eq!(Route::EditMessage { channel, post: PostId(9) }.posts_in(), None);
        assert_eq!(Route::GetMessages { channel, after: 0, limit: 1 }.posts_in(), None);
    }
}
