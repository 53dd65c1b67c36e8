//! An interaction becomes a request: who, where, what; and what the bot may do there.

use crate::app::autocomplete::Typing;
use crate::app::{BadCommand, Command, OptionValue, Person};
use crate::commands::custom_id;
use crate::commands::{CommandSpec, OptionKind};
use crate::game::{BotPermissions, GameId, Place, PlayerId};
use crate::text::{refusals, sanitize};
use serenity::all::{
    ChannelId, ChannelType, CommandInteraction, ComponentInteraction, ComponentInteractionDataKind, GuildId,
    Interaction, Member, MessageFlags, PartialChannel, PartialMember, Permissions, ResolvedValue, User,
};

/// What there is to answer.
pub(super) struct Incoming {
    pub(super) ticket: InteractionHandle,
    pub(super) person: Person,
    pub(super) place: Place,
    pub(super) rights: BotPermissions,
    pub(super) source: Source,
    pub(super) what: IncomingKind,
}

/// With what an interaction is answered.
#[derive(Clone)]
pub(super) struct InteractionHandle {
    pub(super) id: u64,
    pub(super) application: u64,
    /// Good for one answer and fifteen minutes. Never logged.
    pub(super) token: String,
}

/// What somebody wants.
pub(super) enum IncomingKind {
    Command(Command),
    /// What was typed so far.
    Typing(Typed),
    /// What is typed where nothing can be suggested.
    TypingInVain,
    /// What cannot be understood, with what to say to that.
    Nonsense(String),
}

/// What is being typed.
pub(super) struct Typed {
    kind: OptionKind,
    text: String,
    game: Option<GameId>,
    variant: Option<String>,
}

/// What an interaction comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// A command.
    Command,
    /// A button or menu that everybody sees.
    PublicPost,
    /// A button or menu that only this player sees.
    PrivateMessage,
}

impl Incoming {
    /// Understands an interaction; nothing for a kind that the bot never asked for.
    pub(super) fn understand(interaction: Interaction) -> Option<Self> {
        match interaction {
            Interaction::Command(command) => Some(Self::command(command, false)),
            Interaction::Autocomplete(command) => Some(Self::command(command, true)),
            Interaction::Component(component) => Some(Self::component(component)),
            _ => None,
        }
    }

    /// Has the one who asked read something instead of what was asked for.
    pub(super) fn refuse(&mut self, words: String) {
        self.what = match self.what {
            IncomingKind::Typing(_) | IncomingKind::TypingInVain => IncomingKind::TypingInVain,
            IncomingKind::Command(_) | IncomingKind::Nonsense(_) => IncomingKind::Nonsense(words),
        };
    }

    fn command(command: CommandInteraction, typing: bool) -> Self {
        let what = if typing { read_typing(&command) } else { read_command(&command) };
        let place = place(command.guild_id, command.channel.as_ref(), command.channel_id);
        Self {
            person: speaker(command.member.as_deref(), &command.user),
            rights: rights(command.app_permissions),
            place,
            source: Source::Command,
            what,
            ticket: InteractionHandle {
                id: command.id.get(),
                application: command.application_id.get(),
                token: command.token,
            },
        }
    }

    fn component(component: ComponentInteraction) -> Self {
        let code = match &component.data.kind {
            ComponentInteractionDataKind::StringSelect { values } => values.first().map_or("", String::as_str),
            _ => &component.data.custom_id,
        };
        let what = custom_id::decode(code)
            .map_or_else(|| IncomingKind::Nonsense(refusals::unknown_button()), IncomingKind::Command);
        let private = component.message.flags.is_some_and(|flags| flags.contains(MessageFlags::EPHEMERAL));
        let place = place(component.guild_id, component.channel.as_ref(), component.channel_id);
        Self {
            person: speaker(component.member.as_ref(), &component.user),
            rights: rights(component.app_permissions),
            place,
            source: if private { Source::PrivateMessage } else { Source::PublicPost },
            what,
            ticket: InteractionHandle {
                id: component.id.get(),
                application: component.application_id.get(),
                token: component.token,
            },
        }
    }
}

impl Typed {
    /// Puts what is typed into the form that the completion wants.
    pub(super) fn by<'t>(&'t self, person: &'t Person, place: Place) -> Typing<'t> {
        let Self { kind, text, game, variant } = self;
        Typing { person, place, kind: *kind, typed: text, game: *game, variant: variant.as_deref() }
    }
}

fn rights(permissions: Option<Permissions>) -> BotPermissions {
    let Some(granted) = permissions else { return BotPermissions::ALL };
    let has = |wanted: Permissions| granted.contains(wanted);
    BotPermissions {
        see: has(Permissions::VIEW_CHANNEL),
        post: has(Permissions::SEND_MESSAGES),
        embed: has(Permissions::EMBED_LINKS),
        attach: has(Permissions::ATTACH_FILES),
        make_threads: has(Permissions::CREATE_PUBLIC_THREADS),
        post_in_threads: has(Permissions::SEND_MESSAGES_IN_THREADS),
        read_history: has(Permissions::READ_MESSAGE_HISTORY),
    }
}

fn place(server: Option<GuildId>, channel: Option<&PartialChannel>, id: ChannelId) -> Place {
    let server = server.map(GuildId::get);
    let thread = channel.filter(|channel| {
        matches!(channel.kind, ChannelType::PublicThread | ChannelType::PrivateThread | ChannelType::NewsThread)
    });
    match thread.and_then(|thread| thread.parent_id) {
        Some(parent) => Place { server, channel: parent.get(), thread: Some(id.get()) },
        None => Place { server, channel: id.get(), thread: None },
    }
}

/// Somebody who speaks, by the name that is the same everywhere: what he is called in one server is no business of another.
fn speaker(member: Option<&Member>, user: &User) -> Person {
    let user = member.map_or(user, |member| &member.user);
    Person {
        id: PlayerId(user.id.get()),
        name: sanitize::name(user.display_name()),
        is_bot: user.bot,
        can_see_channel: true,
    }
}

/// Somebody who was named. Whoever is not in the server, or does not see the channel, would never know of it.
fn named(user: &User, member: Option<&PartialMember>, in_server: bool) -> Person {
    let sees = match member {
        Some(member) => member.permissions.is_none_or(|granted| granted.contains(Permissions::VIEW_CHANNEL)),
        None => !in_server,
    };
    Person {
        id: PlayerId(user.id.get()),
        name: sanitize::name(user.display_name()),
        is_bot: user.bot,
        can_see_channel: sees,
    }
}

/// Tells whether somebody may manage the server, as Discord says with what he does. Discord offers such commands only
/// to those who may, but what a server has set there is not the last word.
fn manages(member: Option<&Member>) -> bool {
    let granted = member.and_then(|member| member.permissions).unwrap_or_default();
    granted.intersects(Permissions::MANAGE_GUILD | Permissions::ADMINISTRATOR)
}

fn read_command(command: &CommandInteraction) -> IncomingKind {
    let reserved = CommandSpec::find(&command.data.name).is_some_and(|known| known.moderators_only);
    if reserved && !manages(command.member.as_deref()) {
        return IncomingKind::Nonsense(refusals::only_for_moderators());
    }
    let in_server = command.guild_id.is_some();
    let said = command.data.options().into_iter().filter_map(|option| {
        let value = match option.value {
            ResolvedValue::String(text) => OptionValue::Text(text.to_owned()),
            ResolvedValue::User(user, member) => OptionValue::Person(named(user, member, in_server)),
            _ => return None,
        };
        Some((option.name.to_owned(), value))
    });
    match Command::parse(&command.data.name, said.collect()) {
        Ok(command) => IncomingKind::Command(command),
        Err(BadCommand::NotAChoice { option, said, choices }) => {
            IncomingKind::Nonsense(refusals::bad_option(option, &said, &choices))
        }
        Err(_) => IncomingKind::Nonsense(refusals::unknown_command()),
    }
}

fn read_typing(command: &CommandInteraction) -> IncomingKind {
    let Some(focused) = command.data.autocomplete() else { return IncomingKind::TypingInVain };
    let option = CommandSpec::find(&command.data.name).and_then(|command| command.option(focused.name));
    let Some(option) = option else { return IncomingKind::TypingInVain };
    let (mut game, mut variant) = (None, None);
    for other in command.data.options() {
        match (other.name, other.value) {
            ("game", ResolvedValue::String(text)) => {
                game = text.trim().trim_start_matches('#').parse().ok().map(GameId);
            }
            ("variant", ResolvedValue::String(text)) => variant = Some(text.to_owned()),
            _ => {}
        }
    }
    IncomingKind::Typing(Typed { kind: option.kind, text: focused.value.to_owned(), game, variant })
}
