//! Commands for moderators work only for moderators of the same server, whatever an interaction claims.

use crate::experiments::bot_process::BotProcess;
use crate::experiments::start_game::begin;
use fake_discord::client::{ClientError, Person};
use fake_discord::{FakeDiscord, state::Id};
use serde_json::{Value, json};

/// The answer to users who are not moderators.
const REFUSED: &str = "those who may manage this server";

/// Sends a command that a client would not offer, with changed fields.
async fn claims(person: &Person, (name, options): (&str, Value), change: impl FnOnce(&mut Value)) -> Option<String> {
    let data = json!({ "id": "1", "name": name, "type": 1, "options": options });
    let id = person.forge(2, data, None, change).unwrap();
    match person.answer(id).await {
        Ok(post) => Some(post.text()),
        Err(ClientError::NoResponse) => None,
        Err(impossible) => panic!("{impossible:?}"),
    }
}

fn settings() -> (&'static str, Value) {
    ("settings", json!([{ "name": "theme", "type": 3, "value": "slate" }]))
}

fn end_game(game: u64) -> (&'static str, Value) {
    let (game, reason) = (game.to_string(), "because");
    let said = json!([{ "name": "game", "type": 3, "value": game }, { "name": "reason", "type": 3, "value": reason }]);
    ("end-game", said)
}

/// Returns what a server has set, and how many games of a server are over.
fn stored(bot: &BotProcess, server: Id) -> (Option<String>, u64) {
    bot.open_database().theme_and_ended_games(server)
}

const UNTOUCHED: (Option<String>, u64) = (None, 0);

#[tokio::test]
async fn users_without_manage_server_are_refused_whatever_the_interaction_claims() {
    let discord = FakeDiscord::start().await;
    let mut bot = BotProcess::start(&discord).await;
    let (ann, _) = begin(&discord).await;
    let mut tried = 0;
    let all = u64::MAX.to_string();
    let member = json!({ "permissions": all, "roles": [], "joined_at": "2020-01-01T00:00:00Z", "flags": 0,
        "deaf": false, "mute": false });
    type Claim<'c> = (&'c str, &'c dyn Fn(&mut Value));
    let claimed: [Claim<'_>; 7] = [
        ("nothing", &|_| {}),
        // These permissions are not those of the member who sends the command.
        ("a resolved member", &|payload| {
            payload["data"]["resolved"] = json!({ "members": { (ann.id.to_string()): member } });
        }),
        ("the channel", &|payload| payload["channel"]["permissions"] = json!(all)),
        ("the bot's permissions", &|payload| payload["app_permissions"] = json!(all)),
        ("the user's permissions", &|payload| payload["member"]["user"]["permissions"] = json!(all)),
        ("a role", &|payload| payload["member"]["roles"] = json!([discord.server.to_string()])),
        ("no permissions", &|payload| drop(payload["member"].as_object_mut().unwrap().remove("permissions"))),
    ];
    for (what, claim) in claimed {
        for command in [settings(), end_game(1)] {
            let answer = claims(&ann, command.clone(), claim).await;
            assert!(answer.as_deref().is_some_and(|text| text.contains(REFUSED)), "{what}, {}: {answer:?}", command.0);
            tried += 1;
        }
    }
    // In a direct message there is nothing to manage.
    let alone = ann.in_dm();
    for command in [settings(), end_game(1)] {
        assert!(claims(&alone, command.clone(), |_| {}).await.is_some_and(|text| text.contains(REFUSED)));
        let answer = claims(&alone, command, |payload| {
            payload["member"] = member.clone();
            payload["member"]["user"] = payload["user"].clone();
        });
        let answer = answer.await.unwrap();
        assert!(answer.contains("This is for a server") || answer.contains("no game #1"), "{answer}");
        tried += 2;
    }
    // Text that is not a number cannot be read; the bot logs that and does not answer.
    let (name, options) = settings();
    let data = json!({ "id": "1", "name": name, "type": 1, "options": options });
    let unreadable = |payload: &mut Value| payload["member"]["permissions"] = json!("all of them");
    let id = ann.forge(2, data, None, unreadable).unwrap();
    bot.wait_for_log("INTERACTION_CREATE").await;
    assert_eq!(discord.state.read(|state| state.interactions[&id].callback.clone()), None);
    assert_eq!(stored(&bot, discord.server), UNTOUCHED);
    // A moderator can do both.
    ann.make_moderator();
    assert!(claims(&ann, settings(), |_| {}).await.is_some_and(|text| text.contains("slate")));
    assert!(claims(&ann, end_game(1), |_| {}).await.is_some_and(|text| text.contains("without a result")));
    assert_eq!(stored(&bot, discord.server), (Some(String::from("slate")), 1));
    assert_eq!(bot.stop("TERM").await, Some(0), "{}", bot.output());
    println!("{} claims of a right that nobody has were refused", tried + 1);
}

#[tokio::test]
async fn a_manager_of_one_server_is_refused_in_another() {
    let asgard = FakeDiscord::start().await;
    let bot = BotProcess::start(&asgard).await;
    let vanaheim = asgard.another_server("Vanaheim");
    begin(&asgard).await;
    let (loki, _) = begin(&vanaheim).await;
    loki.make_moderator();
    let (here, there) = (vanaheim.server.to_string(), asgard.server.to_string());
    let mut tried = 0;
    type Claim<'c> = &'c dyn Fn(&mut Value);
    // Fields that name the other server, in addition to the one that Discord itself sets.
    let claimed: [Claim<'_>; 4] = [
        &|_| {},
        &|payload| payload["data"]["guild_id"] = json!(there),
        &|payload| payload["guild"]["id"] = json!(there),
        &|payload| {
            payload["channel"]["guild_id"] = json!(there);
            payload["channel"]["parent_id"] = json!(asgard.channel.to_string());
        },
    ];
    for claim in claimed {
        let answer = claims(&loki, end_game(1), claim).await.unwrap();
        assert!(answer.contains("no game #1"), "{answer}");
        let answer = claims(&loki, settings(), claim).await.unwrap();
        assert!(answer.contains("slate"), "his own server: {answer}");
        tried += 2;
    }
    // In the other server the moderator is a member without permissions.
    let guest = asgard.add_member(loki.id);
    for command in [end_game(1), end_game(2), settings()] {
        assert!(claims(&guest, command, |_| {}).await.is_some_and(|text| text.contains(REFUSED)));
        tried += 1;
    }
    // Games of other servers are not suggested either.
    let suggested = loki.complete("end-game", &[], ("game", "")).await;
    assert_eq!(suggested.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>(), ["2"], "{here}: {suggested:?}");
    assert_eq!(stored(&bot, asgard.server), UNTOUCHED);
    assert!(claims(&loki, end_game(2), |_| {}).await.is_some_and(|text| text.contains("without a result")));
    assert_eq!(stored(&bot, asgard.server), UNTOUCHED);
    assert_eq!(stored(&bot, vanaheim.server), (Some(String::from("slate")), 1));
    println!("{tried} attempts of another server's moderator came to nothing there");
}
