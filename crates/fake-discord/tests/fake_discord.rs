//! The stand-in itself, proved with the client that the bot uses.

use crate::standin::Discord;
use crate::standin::bot::fault_in;
use crate::standin::limits::Form;
use crate::standin::model::{Callback, may};
use crate::standin::people::{Failure, Post};
use crate::standin::rest::Trouble;
use ratatosk::cli::BUG;
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

/// A bot that hands everything on to the test.
struct Tiny {
    http: Arc<Http>,
    heard: UnboundedReceiver<Interaction>,
    running: JoinHandle<()>,
}

struct Ear(UnboundedSender<Interaction>);

#[async_trait]
impl EventHandler for Ear {
    async fn interaction_create(&self, _: Context, interaction: Interaction) {
        let _ = self.0.send(interaction);
    }
}

impl Drop for Tiny {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl Tiny {
    async fn log_in(discord: &Discord) -> Self {
        let token = discord.shared.look(|world| world.token.clone());
        let http = HttpBuilder::new(&token).proxy(discord.base()).ratelimiter_disabled(true).build();
        let (say, heard) = unbounded_channel();
        let client = ClientBuilder::new_with_http(http, GatewayIntents::GUILDS);
        let mut client = client.event_handler(Ear(say)).await.unwrap();
        let http = Arc::clone(&client.http);
        let running = tokio::spawn(async move { drop(client.start().await) });
        discord.wait_for("the login", |world| world.gateway.connected().then_some(())).await;
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
        Self { http, heard, running }
    }

    async fn hear(&mut self) -> Interaction {
        tokio::time::timeout(Duration::from_secs(5), self.heard.recv()).await.expect("nothing was heard").unwrap()
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
        done.map_err(|error| refusal(&error))
    }
}

/// Gives the status and the code of an error, as Discord said them.
fn refusal(error: &serenity::Error) -> Value {
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

/// A picture of two by one pixels.
fn picture() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header().unwrap().write_image_data(&[0, 255]).unwrap();
    bytes
}

#[tokio::test]
async fn an_answer_is_seen_with_its_picture_buttons_and_calls() {
    let discord = Discord::start().await;
    let (ann, bo) = (discord.user("Ann"), discord.user("Bo"));
    let mut bot = Tiny::log_in(&discord).await;

    let id = ann.send_slash("greet", &[("whom", bo.mention())]).unwrap();
    let heard = bot.hear().await;
    let Interaction::Command(command) = &heard else { panic!("not a command") };
    assert_eq!(command.user.global_name.as_deref(), Some("Ann"));
    let whom = command.data.resolved.users.values().next().unwrap();
    assert_eq!(whom.global_name.as_deref(), Some("Bo"));
    assert!(command.app_permissions.unwrap().attach_files());

    let button = CreateButton::new("1/wave").label("Wave").style(ButtonStyle::Primary);
    let answer = said(&format!("Hail {} and {} and @everyone", bo.mention(), ann.mention()))
        .allowed_mentions(CreateAllowedMentions::new().users([UserId::new(bo.id)]))
        .button(button)
        .add_file(CreateAttachment::bytes(picture(), "board.png").description("A board"));
    bot.answer(&heard, answer).await.unwrap();

    let post = ann.answer(id).await.unwrap();
    assert_eq!(post.how, Some(Callback::Message));
    assert!(post.text().starts_with("Hail"));
    assert_eq!(post.buttons(), ["Wave"]);
    assert_eq!((post.picture(), post.alt().as_deref()), (Some((2, 1)), Some("A board")));
    assert!(post.is_public() && post.calls_only(&bo) && !post.calls_only(&ann));

    let click = bo.send_click(&post, "Wave").unwrap();
    let heard = bot.hear().await;
    let Interaction::Component(component) = &heard else { panic!("not a button") };
    assert_eq!(component.data.custom_id, "1/wave");
    assert_eq!(component.message.attachments[0].width, Some(2));
    assert!(matches!(component.message.components[0].components[0], ActionRowComponent::Button(_)));
    let update = CreateInteractionResponseMessage::new().content("Waved").components(Vec::new());
    bot.respond(&heard, CreateInteractionResponse::UpdateMessage(update)).await.unwrap();
    assert_eq!(bo.answer(click).await.unwrap().how, Some(Callback::Update));
    assert_eq!((post.text().as_str(), post.buttons().len(), post.edits()), ("Waved", 0, 1));
}

#[tokio::test]
async fn a_token_is_good_for_one_answer_and_a_quarter_of_an_hour() {
    let discord = Discord::start().await;
    let ann = discord.user("Ann");
    let mut bot = Tiny::log_in(&discord).await;

    ann.send_slash("say", &[("what", "a")]).unwrap();
    let heard = bot.hear().await;
    let Interaction::Command(command) = &heard else { panic!("not a command") };
    let edit = |text: &str| command.edit_response(&bot.http, EditInteractionResponse::new().content(text));
    assert_eq!(refusal(&edit("too early").await.unwrap_err()), json!([404, 10015]));
    bot.answer(&heard, said("once")).await.unwrap();
    assert_eq!(bot.answer(&heard, said("twice")).await, Err(json!([400, 40060])));
    edit("changed").await.unwrap();
    assert_eq!(command.get_response(&bot.http).await.unwrap().content, "changed");
    let more = CreateInteractionResponseFollowup::new().content("more").ephemeral(true);
    let more = command.create_followup(&bot.http, more).await.unwrap();
    command.delete_followup(&bot.http, more.id).await.unwrap();
    assert!(Post::new(discord.clone(), more.id.get()).is_deleted());
    discord.advance(Duration::from_secs(16 * 60));
    assert_eq!(refusal(&edit("too late").await.unwrap_err()), json!([401, 50027]));

    ann.send_slash("say", &[("what", "a")]).unwrap();
    let heard = bot.hear().await;
    discord.advance(Duration::from_secs(4));
    assert_eq!(bot.answer(&heard, said("too late")).await, Err(json!([404, 10062])));
    assert_eq!(discord.posts_saying(discord.here, "").len(), 1);
}

#[tokio::test]
async fn a_deferred_answer_is_filled_in() {
    let discord = Discord::start().await;
    let ann = discord.user("Ann");
    let mut bot = Tiny::log_in(&discord).await;
    let id = ann.send_slash("say", &[("what", "a")]).unwrap();
    let heard = bot.hear().await;
    let Interaction::Command(command) = &heard else { panic!("not a command") };
    let thinking = CreateInteractionResponse::Defer(CreateInteractionResponseMessage::new().ephemeral(true));
    bot.respond(&heard, thinking).await.unwrap();
    command.edit_response(&bot.http, EditInteractionResponse::new().content("thought")).await.unwrap();
    let post = ann.answer(id).await.unwrap();
    assert_eq!((post.text().as_str(), post.how.as_ref()), ("thought", Some(&Callback::Thinking)));
    assert!(post.is_private_for(&ann));
}

#[tokio::test]
async fn people_can_do_only_what_a_client_lets_them_do() {
    let discord = Discord::start().await;
    let (ann, bo) = (discord.user("Ann"), discord.user("Bo"));
    let mut bot = Tiny::log_in(&discord).await;
    let impossible = |outcome: Result<_, Failure>| matches!(outcome, Err(Failure::Impossible(_)));
    assert!(impossible(ann.send_slash("sing", &[])), "an unknown command");
    assert!(impossible(ann.send_slash("say", &[])), "an option is missing");
    assert!(impossible(ann.send_slash("say", &[("what", "a"), ("why", "b")])), "an unknown option");
    assert!(impossible(ann.send_slash("greet", &[("whom", "Bo")])), "not a person");
    assert!(impossible(ann.send_slash("rule", &[])), "not for everybody");
    bo.moderate();
    assert!(bo.send_slash("rule", &[]).is_ok());
    bot.hear().await;
    assert!(impossible(bo.in_private().send_slash("rule", &[])), "only in a server");

    let id = ann.send_slash("say", &[("what", "a")]).unwrap();
    let heard = bot.hear().await;
    let button = CreateButton::new("x").label("Press");
    bot.answer(&heard, said("secret").ephemeral(true).button(button)).await.unwrap();
    let secret = ann.answer(id).await.unwrap();
    assert!(secret.is_private_for(&ann));
    assert!(impossible(bo.send_click(&secret, "Press")), "somebody else's private message");
    assert!(impossible(ann.send_click(&secret, "Pull")), "a button that is not there");
    assert!(ann.send_click(&secret, "Press").is_ok());
    bot.hear().await;
    let channel = ChannelId::new(discord.here);
    let seen = channel.message(&bot.http, secret.id).await;
    assert_eq!(refusal(&seen.unwrap_err()), json!([404, 10008]), "a channel does not know private messages");

    let elsewhere = discord.channel("elsewhere");
    bo.lose_sight_of(elsewhere);
    assert!(impossible(bo.at(elsewhere).send_slash("say", &[("what", "a")])), "a hidden channel");
    assert_eq!(ann.try_slash("say", &[("what", "a")]).await.err(), Some(Failure::NoAnswer));
}

#[tokio::test]
async fn completion_offers_what_the_bot_says() {
    let discord = Discord::start().await;
    let ann = discord.user("Ann");
    let mut bot = Tiny::log_in(&discord).await;
    let answering = async {
        let heard = bot.hear().await;
        let Interaction::Autocomplete(typing) = &heard else { panic!("not a completion") };
        assert_eq!(typing.data.autocomplete().unwrap().value, "he");
        let message = bot.answer(&heard, said("no")).await;
        assert_eq!(message, Err(json!([400, 50035])), "a message does not complete anything");
        let choices = CreateAutocompleteResponse::new().add_string_choice("Hello", "hello");
        bot.respond(&heard, CreateInteractionResponse::Autocomplete(choices)).await.unwrap();
    };
    let (choices, ()) = tokio::join!(ann.complete("say", &[], ("what", "he")), answering);
    assert_eq!(choices, [(String::from("Hello"), String::from("hello"))]);
}

#[tokio::test]
async fn a_bot_that_was_cut_off_hears_later_what_it_missed() {
    let discord = Discord::start().await;
    let ann = discord.user("Ann");
    let mut bot = Tiny::log_in(&discord).await;
    let counts = || discord.shared.look(|world| (world.gateway.identified, world.gateway.resumed));
    let resumed = |times| discord.wait_for("a resumed session", move |w| (w.gateway.resumed == times).then_some(()));

    discord.cut_gateway();
    discord.wait_for("the cut", |world| (!world.gateway.connected()).then_some(())).await;
    ann.send_slash("say", &[("what", "a")]).unwrap();
    bot.hear().await;
    assert_eq!(counts(), (1, 1));

    discord.ask_to_reconnect();
    resumed(2).await;
    discord.close_gateway(4000);
    resumed(3).await;
    assert_eq!(counts(), (1, 3));

    discord.deliver_twice();
    ann.send_slash("say", &[("what", "a")]).unwrap();
    let (first, second) = (bot.hear().await, bot.hear().await);
    assert_eq!(first.id(), second.id());
}

#[tokio::test]
async fn an_invalid_session_begins_anew() {
    let discord = Discord::start().await;
    let ann = discord.user("Ann");
    let mut bot = Tiny::log_in(&discord).await;
    discord.invalidate_session(false);
    discord.wait_for("a new session", |world| (world.gateway.identified == 2).then_some(())).await;
    ann.send_slash("say", &[("what", "a")]).unwrap();
    bot.hear().await;
}

#[tokio::test]
async fn a_wrong_token_is_refused_at_both_doors() {
    let discord = Discord::start().await;
    let http = HttpBuilder::new("MTE.wrong.token").proxy(discord.base()).ratelimiter_disabled(true).build();
    assert_eq!(refusal(&http.get_current_user().await.unwrap_err()), json!([401, 0]));
    let token = discord.shared.look(|world| world.token.clone());
    let http = HttpBuilder::new(&token).proxy(discord.base()).ratelimiter_disabled(true).build();
    let wanted = GatewayIntents::GUILDS | GatewayIntents::MESSAGE_CONTENT;
    let mut client = ClientBuilder::new_with_http(http, wanted).await.unwrap();
    let ended = tokio::time::timeout(Duration::from_secs(5), client.start()).await.unwrap();
    assert!(ended.unwrap_err().to_string().contains("intents"), "privileged intents were not granted");
}

#[tokio::test]
async fn trouble_comes_on_demand() {
    let discord = Discord::start().await;
    let bot = Tiny::log_in(&discord).await;
    let channel = ChannelId::new(discord.here);
    let route = "POST /channels/*/messages";
    let count = || discord.posts_saying(discord.here, "").len();
    let send = |nonce: &str| {
        let message = CreateMessage::new().content("hello").nonce(Nonce::String(nonce.to_owned())).enforce_nonce(true);
        let http = Arc::clone(&bot.http);
        async move { channel.send_message(&http, message).await.map_err(|error| refusal(&error)) }
    };

    discord.trouble(route, 1, Trouble::Fail(500));
    assert_eq!(send("1").await.unwrap_err(), json!([500, 0]));
    discord.trouble(route, 1, Trouble::Cut);
    assert_eq!(send("1").await.unwrap_err(), json!("cut"));
    assert_eq!(count(), 0, "nothing was done");

    discord.trouble(route, 1, Trouble::CutAfterDoing);
    assert_eq!(send("1").await.unwrap_err(), json!("cut"));
    assert_eq!(count(), 1, "it was done although nobody said so");
    send("1").await.unwrap();
    assert_eq!(count(), 1, "the same nonce is the same message");
    discord.trouble(route, 1, Trouble::FailAfterDoing(502));
    assert!(send("2").await.is_err());
    assert_eq!(count(), 2);

    discord.trouble(route, 1, Trouble::Limit(Duration::from_millis(50)));
    assert_eq!(send("3").await.unwrap_err()[0], 429);
    discord.trouble(route, 1, Trouble::Slow(Duration::from_millis(60)));
    let begun = Instant::now();
    send("3").await.unwrap();
    assert!(begun.elapsed() >= Duration::from_millis(60));
    assert_eq!(
        discord.asked(route).iter().map(|asked| asked.status).collect::<Vec<_>>(),
        [500, 0, 0, 200, 502, 429, 200]
    );
}

#[tokio::test]
async fn connections_are_closed_reset_and_torn_as_real_ones_are() {
    let discord = Discord::start().await;
    let (address, token) = discord.shared.look(|world| (world.address.clone(), world.token.clone()));
    let ask = async |trouble: Trouble| {
        discord.trouble("GET /users/*", 1, trouble);
        let mut line = TcpStream::connect(&address).await.unwrap();
        let question = format!("GET /api/v10/users/@me HTTP/1.1\r\nHost: x\r\nAuthorization: Bot {token}\r\n\r\n");
        line.write_all(question.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let ended = line.read_to_end(&mut answer).await.map_err(|error| error.kind());
        (ended.map(drop), String::from_utf8(answer).unwrap())
    };
    assert_eq!(ask(Trouble::Cut).await, (Ok(()), String::new()));
    assert_eq!(ask(Trouble::Reset).await, (Err(ErrorKind::ConnectionReset), String::new()));
    assert_eq!(ask(Trouble::ResetAfterDoing).await, (Err(ErrorKind::ConnectionReset), String::new()));
    let (ended, answer) = ask(Trouble::Torn).await;
    let (headers, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(headers.starts_with("HTTP/1.1 200 OK") && headers.contains("content-length"), "{headers}");
    assert_eq!((ended, body), (Ok(()), "{"), "it breaks off with the first letter");
}

#[test]
fn bugs_and_errors_that_nobody_expects_are_faults() {
    let expected = ["the disk is full"];
    let bug = format!("2026-11-16T20:00:00Z ERROR {BUG} place=\"src/x.rs:1:1\" problem=\"the disk is full\"");
    for line in [
        &bug,
        "{\"timestamp\":\"2026-11-16T20:00:00Z\",\"level\":\"ERROR\",\"message\":\"a request failed\"}",
        "2026-11-16T20:00:00Z ERROR a request broke off; nothing is answered problem=the disk is full",
        "2026-11-16T20:00:00Z ERROR a request failed request=1 problem=the database is locked",
        "thread 'main' (1) panicked at src/main.rs:1:1:",
    ] {
        assert_eq!(fault_in(&format!("Ratatosk begins\n{line}\nstopped\n"), &expected), Some(line));
    }
    for line in [
        "2026-11-16T20:00:00Z ERROR a request failed request=1 problem=the disk is full",
        "2026-11-16T20:00:00Z  WARN an owed message is tried again in 1 s trouble=an ERROR of Discord's",
    ] {
        assert_eq!(fault_in(line, &expected), None);
    }
}

#[tokio::test]
async fn places_have_permissions_threads_and_closed_doors() {
    let discord = Discord::start().await;
    let ann = discord.user("Ann");
    let bot = Tiny::log_in(&discord).await;
    let text = || CreateMessage::new().content("hello");
    let file = || CreateAttachment::bytes(picture(), "board.png");
    let channel = ChannelId::new(discord.here);

    let thread = CreateThread::new("Ann and Bo").kind(ChannelType::PublicThread);
    let thread = thread.auto_archive_duration(AutoArchiveDuration::OneDay);
    let thread = channel.create_thread(&bot.http, thread).await.unwrap();
    let first = thread.id.send_message(&bot.http, text()).await.unwrap();
    discord.advance(Duration::from_secs(25 * 60 * 60));
    let edit = || thread.id.edit_message(&bot.http, first.id, EditMessage::new().content("changed"));
    assert_eq!(refusal(&edit().await.unwrap_err()), json!([400, 50083]));
    assert!(ann.at(thread.id.get()).send_slash("say", &[("what", "a")]).is_err(), "commands sleep with the thread");
    thread.id.send_message(&bot.http, text()).await.unwrap();
    edit().await.unwrap();
    assert!(ann.at(thread.id.get()).send_slash("say", &[("what", "a")]).is_ok(), "a post has opened it");

    discord.deny(discord.here, may::ATTACH);
    let sent = channel.send_message(&bot.http, text().add_file(file())).await;
    assert_eq!(refusal(&sent.unwrap_err()), json!([403, 50013]));
    channel.send_message(&bot.http, text()).await.unwrap();
    discord.deny(discord.here, may::SEND);
    assert_eq!(refusal(&channel.send_message(&bot.http, text()).await.unwrap_err()), json!([403, 50013]));
    discord.deny(discord.here, may::VIEW);
    assert_eq!(refusal(&channel.send_message(&bot.http, text()).await.unwrap_err()), json!([403, 50001]));

    let letter = UserId::new(ann.id).create_dm_channel(&bot.http).await.unwrap();
    letter.id.send_message(&bot.http, text()).await.unwrap();
    assert_eq!(discord.posts_saying(ann.in_private().here, "hello").len(), 1);
    ann.close_messages();
    assert_eq!(refusal(&letter.id.send_message(&bot.http, text()).await.unwrap_err()), json!([403, 50007]));
    let gone = discord.channel("gone");
    discord.delete_channel(gone);
    let sent = ChannelId::new(gone).send_message(&bot.http, text()).await;
    assert_eq!(refusal(&sent.unwrap_err()), json!([404, 10003]));
}

#[tokio::test]
async fn without_a_word_about_mentions_everybody_is_called() {
    let discord = Discord::start().await;
    let (ann, bo) = (discord.user("Ann"), discord.user("Bo"));
    let bot = Tiny::log_in(&discord).await;
    let channel = ChannelId::new(discord.here);
    let text = format!("{} `{}`", ann.mention(), bo.mention());
    channel.send_message(&bot.http, CreateMessage::new().content(text)).await.unwrap();
    assert!(discord.posts_saying(discord.here, "")[0].calls_only(&ann), "code calls nobody");
    channel.send_message(&bot.http, CreateMessage::new().content("@everyone")).await.unwrap();
    assert!(!discord.posts_saying(discord.here, "@everyone")[0].calls_nobody());
    let none = CreateMessage::new().content(format!("@here {}", ann.mention()));
    channel.send_message(&bot.http, none.allowed_mentions(CreateAllowedMentions::new())).await.unwrap();
    assert!(discord.posts_saying(discord.here, "@here")[0].calls_nobody());
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
fn what_fits_is_taken_and_what_does_not_is_refused_by_its_field() {
    let refused = |message: &Value| {
        let mut form = Form::default();
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
fn commands_are_refused_for_what_discord_refuses() {
    let refused = |commands: Value| {
        let mut form = Form::default();
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

/// Rows can be made with the client's own builders too; what they send is what is checked.
#[tokio::test]
async fn the_limits_hold_for_answers_too() {
    let discord = Discord::start().await;
    let ann = discord.user("Ann");
    let mut bot = Tiny::log_in(&discord).await;
    ann.send_slash("say", &[("what", "a")]).unwrap();
    let heard = bot.hear().await;
    let twice = vec![CreateButton::new("a").label("A"), CreateButton::new("a").label("B")];
    let answer = said("x").components(vec![CreateActionRow::Buttons(twice)]);
    assert_eq!(bot.answer(&heard, answer).await, Err(json!([400, 50035])));
    assert_eq!(bot.answer(&heard, said("")).await, Err(json!([400, 50006])));
    bot.answer(&heard, said("a refused answer leaves the token good")).await.unwrap();
}
