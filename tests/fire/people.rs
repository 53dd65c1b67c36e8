//! A crowd that does whatever can be done, and much that cannot, beside people who want to play in peace.

use crate::dice::Dice;
use crate::layout::{in_one_line, is_closed};
use crate::seats::Pair;
use crate::standin::Discord;
use crate::standin::bot::Bot;
use crate::standin::model::{Callback, Id, Message};
use crate::standin::people::Person;
use crate::strange;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How many of the crowd act at the same time.
const AT_ONCE: usize = 24;
const QUIET_PAIRS: usize = 3;
const CROWD: usize = 16;
/// First moves of several games.
const MOVES: [&str; 8] = ["d1-c1", "d3-e3", "d2-c2", "a4-a3", "e1-e2", "d1-b1", "f1-f3", "g4-g3"];

/// What came of it.
#[derive(Debug, Default)]
pub struct Crowd {
    /// Interactions as a client sends them, by what was wanted.
    pub commands: usize,
    pub typing: usize,
    pub buttons: usize,
    /// Interactions that no client would send.
    pub forged: usize,
    pub answered: usize,
    /// What should have been answered and was not.
    pub unanswered: Vec<String>,
    /// How many public posts came of it, and how many private answers.
    pub posts: usize,
    pub private: usize,
    pub took: Duration,
}

impl fmt::Display for Crowd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { commands, typing, buttons, forged, answered, posts, private, took, .. } = self;
        let all = commands + typing + buttons + forged;
        write!(
            f,
            "{all} interactions in {:.0} s ({commands} commands, {typing} completions, {buttons} buttons and menus, \
             {forged} that no client sends), {answered} answered, {posts} posts and {private} private answers, none of \
             which was refused, called a stranger or left its lines; the other games are as they were",
            took.as_secs_f32()
        )
    }
}

/// What somebody of the crowd sends.
struct Sent {
    kind: u8,
    data: Value,
    source: Option<Message>,
    /// What is changed so that no client would send it.
    forged: Option<(String, Value)>,
}

/// Lets a crowd do so many things.
pub async fn crowd(interactions: usize) -> Crowd {
    let began = Instant::now();
    let discord = Discord::start().await;
    let mut bot = discord.run_bot().await;
    let (_tell, lives) = watch::channel(0);
    let mut quiet = Vec::new();
    for number in 0..QUIET_PAIRS {
        let mut pair = Pair::sit_down(&discord, number, lives.clone()).await;
        for _ in 0..3 {
            pair.step().await;
        }
        quiet.push(pair);
    }
    discord.settle().await;
    let before = rows_of(&bot.database(), &quiet);
    discord.shared.change(|world| world.forgetful = true);
    let mut dice = Dice::new(u64::from(std::process::id()));
    let people = gather(&discord, &quiet, &mut dice);
    let mut found = Crowd::default();
    let mut acting = JoinSet::new();
    for n in 0..interactions {
        if acting.len() >= AT_ONCE {
            found.note(acting.join_next().await.expect("somebody acts").expect("nobody panics"));
        }
        let person = people[dice.throw(people.len())].clone();
        let sent = anything(&discord, &people, &mut dice);
        match sent.kind {
            _ if sent.forged.is_some() => found.forged += 1,
            2 => found.commands += 1,
            4 => found.typing += 1,
            3 => found.buttons += 1,
            _ => found.forged += 1,
        }
        acting.spawn(act(person, sent));
        if n % 2_000 == 1_999 {
            // Whoever still waits would not find what is forgotten then.
            while let Some(came) = acting.join_next().await {
                found.note(came.expect("nobody panics"));
            }
            look_at(&discord, &quiet, &mut found);
        }
    }
    while let Some(came) = acting.join_next().await {
        found.note(came.expect("nobody panics"));
    }
    discord.settle().await;
    look_at(&discord, &quiet, &mut found);
    assert!(found.unanswered.is_empty(), "not answered: {:?}", found.unanswered);
    in_peace(&discord, &mut bot, quiet, before).await;
    found.took = began.elapsed();
    found
}

/// The quiet games are as they were and go on.
async fn in_peace(discord: &Discord, bot: &mut Bot, quiet: Vec<Pair>, before: Vec<String>) {
    assert_eq!(rows_of(&bot.database(), &quiet), before, "somebody has meddled with the games of others");
    for mut pair in quiet {
        pair.step().await;
    }
    discord.settle().await;
    assert_eq!(bot.stop("TERM").await, Some(0), "{}", bot.said());
}

/// Gives everything that is stored about the games of the quiet ones.
fn rows_of(database: &Path, quiet: &[Pair]) -> Vec<String> {
    let db = Connection::open(database).expect("the database can be opened");
    let mut rows = Vec::new();
    for pair in quiet {
        let sql = format!(
            "SELECT json_array(version, plies, position, deadline, offers, ending, channel) FROM games WHERE id = {}",
            pair.game.id.0
        );
        rows.push(db.query_row(&sql, [], |row| row.get(0)).expect("the game is there"));
    }
    rows
}

/// Brings a crowd with strange names into the hall, into the channels of the quiet ones and into direct messages.
fn gather(discord: &Discord, quiet: &[Pair], dice: &mut Dice) -> Vec<Person> {
    let mut people = Vec::new();
    for n in 0..CROWD {
        let person = discord.user(&format!("Eve{n}"));
        let nick: String = strange::text(dice).chars().take(32).collect();
        if !nick.is_empty() {
            person.call_himself(&nick);
        }
        people.push(person.in_private());
        people.push(person.at(quiet[n % quiet.len()].channel));
        people.push(person.clone());
        people.push(person);
    }
    people
}

/// What came of something that was sent.
enum Came {
    Answered,
    /// It should have been answered.
    Nothing(String),
    /// Nobody expects an answer.
    Ignored,
}

impl Crowd {
    fn note(&mut self, came: Came) {
        match came {
            Came::Answered => self.answered += 1,
            Came::Nothing(sent) => self.unanswered.push(sent),
            Came::Ignored => {}
        }
    }
}

async fn act(person: Person, sent: Sent) -> Came {
    let Sent { kind, data, source, forged } = sent;
    let sensible = forged.is_none() && matches!(kind, 2..=4);
    let told = format!("{kind} {data}");
    let id = person.forge(kind, data, source, |payload| {
        if let Some((field, value)) = forged {
            payload[field] = value;
        }
    });
    let Some(id) = id.ok().filter(|_| sensible) else { return Came::Ignored };
    match person.callback(id).await {
        None => Came::Nothing(format!("{id}: {told}")),
        Some(Callback::Choices(choices)) => {
            choices.iter().for_each(|(name, _)| in_one_line(name, "a choice"));
            Came::Answered
        }
        Some(_) => Came::Answered,
    }
}

/// Thinks of anything that can be sent.
fn anything(discord: &Discord, people: &[Person], dice: &mut Dice) -> Sent {
    let mut sent = match dice.throw(10) {
        0..4 => command(discord, people, dice, false),
        4 => command(discord, people, dice, true),
        5 => Sent { kind: dice.pick(&[1, 5, 9]), data: strange::value(dice), source: None, forged: None },
        _ => button(discord, dice),
    };
    if dice.throw(12) == 0 {
        const FIELDS: [&str; 12] = [
            "data",
            "member",
            "user",
            "channel",
            "channel_id",
            "guild_id",
            "app_permissions",
            "token",
            "message",
            "locale",
            "type",
            "entitlements",
        ];
        sent.forged = Some((dice.pick(&FIELDS).to_owned(), strange::value(dice)));
    }
    sent
}

/// Types a command; now and then one that is not offered, with options that it does not have.
fn command(discord: &Discord, people: &[Person], dice: &mut Dice, typing: bool) -> Sent {
    let known = discord.shared.look(|world| world.commands[dice.throw(world.commands.len())].clone());
    let options = known["options"].as_array().cloned().unwrap_or_default();
    let (mut said, mut users, mut strangely) = (Vec::new(), serde_json::Map::new(), false);
    for option in &options {
        if option["required"] != true && dice.throw(4) > 0 {
            continue;
        }
        let value = match (option["type"].as_u64(), option["choices"].as_array()) {
            (Some(6), _) => {
                let whom = &people[dice.throw(people.len())];
                users.insert(whom.id.to_string(), discord.shared.look(|world| world.user_json(whom.id)));
                json!(whom.id.to_string())
            }
            (_, Some(choices)) if dice.throw(4) > 0 => choices[dice.throw(choices.len())]["value"].clone(),
            _ if option["name"] == "move" && dice.throw(2) == 0 => json!(dice.pick(&MOVES)),
            _ if dice.throw(3) == 0 => json!(strange::number(dice)),
            _ => json!(strange::text(dice)),
        };
        said.push(json!({ "name": option["name"], "type": option["type"], "value": value }));
    }
    match dice.throw(30) {
        0 => said.push(json!({ "name": strange::text(dice), "type": 3, "value": "x" })),
        1 => said.extend(said.clone()),
        2 => said.clear(),
        3 => {
            strangely = true;
            said.push(json!({ "name": "game", "type": dice.throw(13), "value": strange::value(dice) }));
        }
        _ => {}
    }
    let completed = options.iter().any(|option| option["autocomplete"] == true);
    let focused = said
        .iter_mut()
        .find(|option| options.iter().any(|known| known["name"] == option["name"] && known["autocomplete"] == true));
    if let (true, Some(focused)) = (typing && completed, focused) {
        focused["focused"] = json!(true);
    } else if typing {
        return button(discord, dice);
    }
    let name = if dice.throw(40) == 0 { json!(strange::text(dice)) } else { known["name"].clone() };
    let mut data = json!({ "id": known["id"], "name": name, "type": 1, "options": said });
    data["resolved"] = json!({ "users": users });
    let forged = strangely.then(|| (String::from("version"), json!(1)));
    Sent { kind: if typing { 4 } else { 2 }, data, source: None, forged }
}

/// Presses a button or chooses from a menu that may never have been there.
fn button(discord: &Discord, dice: &mut Dice) -> Sent {
    let bot_posts = |message: &&Message| message.reader.is_none();
    let source = discord.shared.look(|world| {
        let recent: Vec<&Message> = world.messages.values().rev().filter(bot_posts).take(40).collect();
        recent[dice.throw(recent.len())].clone()
    });
    let real = source.parts().filter_map(|part| part["custom_id"].as_str()).map(str::to_owned).collect::<Vec<_>>();
    let code = match real.len() {
        0 => strange::code(dice),
        many if dice.throw(2) == 0 => real[dice.throw(many)].clone(),
        _ => strange::code(dice),
    };
    let data = if dice.throw(4) == 0 {
        json!({ "component_type": 3, "custom_id": "menu", "values": [code], "id": 1 })
    } else {
        json!({ "component_type": 2, "custom_id": code, "id": 1 })
    };
    Sent { kind: 3, data, source: Some(source), forged: None }
}

/// Looks at everything that was said since the last look, and forgets it.
fn look_at(discord: &Discord, quiet: &[Pair], found: &mut Crowd) {
    discord.shared.change(|world| {
        let refused: Vec<String> = world
            .asked
            .drain(..)
            .filter(|asked| asked.status == 400)
            .map(|asked| format!("{} {} {}", asked.method, asked.path, asked.body))
            .filter(|told| told.contains("content") || told.contains("choices"))
            .collect();
        assert!(refused.is_empty(), "Discord refused {} messages, such as {}", refused.len(), refused[0]);
        let strangers: BTreeSet<Id> =
            world.users.keys().copied().filter(|user| quiet.iter().any(|pair| pair.has(*user))).collect();
        for message in world.messages.values().filter(|message| !message.content.is_empty()) {
            assert!(!message.pings_many && message.pings.len() <= 2, "calls many: {}", message.content);
            let early = quiet.iter().any(|pair| pair.channel == message.channel);
            assert!(early || message.pings.is_disjoint(&strangers), "calls a stranger: {}", message.content);
            message.content.lines().for_each(|line| in_one_line(line, "a line"));
            is_closed(&message.content);
            message.labels().iter().for_each(|label| in_one_line(label, "a label"));
            for option in message.parts().filter_map(|part| part["options"].as_array()).flatten() {
                in_one_line(option["label"].as_str().unwrap_or_default(), "an item");
            }
        }
        let (private, posts): (Vec<_>, Vec<_>) = world.messages.values().partition(|m| m.reader.is_some());
        found.posts = found.posts.max(posts.len());
        found.private += private.len();
        // The posts stay: people press their buttons. What was private is nobody's business any more.
        world.messages.retain(|_, message| message.reader.is_none());
        world.interactions.retain(|_, interaction| interaction.callback.is_none());
        world.tokens.retain(|_, id| world.interactions.contains_key(id));
    });
}
