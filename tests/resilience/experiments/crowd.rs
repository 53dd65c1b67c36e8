//! Users who send anything, also what no client would send, beside bystanders who must not notice.

use crate::experiments::bot_messages::MessageCounts;
use crate::experiments::bot_process::{BotProcess, log};
use crate::experiments::bystanders::Bystanders;
use crate::experiments::hostile_input;
use crate::experiments::message_layout::assert_one_line;
use crate::experiments::player_actions::number_in;
use crate::experiments::seeded_rng::Rng;
use fake_discord::FakeDiscord;
use fake_discord::client::Person;
use fake_discord::state::{Callback, Id, Message};
use serde_json::{Value, json};
use std::fmt;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// How many of the crowd act at the same time.
const AT_ONCE: usize = 24;
/// How often a user tries without an answer.
const TRIES: usize = 3;
const QUIET_PAIRS: usize = 3;
const CROWD: usize = 16;
/// After this many interactions another game starts in the server that some of the crowd moderate.
const NEWCOMERS: usize = 50;
/// First moves of several games.
const MOVES: [&str; 8] = ["d1-c1", "d3-e3", "d2-c2", "a4-a3", "e1-e2", "d1-b1", "f1-f3", "g4-g3"];

/// The result of a run.
#[derive(Debug, Default)]
pub struct Crowd {
    /// Interactions that a client could send, by kind.
    pub commands: usize,
    pub typing: usize,
    pub buttons: usize,
    /// Interactions that no client would send.
    pub forged: usize,
    pub answered: usize,
    pub said: MessageCounts,
    pub took: Duration,
}

impl fmt::Display for Crowd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { commands, typing, buttons, forged, answered, said, took } = self;
        let MessageCounts { posts, private, reasons, threads } = said;
        let all = commands + typing + buttons + forged;
        write!(
            f,
            "{all} interactions in {:.0} s ({commands} commands, {typing} completions, {buttons} buttons and menus, \
             {forged} that no client sends), {answered} answered, {posts} posts ({reasons} with a moderator's words, \
             {threads} threads) and {private} private answers, none of which was refused, called a stranger or left its \
             lines; all that is stored about the others is as it was",
            took.as_secs_f32()
        )
    }
}

/// An interaction to send.
struct Sent {
    kind: u8,
    data: Value,
    source: Option<Message>,
    /// A field that is replaced, so that no client would send it.
    forged: Option<(String, Value)>,
}

/// The servers and users.
struct Setup {
    discord: FakeDiscord,
    /// The same, seen from the server that some of the crowd moderate.
    utgard: FakeDiscord,
    /// The crowd, each user in several channels.
    people: Vec<Person>,
    /// Bystanders, who are mentioned in texts but never challenged.
    bystanders: Vec<Id>,
}

/// Sends the given number of interactions.
pub async fn run(interactions: usize) -> Crowd {
    let began = Instant::now();
    let discord = FakeDiscord::start().await;
    let mut bot = BotProcess::start(&discord).await;
    let mut rng = Rng::for_experiment("people");
    let eves: Vec<Person> = (0..CROWD).map(|n| discord.add_user(&format!("Eve{n}"))).collect();
    let mut bystanders = Bystanders::start(&discord, &bot, QUIET_PAIRS, &eves[0]).await;
    let utgard = discord.another_server("Utgard");
    let people = gather(&utgard, &eves, &bystanders.channels(), &mut rng);
    let quiet_people = bystanders.people().iter().copied().collect();
    let setup = Setup { discord: discord.clone(), utgard, people, bystanders: quiet_people };
    discord.state.update(|state| state.discard_history = true);
    let mut found = Crowd::default();
    let mut acting = JoinSet::new();
    for n in 0..interactions {
        if n % NEWCOMERS == 0 {
            setup.newcomers_play().await;
        }
        if acting.len() >= AT_ONCE {
            found.answered += usize::from(acting.join_next().await.expect("a user acts").expect("no panic"));
        }
        let person = setup.people[rng.below(setup.people.len())].clone();
        let sent = setup.anything(&person, &mut rng);
        match sent.kind {
            _ if sent.forged.is_some() => found.forged += 1,
            2 => found.commands += 1,
            4 => found.typing += 1,
            3 => found.buttons += 1,
            _ => found.forged += 1,
        }
        acting.spawn(act(person, sent));
        if n % 2_000 == 1_999 {
            // A user who still waits would not find a message that is forgotten.
            found.answered += acting.join_all().await.into_iter().filter(|answered| *answered).count();
            acting = JoinSet::new();
            found.said.look(&discord, &bystanders);
        }
    }
    found.answered += acting.join_all().await.into_iter().filter(|answered| *answered).count();
    bot.wait_until_idle().await;
    found.said.look(&discord, &bystanders);
    assert!(interactions < 10_000 || found.said.reasons > 0, "nobody has moderated anything: {found}");
    bystanders.assert_unchanged(&bot.database());
    bystanders.play_on().await;
    bot.wait_until_idle().await;
    assert_eq!(bot.stop("TERM").await, Some(0), "{}", bot.output());
    assert!(!bot.output().contains(log::PANICKED), "{}", bot.output());
    found.took = began.elapsed();
    found
}

/// Puts users with strange names into the channels of the bystanders, into direct messages, and into another server,
/// where most of them are moderators.
fn gather(utgard: &FakeDiscord, eves: &[Person], bystanders: &[Id], rng: &mut Rng) -> Vec<Person> {
    let mut people = Vec::new();
    for (n, person) in eves.iter().enumerate() {
        let guest = utgard.add_member(person.id);
        let nick: String = hostile_input::text(rng).chars().take(32).collect();
        if !nick.is_empty() {
            person.set_name(&nick);
            guest.set_name(&nick);
        }
        if n % 4 > 0 {
            guest.make_moderator();
        }
        let here = [person.clone(), person.clone(), person.at(bystanders[n % bystanders.len()]), person.in_dm()];
        people.extend(here.into_iter().chain([guest.clone(), guest]));
    }
    people
}

/// Sends an interaction. Returns whether it had to be answered, and was.
async fn act(person: Person, sent: Sent) -> bool {
    let Sent { kind, data, source, forged } = sent;
    if forged.is_none() && matches!(kind, 2..=4) {
        ask(&person, kind, data, source).await;
        return true;
    }
    let change = |payload: &mut Value| {
        if let Some((field, value)) = forged {
            payload[field] = value;
        }
    };
    // The channel may be gone by now.
    let _ = person.forge(kind, data, source, change);
    false
}

/// Sends an interaction that has to be answered.
pub async fn ask(person: &Person, kind: u8, data: Value, source: Option<Message>) {
    for _ in 0..TRIES {
        let id = person.interact(kind, data.clone(), source.clone()).expect("the channel is there");
        let answered = person.callback(id).await;
        if let Some(Callback::Choices(choices)) = &answered {
            choices.iter().for_each(|(name, _)| assert_one_line(name, "a choice"));
        }
        if answered.is_some() {
            return;
        }
    }
    panic!("not answered, {TRIES} times: {kind} {data}")
}

impl Setup {
    /// Starts a game in the server that some of the crowd moderate.
    async fn newcomers_play(&self) {
        let (one, other) = (self.utgard.add_user("Thjalfi"), self.utgard.add_user("Roskva"));
        let options = [("variant", "brandubh"), ("opponent", other.mention())];
        if let Ok(challenge) = one.try_slash("challenge", &options).await {
            let _ = other.try_click(&challenge, "Accept").await;
        }
    }

    /// Makes any interaction.
    fn anything(&self, person: &Person, rng: &mut Rng) -> Sent {
        let mut sent = match rng.below(10) {
            0..4 => self.command(person, rng, false),
            4 => self.command(person, rng, true),
            5 => Sent { kind: rng.pick(&[1, 5, 9]), data: hostile_input::value(rng), source: None, forged: None },
            _ => self.button(rng),
        };
        if rng.below(12) == 0 {
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
            sent.forged = Some((rng.pick(&FIELDS).to_owned(), hostile_input::value(rng)));
        }
        sent
    }

    /// Makes a hostile text that may mention a bystander.
    fn text(&self, rng: &mut Rng) -> String {
        let text = hostile_input::text(rng);
        hostile_input::mentioning(rng.pick(&self.bystanders), &text)
    }

    /// Returns the number of a recent game of the same server, or any number.
    fn game(&self, person: &Person, rng: &mut Rng) -> String {
        let told: Vec<u64> = self.discord.state.read(|state| {
            let server = |channel: &Id| state.channels.get(channel).map(|channel| channel.guild);
            let here = server(&person.channel);
            let posts = state.messages.values().rev().filter(|post| server(&post.channel) == here);
            posts.take(40).filter_map(|post| number_in(&post.content)).map(|id| id.0).collect()
        });
        if told.is_empty() || rng.below(4) == 0 { hostile_input::number(rng) } else { rng.pick(&told).to_string() }
    }

    /// Makes a command, sometimes an unknown one or one with unknown options.
    fn command(&self, person: &Person, rng: &mut Rng, typing: bool) -> Sent {
        let completes = |option: &Value| option["autocomplete"] == true;
        let known = self.discord.state.read(|state| {
            // Moderators use the commands for moderators more often.
            let in_utgard =
                state.channels.get(&person.channel).is_some_and(|here| here.guild == Some(self.utgard.server));
            let moderates = in_utgard && rng.below(3) == 0;
            let wanted = |command: &&Value| match (typing, moderates) {
                (true, _) => command["options"].as_array().is_some_and(|options| options.iter().any(completes)),
                (_, true) => command["default_member_permissions"].is_string(),
                _ => true,
            };
            let wanted: Vec<&Value> = state.commands.iter().filter(wanted).collect();
            wanted[rng.below(wanted.len())].clone()
        });
        let options = known["options"].as_array().cloned().unwrap_or_default();
        let (mut said, mut users, mut strangely) = (Vec::new(), serde_json::Map::new(), false);
        for option in &options {
            let typed = typing && completes(option);
            if option["required"] != true && !typed && rng.below(4) > 0 {
                continue;
            }
            let value = match (option["type"].as_u64(), option["choices"].as_array()) {
                (Some(6), _) => {
                    let whom = &self.people[rng.below(self.people.len())];
                    users.insert(whom.id.to_string(), self.discord.state.read(|state| state.user_json(whom.id)));
                    json!(whom.id.to_string())
                }
                (_, Some(choices)) if rng.below(4) > 0 => choices[rng.below(choices.len())]["value"].clone(),
                _ if option["name"] == "move" && rng.below(2) == 0 => json!(rng.pick(&MOVES)),
                _ if option["name"] == "game" && rng.below(4) > 0 => json!(self.game(person, rng)),
                _ if rng.below(3) == 0 => json!(hostile_input::number(rng)),
                _ => json!(self.text(rng)),
            };
            said.push(json!({ "name": option["name"], "type": option["type"], "value": value }));
        }
        match rng.below(30) {
            0 => said.push(json!({ "name": hostile_input::text(rng), "type": 3, "value": "x" })),
            1 => said.extend(said.clone()),
            2 => said.clear(),
            3 => {
                strangely = true;
                said.push(json!({ "name": "game", "type": rng.below(13), "value": hostile_input::value(rng) }));
            }
            _ => {}
        }
        let is_completed = |said: &Value| options.iter().any(|known| known["name"] == said["name"] && completes(known));
        match said.iter_mut().find(|option| is_completed(option)) {
            Some(option) if typing => option["focused"] = json!(true),
            None if typing => return self.button(rng),
            _ => {}
        }
        let name = if rng.below(40) == 0 { json!(hostile_input::text(rng)) } else { known["name"].clone() };
        let mut data = json!({ "id": known["id"], "name": name, "type": 1, "options": said });
        data["resolved"] = json!({ "users": users });
        let forged = strangely.then(|| (String::from("version"), json!(1)));
        Sent { kind: if typing { 4 } else { 2 }, data, source: None, forged }
    }

    /// Makes a click on a button or a menu, which may not exist.
    fn button(&self, rng: &mut Rng) -> Sent {
        let bot_posts = |message: &&Message| message.reader.is_none();
        let source = self.discord.state.read(|state| {
            let recent: Vec<&Message> = state.messages.values().rev().filter(bot_posts).take(40).collect();
            recent[rng.below(recent.len())].clone()
        });
        let real =
            source.controls().filter_map(|part| part["custom_id"].as_str()).map(str::to_owned).collect::<Vec<_>>();
        let code = match real.len() {
            0 => hostile_input::code(rng),
            many if rng.below(2) == 0 => real[rng.below(many)].clone(),
            _ => hostile_input::code(rng),
        };
        let data = if rng.below(4) == 0 {
            json!({ "component_type": 3, "custom_id": "menu", "values": [code], "id": 1 })
        } else {
            json!({ "component_type": 2, "custom_id": code, "id": 1 })
        };
        Sent { kind: 3, data, source: Some(source), forged: None }
    }
}
