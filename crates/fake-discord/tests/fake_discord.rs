//! Tests of the fake Discord with serenity, the client that the bot uses.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use fake_discord::client::{ClientError, Post};
use fake_discord::rest::Failure;
use fake_discord::state::{Callback, permissions};
use fake_discord::validation::Validator;
use fake_discord::{FakeDiscord, WAIT_LIMIT};
use serde_json::{Value, json};
use serenity::all::{
    ActionRowComponent, AutoArchiveDuration, ButtonStyle, ChannelId, ChannelType, ClientBuilder, CommandOptionType,
    Context, CreateActionRow, CreateAllowedMentions, CreateAttachment, CreateAutocompleteResponse, CreateButton,
    CreateCommand, CreateCommandOption, CreateInteractionResponse, CreateInteractionResponseFollowup,
    CreateInteractionResponseMessage, CreateMessage, CreateThread, EditInteractionResponse, EditMessage, EventHandler,
    GatewayIntents, Http, HttpBuilder, HttpError, Interaction, InteractionContext, Nonce, Permissions, UserId,
};
use serenity::async_trait;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

/// A bot that hands every interaction to the test.
struct TestBot {
    http: Arc<Http>,
    received: UnboundedReceiver<Interaction>,
    running: JoinHandle<()>,
}

struct Handler(UnboundedSender<Interaction>);

#[async_trait]
impl EventHandler for Handler {
    async fn interaction_create(&self, _: Context, interaction: Interaction) {
        let _ = self.0.send(interaction);
    }
}

impl Drop for TestBot {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl TestBot {
    async fn log_in(discord: &FakeDiscord) -> Self {
        let token = discord.state.read(|state| state.token.clone());
        let http = HttpBuilder::new(&token).proxy(discord.base()).ratelimiter_disabled(true).build();
        let (sender, received) = unbounded_channel();
        let client = ClientBuilder::new_with_http(http, GatewayIntents::GUILDS);
        let mut client = client.event_handler(Handler(sender)).await.unwrap();
        let http = Arc::clone(&client.http);
        let running = tokio::spawn(async move { drop(client.start().await) });
        discord.wait_until("the login", |state| state.gateway.connected().then_some(())).await;
        let me = http.get_current_application_info().await.unwrap();
        http.set_application_id(me.id);
        let option = |kind, name| CreateCommandOption::new(kind, name, "Something");
        let commands = vec![
            CreateCommand::new("say")
                .description("Say something")
                .add_option(option(CommandOptionType::String, "what").required(true).set_autocomplete(true)),
            CreateCommand::new("greet")
                .description("Greet somebody")
                .add_option(option(CommandOptionType::User, "whom").required(true)),
            CreateCommand::new("rule")
                .description("Rule over all")
                .default_member_permissions(Permissions::MANAGE_GUILD)
                .contexts(vec![InteractionContext::Guild]),
        ];
        http.create_global_commands(&commands).await.unwrap();
        Self { http, received, running }
    }

    async fn next_interaction(&mut self) -> Interaction {
        tokio::time::timeout(WAIT_LIMIT, self.received.recv()).await.expect("an interaction").unwrap()
    }

    async fn answer(&self, interaction: &Interaction, message: CreateInteractionResponseMessage) -> Result<(), Value> {
        self.respond(interaction, CreateInteractionResponse::Message(message)).await
    }

    async fn respond(&self, interaction: &Interaction, response: CreateInteractionResponse) -> Result<(), Value> {
        let done = match interaction {
            Interaction::Command(command) => command.create_response(&self.http, response).await,
            Interaction::Component(component) => component.create_response(&self.http, response).await,
            Interaction::Autocomplete(typing) => typing.create_response(&self.http, response).await,
            other => panic!("{other:?} was not expected"),
        };
        done.map_err(|error| status_and_code(&error))
    }
}

/// Returns the status and the code of an error, as Discord said them.
fn status_and_code(error: &serenity::Error) -> Value {
    match error {
        serenity::Error::Http(HttpError::UnsuccessfulRequest(response)) => {
            json!([response.status_code.as_u16(), response.error.code])
        }
        serenity::Error::Http(HttpError::Request(_)) => json!("cut"),
        other => json!(other.to_string()),
    }
}

fn said(text: &str) -> CreateInteractionResponseMessage {
    CreateInteractionResponseMessage::new().content(text)
}

/// Returns a picture of two by one pixels.
fn picture() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header().unwrap().write_image_data(&[0, 255]).unwrap();
    bytes
}

#[tokio::test]
async fn a_response_shows_its_picture_buttons_and_pings() {
    let discord = FakeDiscord::start().await;
    let (ann, bo) = (discord.add_user("Ann"), discord.add_user("Bo"));
    let mut bot = TestBot::log_in(&discord).await;

    let id = ann.send_slash("greet", &[("whom", bo.mention())]).unwrap();
    let received = bot.next_interaction().await;
    let Interaction::Command(command) = &received else { panic!("not a command") };
    assert_eq!(command.user.global_name.as_deref(), Some("Ann"));
    let whom = command.data.resolved.users.values().next().unwrap();
    assert_eq!(whom.global_name.as_deref(), Some("Bo"));
    assert!(command.app_permissions.unwrap().attach_files());

    let button = CreateButton::new("1/wave").label("Wave").style(ButtonStyle::Primary);
    let answer = said(&format!("Hail {} and {} and @everyone", bo.mention(), ann.mention()))
        .allowed_mentions(CreateAllowedMentions::new().users([UserId::new(bo.id)]))
        .button(button)
        .add_file(CreateAttachment::bytes(picture(), "board.png").description("A board"));
    bot.answer(&received, answer).await.unwrap();

    let post = ann.answer(id).await.unwrap();
    assert_eq!(post.response, Some(Callback::Message));
    assert!(post.text().starts_with("Hail"));
    assert_eq!(post.buttons(), ["Wave"]);
    assert_eq!((post.picture_size(), post.alt_text().as_deref()), (Some((2, 1)), Some("A board")));
    assert!(post.is_public() && post.pings_only(&bo) && !post.pings_only(&ann));

    let click = bo.send_click(&post, "Wave").unwrap();
    let received = bot.next_interaction().await;
    let Interaction::Component(component) = &received else { panic!("not a button") };
    assert_eq!(component.data.custom_id, "1/wave");
    assert_eq!(component.message.attachments[0].width, Some(2));
    assert!(matches!(component.message.components[0].components[0], ActionRowComponent::Button(_)));
    let update = CreateInteractionResponseMessage::new().content("Waved").components(Vec::new());
    bot.respond(&received, CreateInteractionResponse::UpdateMessage(update)).await.unwrap();
    assert_eq!(bo.answer(click).await.unwrap().response, Some(Callback::Update));
    assert_eq!((post.text().as_str(), post.buttons().len(), post.edits()), ("Waved", 0, 1));
}

#[tokio::test]
async fn a_token_allows_one_first_response_and_edits_for_fifteen_minutes() {
    let discord = FakeDiscord::start().await;
    let ann = discord.add_user("Ann");
    let mut bot = TestBot::log_in(&discord).await;

    ann.send_slash("say", &[("what", "a")]).unwrap();
    let received = bot.next_interaction().await;
    let Interaction::Command(command) = &received else { panic!("not a command") };
    let edit = |text: &str| command.edit_response(&bot.http, EditInteractionResponse::new().content(text));
    assert_eq!(status_and_code(&edit("too early").await.unwrap_err()), json!([404, 10015]));
    bot.answer(&received, said("once")).await.unwrap();
    assert_eq!(bot.answer(&received, said("twice")).await, Err(json!([400, 40060])));
    edit("changed").await.unwrap();
    assert_eq!(command.get_response(&bot.http).await.unwrap().content, "changed");
    let more = CreateInteractionResponseFollowup::new().content("more").ephemeral(true);
    let more = command.create_followup(&bot.http, more).await.unwrap();
    command.delete_followup(&bot.http, more.id).await.unwrap();
    assert!(Post::new(discord.clone(), more.id.get()).is_deleted());
    discord.advance(Duration::from_secs(16 * 60));
    assert_eq!(status_and_code(&edit("too late").await.unwrap_err()), json!([401, 50027]));

    ann.send_slash("say", &[("what", "a")]).unwrap();
    let received = bot.next_interaction().await;
    discord.expire_interactions();
    assert_eq!(bot.answer(&received, said("too late")).await, Err(json!([404, 10062])));
    assert_eq!(discord.posts_saying(discord.channel, "").len(), 1);
}

#[tokio::test]
async fn a_deferred_response_is_filled_in() {
    let discord = FakeDiscord::start().await;
    let ann = discord.add_user("Ann");
    let mut bot = TestBot::log_in(&discord).await;
    let id = ann.send_slash("say", &[("what", "a")]).unwrap();
    let received = bot.next_interaction().await;
    let Interaction::Command(command) = &received else { panic!("not a command") };
    let thinking = CreateInteractionResponse::Defer(CreateInteractionResponseMessage::new().ephemeral(true));
    bot.respond(&received, thinking).await.unwrap();
    command.edit_response(&bot.http, EditInteractionResponse::new().content("thought")).await.unwrap();
    let post = ann.answer(id).await.unwrap();
    assert_eq!((post.text().as_str(), post.response.as_ref()), ("thought", Some(&Callback::Deferred)));
    assert!(post.is_private_for(&ann));
}

#[tokio::test]
async fn users_can_do_only_what_a_client_lets_them_do() {
    let discord = FakeDiscord::start().await;
    let (ann, bo) = (discord.add_user("Ann"), discord.add_user("Bo"));
    let mut bot = TestBot::log_in(&discord).await;
    let impossible = |outcome: Result<_, ClientError>| matches!(outcome, Err(ClientError::NotPossible(_)));
    assert!(impossible(ann.send_slash("sing", &[])), "an unknown command");
    assert!(impossible(ann.send_slash("say", &[])), "an option is missing");
    assert!(impossible(ann.send_slash("say", &[("what", "a"), ("why", "b")])), "an unknown option");
    assert!(impossible(ann.send_slash("greet", &[("whom", "Bo")])), "not a person");
    assert!(impossible(ann.send_slash("rule", &[])), "not for everybody");
    bo.make_moderator();
    assert!(bo.send_slash("rule", &[]).is_ok());
    bot.next_interaction().await;
    assert!(impossible(bo.in_dm().send_slash("rule", &[])), "only in a server");

    let id = ann.send_slash("say", &[("what", "a")]).unwrap();
    let received = bot.next_interaction().await;
    let button = CreateButton::new("x").label("Press");
    bot.answer(&received, said("secret").ephemeral(true).button(button)).await.unwrap();
    let secret = ann.answer(id).await.unwrap();
    assert!(secret.is_private_for(&ann));
    assert!(impossible(bo.send_click(&secret, "Press")), "somebody else's private message");
    assert!(impossible(ann.send_click(&secret, "Pull")), "a button that is not there");
    assert!(ann.send_click(&secret, "Press").is_ok());
    bot.next_interaction().await;
    let channel = ChannelId::new(discord.channel);
    let seen = channel.message(&bot.http, secret.id).await;
    assert_eq!(status_and_code(&seen.unwrap_err()), json!([404, 10008]), "a channel does not know private messages");

    let elsewhere = discord.create_channel("elsewhere");
    bo.hide_channel(elsewhere);
    assert!(impossible(bo.at(elsewhere).send_slash("say", &[("what", "a")])), "a hidden channel");
    discord.set_response_deadline(Duration::from_millis(50));
    assert_eq!(ann.try_slash("say", &[("what", "a")]).await.err(), Some(ClientError::NoResponse));
}

#[tokio::test]
async fn autocomplete_returns_the_suggestions_of_the_bot() {
    let discord = FakeDiscord::start().await;
    let ann = discord.add_user("Ann");
    let mut bot = TestBot::log_in(&discord).await;
    let answering = async {
        let received = bot.next_interaction().await;
        let Interaction::Autocomplete(typing) = &received else { panic!("not a completion") };
        assert_eq!(typing.data.autocomplete().unwrap().value, "he");
        let message = bot.answer(&received, said("no")).await;
        assert_eq!(message, Err(json!([400, 50035])), "a message does not complete anything");
        let choices = CreateAutocompleteResponse::new().add_string_choice("Hello", "hello");
        bot.respond(&received, CreateInteractionResponse::Autocomplete(choices)).await.unwrap();
    };
    let (choices, ()) = tokio::join!(ann.complete("say", &[], ("what", "he")), answering);
    assert_eq!(choices, [(String::from("Hello"), String::from("hello"))]);
}

#[tokio::test]
async fn a_bot_that_resumes_its_session_gets_the_events_that_it_missed() {
    let discord = FakeDiscord::start().await;
    let ann = discord.add_user("Ann");
    let mut bot = TestBot::log_in(&discord).await;
    let counts = || discord.state.read(|state| (state.gateway.identified, state.gateway.resumed));
    let resumed = |times| discord.wait_until("a resumed session", move |w| (w.gateway.resumed == times).then_some(()));

    discord.cut_gateway();
    discord.wait_until("the cut", |state| (!state.gateway.connected()).then_some(())).await;
    ann.send_slash("say", &[("what", "a")]).unwrap();
    bot.next_interaction().await;
    assert_eq!(counts(), (1, 1));

    discord.ask_to_reconnect();
    resumed(2).await;
    discord.close_gateway(4000);
    resumed(3).await;
    assert_eq!(counts(), (1, 3));

    discord.duplicate_next_interaction();
    ann.send_slash("say", &[("what", "a")]).unwrap();
    let (first, second) = (bot.next_interaction().await, bot.next_interaction().await);
    assert_eq!(first.id(), second.id());
}

#[tokio::test]
async fn an_invalid_session_starts_again() {
    let discord = FakeDiscord::start().await;
    let ann = discord.add_user("Ann");
    let mut bot = TestBot::log_in(&discord).await;
    discord.invalidate_session(false);
    discord.wait_until("a new session", |state| (state.gateway.identified == 2).then_some(())).await;
    ann.send_slash("say", &[("what", "a")]).unwrap();
    bot.next_interaction().await;
}

#[tokio::test]
async fn a_wrong_token_is_refused_by_rest_and_gateway() {
    let discord = FakeDiscord::start().await;
    let http = |token: &str| HttpBuilder::new(token).proxy(discord.base()).ratelimiter_disabled(true).build();
    let token_of_another = FakeDiscord::start().await.state.read(|state| state.token.clone());
    for token in ["MTE.wrong.token", &token_of_another] {
        assert_eq!(status_and_code(&http(token).get_current_user().await.unwrap_err()), json!([401, 0]));
    }
    let http = http(&discord.state.read(|state| state.token.clone()));
    let wanted = GatewayIntents::GUILDS | GatewayIntents::MESSAGE_CONTENT;
    let mut client = ClientBuilder::new_with_http(http, wanted).await.unwrap();
    let ended = tokio::time::timeout(WAIT_LIMIT, client.start()).await.unwrap();
    assert!(ended.unwrap_err().to_string().contains("intents"), "privileged intents were not granted");
}

#[tokio::test]
async fn requests_fail_on_demand() {
    let discord = FakeDiscord::start().await;
    let bot = TestBot::log_in(&discord).await;
    let channel = ChannelId::new(discord.channel);
    let route = "POST /channels/*/messages";
    let count = || discord.posts_saying(discord.channel, "").len();
    let send = |nonce: &str| {
        let message = CreateMessage::new().content("hello").nonce(Nonce::String(nonce.to_owned())).enforce_nonce(true);
        let http = Arc::clone(&bot.http);
        async move { channel.send_message(&http, message).await.map_err(|error| status_and_code(&error)) }
    };

    discord.fail_next(route, 1, Failure::Status(500));
    assert_eq!(send("1").await.unwrap_err(), json!([500, 0]));
    discord.fail_next(route, 1, Failure::Close);
    assert_eq!(send("1").await.unwrap_err(), json!("cut"));
    assert_eq!(count(), 0, "nothing was done");

    discord.fail_next(route, 1, Failure::CloseAfterEffect);
    assert_eq!(send("1").await.unwrap_err(), json!("cut"));
    assert_eq!(count(), 1, "it was done although nobody said so");
    send("1").await.unwrap();
    assert_eq!(count(), 1, "the same nonce is the same message");
    discord.fail_next(route, 1, Failure::StatusAfterEffect(502));
    assert!(send("2").await.is_err());
    assert_eq!(count(), 2);

    discord.fail_next(route, 1, Failure::RateLimit(Duration::from_millis(50)));
    assert_eq!(send("3").await.unwrap_err()[0], 429);
    discord.fail_next(route, 1, Failure::Delay(Duration::from_millis(60)));
    let begun = Instant::now();
    send("3").await.unwrap();
    assert!(begun.elapsed() >= Duration::from_millis(60));
    assert_eq!(
        discord.requests_to(route).iter().map(|request| request.status).collect::<Vec<_>>(),
        [500, 0, 0, 200, 502, 429, 200]
    );
}

#[tokio::test]
async fn connections_are_closed_reset_and_truncated_like_real_ones() {
    let discord = FakeDiscord::start().await;
    let (address, token) = discord.state.read(|state| (state.address.clone(), state.token.clone()));
    let ask = async |failure: Failure| {
        discord.fail_next("GET /users/*", 1, failure);
        let mut line = TcpStream::connect(&address).await.unwrap();
        let question = format!("GET /api/v10/users/@me HTTP/1.1\r\nHost: x\r\nAuthorization: Bot {token}\r\n\r\n");
        line.write_all(question.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let ended = line.read_to_end(&mut answer).await.map_err(|error| error.kind());
        (ended.map(drop), String::from_utf8(answer).unwrap())
    };
    assert_eq!(ask(Failure::Close).await, (Ok(()), String::new()));
    assert_eq!(ask(Failure::Reset).await, (Err(ErrorKind::ConnectionReset), String::new()));
    assert_eq!(ask(Failure::ResetAfterEffect).await, (Err(ErrorKind::ConnectionReset), String::new()));
    let (ended, answer) = ask(Failure::TruncateResponse).await;
    let (headers, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(headers.starts_with("HTTP/1.1 200 OK") && headers.contains("content-length"), "{headers}");
    assert_eq!((ended, body), (Ok(()), "{"), "it ends after the first byte");
}

#[tokio::test]
async fn channels_have_permissions_threads_and_closed_direct_messages() {
    let discord = FakeDiscord::start().await;
    let ann = discord.add_user("Ann");
    let bot = TestBot::log_in(&discord).await;
    let text = || CreateMessage::new().content("hello");
    let file = || CreateAttachment::bytes(picture(), "board.png");
    let channel = ChannelId::new(discord.channel);

    let thread = CreateThread::new("Ann and Bo").kind(ChannelType::PublicThread);
    let thread = thread.auto_archive_duration(AutoArchiveDuration::OneDay);
    let thread = channel.create_thread(&bot.http, thread).await.unwrap();
    let first = thread.id.send_message(&bot.http, text()).await.unwrap();
    discord.advance(Duration::from_secs(25 * 60 * 60));
    let edit = || thread.id.edit_message(&bot.http, first.id, EditMessage::new().content("changed"));
    assert_eq!(status_and_code(&edit().await.unwrap_err()), json!([400, 50083]));
    assert!(ann.at(thread.id.get()).send_slash("say", &[("what", "a")]).is_err(), "commands sleep with the thread");
    thread.id.send_message(&bot.http, text()).await.unwrap();
    edit().await.unwrap();
    assert!(ann.at(thread.id.get()).send_slash("say", &[("what", "a")]).is_ok(), "a post has opened it");

    discord.deny_bot(discord.channel, permissions::ATTACH);
    let sent = channel.send_message(&bot.http, text().add_file(file())).await;
    assert_eq!(status_and_code(&sent.unwrap_err()), json!([403, 50013]));
    channel.send_message(&bot.http, text()).await.unwrap();
    discord.deny_bot(discord.channel, permissions::SEND);
    assert_eq!(status_and_code(&channel.send_message(&bot.http, text()).await.unwrap_err()), json!([403, 50013]));
    discord.deny_bot(discord.channel, permissions::VIEW);
    assert_eq!(status_and_code(&channel.send_message(&bot.http, text()).await.unwrap_err()), json!([403, 50001]));

    let letter = UserId::new(ann.id).create_dm_channel(&bot.http).await.unwrap();
    letter.id.send_message(&bot.http, text()).await.unwrap();
    assert_eq!(discord.posts_saying(ann.in_dm().channel, "hello").len(), 1);
    ann.close_dms();
    assert_eq!(status_and_code(&letter.id.send_message(&bot.http, text()).await.unwrap_err()), json!([403, 50007]));
    let gone = discord.create_channel("gone");
    discord.delete_channel(gone);
    let sent = ChannelId::new(gone).send_message(&bot.http, text()).await;
    assert_eq!(status_and_code(&sent.unwrap_err()), json!([404, 10003]));
}

#[tokio::test]
async fn without_allowed_mentions_everybody_who_is_mentioned_is_pinged() {
    let discord = FakeDiscord::start().await;
    let (ann, bo) = (discord.add_user("Ann"), discord.add_user("Bo"));
    let bot = TestBot::log_in(&discord).await;
    let channel = ChannelId::new(discord.channel);
    let text = format!("{} `{}`", ann.mention(), bo.mention());
    channel.send_message(&bot.http, CreateMessage::new().content(text)).await.unwrap();
    assert!(discord.posts_saying(discord.channel, "")[0].pings_only(&ann), "a mention in code pings nobody");
    channel.send_message(&bot.http, CreateMessage::new().content("@everyone")).await.unwrap();
    assert!(!discord.posts_saying(discord.channel, "@everyone")[0].pings_nobody());
    let none = CreateMessage::new().content(format!("@here {}", ann.mention()));
    channel.send_message(&bot.http, none.allowed_mentions(CreateAllowedMentions::new())).await.unwrap();
    assert!(discord.posts_saying(discord.channel, "@here")[0].pings_nobody());
}

fn button(id: &str) -> Value {
    json!({ "type": 2, "style": 1, "label": "b", "custom_id": id })
}

fn row(parts: Vec<Value>) -> Value {
    json!({ "type": 1, "components": parts })
}

fn menu(options: usize) -> Value {
    let options = (0..options).map(|n| json!({ "label": "o", "value": n.to_string() })).collect::<Vec<_>>();
    json!({ "type": 3, "custom_id": "m", "options": options })
}

#[test]
fn messages_that_are_too_long_are_refused_with_the_field() {
    let refused = |message: &Value| {
        let mut form = Validator::default();
        form.message("", message, 0);
        form.result().err().map(|refusal| refusal.body["errors"].to_string()).unwrap_or_default()
    };
    let letters = |n: usize| "ä".repeat(n);
    let fits = json!({
        "content": letters(2000), "attachments": [{ "id": 0, "description": letters(1024) }],
        "components": [
            row((0..5).map(|n| button(&n.to_string())).collect()), row(vec![menu(25)]), row(vec![button(&letters(100))]),
        ],
        "allowed_mentions": { "parse": [], "users": ["1"] }, "nonce": letters(25),
    });
    assert_eq!(refused(&fits), "");
    let mut long_label = button("x");
    long_label["label"] = json!(letters(81));
    let mut long_option = menu(1);
    long_option["options"][0]["label"] = json!(letters(101));
    for (message, field, code) in [
        (json!({ "content": letters(2001) }), "content", "BASE_TYPE_MAX_LENGTH"),
        (json!({ "content": "🦑".repeat(1001) }), "content", "BASE_TYPE_MAX_LENGTH"),
        (json!({ "attachments": [{ "id": 0, "description": letters(1025) }] }), "description", "BASE_TYPE_MAX_LENGTH"),
        (json!({ "components": [row(vec![button(""); 1])] }), "custom_id", "BASE_TYPE_BAD_LENGTH"),
        (json!({ "components": [row(vec![button(&letters(101))])] }), "custom_id", "BASE_TYPE_BAD_LENGTH"),
        (json!({ "components": [row(vec![button("a"), button("a")])] }), "custom_id", "CUSTOM_ID_DUPLICATED"),
        (json!({ "components": [row((0..6).map(|n| button(&n.to_string())).collect())] }), "components", "BAD_LENGTH"),
        (json!({ "components": vec![row(vec![long_label.clone()])] }), "label", "BASE_TYPE_BAD_LENGTH"),
        (
            json!({ "components": (0..6).map(|n| row(vec![button(&n.to_string())])).collect::<Vec<_>>() }),
            "components",
            "BAD_LENGTH",
        ),
        (json!({ "components": [row(vec![menu(26)])] }), "options", "BASE_TYPE_BAD_LENGTH"),
        (json!({ "components": [row(vec![menu(0)])] }), "options", "BASE_TYPE_BAD_LENGTH"),
        (json!({ "components": [row(vec![long_option])] }), "label", "BASE_TYPE_BAD_LENGTH"),
        (json!({ "components": [row(vec![menu(1), button("a")])] }), "components", "WIDTH_EXCEEDED"),
        (json!({ "components": [button("a")] }), "components", "UNION_TYPE_CHOICES"),
        (
            json!({ "embeds": [{ "description": letters(4096), "footer": { "text": letters(1905) } }] }),
            "embeds",
            "6000",
        ),
        (json!({ "allowed_mentions": { "parse": ["users"], "users": ["1"] } }), "allowed_mentions", "EXCLUSIVE"),
        (json!({ "nonce": letters(26) }), "nonce", "BASE_TYPE_MAX_LENGTH"),
    ] {
        let refused = refused(&message);
        assert!(refused.contains(&format!("\"{field}\"")) && refused.contains(code), "{field} {code}: {refused:?}");
    }
}

#[test]
fn invalid_commands_are_refused() {
    let refused = |commands: Value| {
        let mut form = Validator::default();
        form.commands(&commands);
        form.result().err().map(|refusal| refusal.body["errors"].to_string()).unwrap_or_default()
    };
    let option =
        |name: &str, required: bool| json!({ "type": 3, "name": name, "description": "d", "required": required });
    let command = |name: &str, options: Vec<Value>| json!({ "name": name, "description": "d", "options": options });
    let choices = |n: usize| (0..n).map(|n| json!({ "name": "c", "value": n.to_string() })).collect::<Vec<_>>();
    let with_choices = |n: usize, autocomplete: bool| {
        let mut option = option("a", true);
        option["choices"] = json!(choices(n));
        option["autocomplete"] = json!(autocomplete);
        json!([command("a", vec![option])])
    };
    assert_eq!(refused(json!([command("a-b", vec![option("a", true), option("b", false)])])), "");
    assert_eq!(refused(with_choices(25, false)), "");
    let long: Vec<Value> = (0..25)
        .map(|n| {
            json!({ "type": 3, "name": format!("o{n}"), "description": "d".repeat(100),
        "choices": (0..25).map(|m| json!({ "name": "n".repeat(20), "value": m.to_string() })).collect::<Vec<_>>() })
        })
        .collect();
    for (commands, code) in [
        (json!([command("Big", vec![])]), "INVALID_NAME"),
        (json!([command("a b", vec![])]), "INVALID_NAME"),
        (json!([command(&"a".repeat(33), vec![])]), "BAD_LENGTH"),
        (json!([{ "name": "a", "description": "d".repeat(101) }]), "BAD_LENGTH"),
        (json!([{ "name": "a", "description": "" }]), "BAD_LENGTH"),
        (json!([command("a", vec![]), command("a", vec![])]), "DUPLICATE_NAME"),
        (json!([command("a", vec![option("a", false), option("b", true)])]), "REQUIRED_INVALID"),
        (json!([command("a", vec![option("a", true), option("a", true)])]), "NAME_ALREADY_EXISTS"),
        (json!([command("a", (0..26).map(|n| option(&format!("o{n}"), true)).collect())]), "BAD_LENGTH"),
        (with_choices(26, false), "BAD_LENGTH"),
        (with_choices(1, true), "AUTOCOMPLETE"),
        (json!([command("a", long)]), "TOO_LARGE"),
    ] {
        let refused = refused(commands);
        assert!(refused.contains(code), "{code}: {refused:?}");
    }
}

#[tokio::test]
async fn limits_hold_for_responses_too() {
    let discord = FakeDiscord::start().await;
    let ann = discord.add_user("Ann");
    let mut bot = TestBot::log_in(&discord).await;
    ann.send_slash("say", &[("what", "a")]).unwrap();
    let received = bot.next_interaction().await;
    let twice = vec![CreateButton::new("a").label("A"), CreateButton::new("a").label("B")];
    let answer = said("x").components(vec![CreateActionRow::Buttons(twice)]);
    assert_eq!(bot.answer(&received, answer).await, Err(json!([400, 50035])));
    assert_eq!(bot.answer(&received, said("")).await, Err(json!([400, 50006])));
    bot.answer(&received, said("a refused answer leaves the token good")).await.unwrap();
}
