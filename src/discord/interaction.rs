//! Reads interactions: who asks, where, for what, and what the bot may do there.

use super::permissions::bot_permissions;
use crate::app::autocomplete::FocusedOption;
use crate::app::{BadCommand, Command, OptionValue, Person};
use crate::commands::custom_id;
use crate::commands::{CommandSpec, OptionKind};
use crate::game::{BotPermissions, ChannelId, GameId, Place, PlayerId, ServerId};
use crate::store::RequestId;
use crate::text::{refusals, sanitize};
use serenity::all::{
    ChannelType, CommandInteraction, ComponentInteraction, ComponentInteractionDataKind, GuildId, Interaction, Member,
    MessageFlags, PartialChannel, PartialMember, Permissions, ResolvedValue, User,
};
use tracing::info;

/// An interaction that needs an answer.
pub(super) struct Incoming {
    pub(super) interaction: InteractionHandle,
    pub(super) person: Person,
    pub(super) place: Place,
    pub(super) permissions: BotPermissions,
    pub(super) source: Source,
    pub(super) kind: IncomingKind,
}

/// What it takes to answer an interaction.
#[derive(Clone)]
pub(super) struct InteractionHandle {
    pub(super) id: RequestId,
    pub(super) player: PlayerId,
    pub(super) application: u64,
    /// Valid for one answer, and for follow-ups during fifteen minutes. Never logged.
    pub(super) token: String,
}

/// What an interaction asks for.
pub(super) enum IncomingKind {
    Command(Command),
    /// Suggestions for a command that is being typed.
    Autocomplete(TypedOption),
    /// Suggestions for an option that has none.
    EmptyAutocomplete,
    /// Something that is not carried out; the text says why.
    Rejected(String),
}

impl IncomingKind {
    pub(super) const fn is_autocomplete(&self) -> bool {
        matches!(self, Self::Autocomplete(_) | Self::EmptyAutocomplete)
    }
}

/// The option that is being typed, and the other options that matter for its suggestions.
pub(super) struct TypedOption {
    kind: OptionKind,
    text: String,
    game: Option<GameId>,
    variant: Option<String>,
}

/// What an interaction comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// A slash command.
    Command,
    /// A button or menu below a public message.
    PublicMessage,
    /// A button or menu below a message that only this player sees.
    PrivateMessage,
}

impl Incoming {
    /// Reads an interaction; returns `None` for a kind that the bot does not use.
    pub(super) fn read(interaction: Interaction) -> Option<Self> {
        match interaction {
            Interaction::Command(command) => Some(Self::command(command, false)),
            Interaction::Autocomplete(command) => Some(Self::command(command, true)),
            Interaction::Component(component) => Some(Self::component(component)),
            _ => None,
        }
    }

    /// Replaces what was asked for by a text that says why it is not carried out.
    pub(super) fn reject(&mut self, text: String) {
        self.kind =
            if self.kind.is_autocomplete() { IncomingKind::EmptyAutocomplete } else { IncomingKind::Rejected(text) };
    }

    fn command(command: CommandInteraction, autocomplete: bool) -> Self {
        let kind = if autocomplete { read_autocomplete(&command) } else { read_command(&command) };
        let place = place(command.guild_id, command.channel.as_ref(), command.channel_id);
        Self {
            person: author(command.member.as_deref(), &command.user),
            permissions: bot_permissions(command.app_permissions),
            place,
            source: Source::Command,
            kind,
            interaction: InteractionHandle {
                id: RequestId(command.id.get()),
                player: PlayerId(command.user.id.get()),
                application: command.application_id.get(),
                token: command.token,
            },
        }
    }

    fn component(component: ComponentInteraction) -> Self {
        let id = match &component.data.kind {
            ComponentInteractionDataKind::StringSelect { values } => values.first().map_or("", String::as_str),
            _ => &component.data.custom_id,
        };
        let kind = custom_id::decode(id)
            .map_or_else(|| IncomingKind::Rejected(refusals::unknown_button()), IncomingKind::Command);
        let private = component.message.flags.is_some_and(|flags| flags.contains(MessageFlags::EPHEMERAL));
        let place = place(component.guild_id, component.channel.as_ref(), component.channel_id);
        Self {
            person: author(component.member.as_ref(), &component.user),
            permissions: bot_permissions(component.app_permissions),
            place,
            source: if private { Source::PrivateMessage } else { Source::PublicMessage },
            kind,
            interaction: InteractionHandle {
                id: RequestId(component.id.get()),
                player: PlayerId(component.user.id.get()),
                application: component.application_id.get(),
                token: component.token,
            },
        }
    }
}

impl TypedOption {
    /// Returns the query for [`crate::app::autocomplete`].
    pub(super) fn query<'t>(&'t self, person: &'t Person, place: Place) -> FocusedOption<'t> {
        let Self { kind, text, game, variant } = self;
        FocusedOption { person, place, kind: *kind, typed: text, game: *game, variant: variant.as_deref() }
    }
}

fn place(guild: Option<GuildId>, channel: Option<&PartialChannel>, id: serenity::all::ChannelId) -> Place {
    let (server, id) = (guild.map(|guild| ServerId(guild.get())), ChannelId(id.get()));
    let thread = channel.filter(|channel| {
        matches!(channel.kind, ChannelType::PublicThread | ChannelType::PrivateThread | ChannelType::NewsThread)
    });
    match thread.and_then(|thread| thread.parent_id) {
        Some(parent) => Place { server, channel: ChannelId(parent.get()), thread: Some(id) },
        None => Place { server, channel: id, thread: None },
    }
}

/// Reads who sent the interaction. The name is the global one: a nickname in one server must not show up in another.
fn author(member: Option<&Member>, user: &User) -> Person {
    let user = member.map_or(user, |member| &member.user);
    Person {
        id: PlayerId(user.id.get()),
        name: sanitize::name(user.display_name()),
        is_bot: user.bot,
        can_see_channel: true,
    }
}

/// Reads a person who is the value of an option. A person who is not in the server or does not see the channel would
/// never notice a challenge there.
fn mentioned(user: &User, member: Option<&PartialMember>, in_server: bool) -> Person {
    let can_see_channel = match member {
        Some(member) => member.permissions.is_none_or(|granted| granted.contains(Permissions::VIEW_CHANNEL)),
        None => !in_server,
    };
    Person { id: PlayerId(user.id.get()), name: sanitize::name(user.display_name()), is_bot: user.bot, can_see_channel }
}

/// Returns whether a member may manage the server. Discord offers moderators' commands only to those who may, but a
/// server can override that.
fn is_moderator(member: Option<&Member>) -> bool {
    let granted = member.and_then(|member| member.permissions).unwrap_or_default();
    granted.intersects(Permissions::MANAGE_GUILD | Permissions::ADMINISTRATOR)
}

fn read_command(command: &CommandInteraction) -> IncomingKind {
    let for_moderators = CommandSpec::find(&command.data.name).is_some_and(|known| known.moderators_only);
    if for_moderators && !is_moderator(command.member.as_deref()) {
        return IncomingKind::Rejected(refusals::only_for_moderators());
    }
    let in_server = command.guild_id.is_some();
    let options = command.data.options().into_iter().filter_map(|option| {
        let value = match option.value {
            ResolvedValue::String(text) => OptionValue::Text(text.to_owned()),
            ResolvedValue::User(user, member) => OptionValue::Person(mentioned(user, member, in_server)),
            // Only commands of another version have options of other types. If a required one is missing now, parsing
            // fails below.
            _ => return None,
        };
        Some((option.name.to_owned(), value))
    });
    match Command::parse(&command.data.name, options.collect()) {
        Ok(command) => IncomingKind::Command(command),
        Err(BadCommand::NotAChoice { option, value, choices }) => {
            IncomingKind::Rejected(refusals::bad_option(option, &value, &choices))
        }
        Err(error) => {
            let (request, command) = (command.id.get(), command.data.name.as_str());
            info!(request, command, %error, "command of another version of the bot, asking the player to reload Discord");
            IncomingKind::Rejected(refusals::unknown_command())
        }
    }
}

fn read_autocomplete(command: &CommandInteraction) -> IncomingKind {
    let Some(focused) = command.data.autocomplete() else { return IncomingKind::EmptyAutocomplete };
    let option = CommandSpec::find(&command.data.name).and_then(|command| command.option(focused.name));
    let Some(option) = option else { return IncomingKind::EmptyAutocomplete };
    let (mut game, mut variant) = (None, None);
    for other in command.data.options() {
        match (other.name, other.value) {
            ("game", ResolvedValue::String(text)) => game = GameId::parse(text),
            ("variant", ResolvedValue::String(text)) => variant = Some(text.to_owned()),
            _ => {}
        }
    }
    IncomingKind::Autocomplete(TypedOption { kind: option.kind, text: focused.value.to_owned(), game, variant })
}
