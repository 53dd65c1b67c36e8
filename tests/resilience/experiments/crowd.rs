//! A crowd that does whatever can be done, and much that cannot, beside people who want to play in peace.

use crate::dice::Dice;
use crate::hands::number_in;
use crate::layout::in_one_line;
use crate::ledger::nothing_is_left_to_do;
use crate::quiet::Quiet;
use crate::said::Said;
use crate::standin::Discord;
use crate::standin::model::{Callback, Id, Message};
use crate::standin::people::Person;
use crate::strange;
use serde_json::{Value, json};
use std::fmt;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// How many of the crowd act at the same time.
const AT_ONCE: usize = 24;
/// How often somebody tries who is not answered: Discord waits for three seconds, and a busy machine may not have them.
const TRIES: usize = 3;
const QUIET_PAIRS: usize = 3;
const CROWD: usize = 16;
/// After how many interactions another game begins in the server that some of the crowd manage.
const NEWCOMERS: usize = 50;
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
    pub said: Said,
    pub took: Duration,
}

impl fmt::Display for Crowd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { commands, typing, buttons, forged, answered, said, took } = self;
        let Said { posts, private, reasons, threads } = said;
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

/// What somebody of the crowd sends.
struct Sent {
    kind: u8,
    data: Value,
    source: Option<Message>,
    /// What is changed so that no client would send it.
    forged: Option<(String, Value)>,
}

/// Where they all are.
struct BoardView {
    discord: Discord,
    /// The same, seen from the server that some of the crowd manage.
    utgard: Discord,
    /// The crowd, each of them in several places.
    people: Vec<Person>,
    /// Those who want to play in peace: they are mentioned, but never named as an opponent.
    quiet: Vec<Id>,
}

/// Lets a crowd do so many things.
pub async fn crowd(interactions: usize) -> Crowd {
    let began = Instant::now();
    let discord = Discord::start().await;
    let mut bot = discord.run_bot().await;
    let mut dice = Dice::of("people");
    let eves: Vec<Person> = (0..CROWD).map(|n| discord.user(&format!("Eve{n}"))).collect();
    let mut quiet = Quiet::sit_down(&discord, &bot.database(), QUIET_PAIRS, &eves[0]).await;
    let utgard = discord.another_server("Utgard");
    let people = gather(&utgard, &eves, &quiet.channels(), &mut dice);
    let quiet_people = quiet.people().iter().copied().collect();
    let view = BoardView { discord: discord.clone(), utgard, people, quiet: quiet_people };
    discord.shared.change(|world| world.forgetful = true);
    let mut found = Crowd::default();
    let mut acting = JoinSet::new();
    for n in 0..interactions {
        if n % NEWCOMERS == 0 {
            view.newcomers_play().await;
        }
        if acting.len() >= AT_ONCE {
            found.answered += usize::from(acting.join_next().await.expect("somebody acts").expect("all goes well"));
        }
        let person = view.people[dice.throw(view.people.len())].clone();
        let sent = view.anything(&person, &mut dice);
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
            found.answered += acting.join_all().await.into_iter().filter(|answered| *answered).count();
            acting = JoinSet::new();
            found.said.look(&discord, &quiet);
        }
    }
    found.answered += acting.join_all().await.into_iter().filter(|answered| *answered).count();
    nothing_is_left_to_do(&bot).await;
    found.said.look(&discord, &quiet);
    assert!(interactions < 10_000 || found.said.reasons > 0, "nobody has moderated anything: {found}");
    quiet.are_as_they_were(&bot.database());
    quiet.go_on().await;
    nothing_is_left_to_do(&bot).await;
    assert_eq!(bot.stop("TERM").await, Some(0), "{}", bot.said());
    assert!(!bot.said().contains("this is a bug") && !bot.said().contains("broke off"), "{}", bot.said());
    found.took = began.elapsed();
    found
}

/// Brings a crowd with strange names into the hall, into the channels of the quiet ones, into direct messages, and into
/// another server, where most of them are moderators.
fn gather(utgard: &Discord, eves: &[Person], quiet: &[Id], dice: &mut Dice) -> Vec<Person> {
    let mut people = Vec::new();
    for (n, person) in eves.iter().enumerate() {
        let guest = utgard.welcome(person.id);
        let nick: String = strange::text(dice).chars().take(32).collect();
        if !nick.is_empty() {
            person.call_himself(&nick);
            guest.call_himself(&nick);
        }
        if n % 4 > 0 {
            guest.moderate();
        }
        let here = [person.clone(), person.clone(), person.at(quiet[n % quiet.len()]), person.in_private()];
        people.extend(here.into_iter().chain([guest.clone(), guest]));
    }
    people
}

/// Sends what somebody thought of; tells whether it was to be answered, and was.
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
    // Where the channel is gone by now there is nobody to send it to.
    let _ = person.forge(kind, data, source, change);
    false
}

/// Sends something that has to be answered.
pub async fn ask(person: &Person, kind: u8, data: Value, source: Option<Message>) {
    for _ in 0..TRIES {
        let id = person.interact(kind, data.clone(), source.clone()).expect("the channel is there");
        let answered = person.callback(id).await;
        if let Some(Callback::Choices(choices)) = &answered {
            choices.iter().for_each(|(name, _)| in_one_line(name, "a choice"));
        }
        if answered.is_some() {
            return;
        }
    }
    panic!("not answered, {TRIES} times: {kind} {data}")
}

impl BoardView {
    /// Has two begin a game in the server that some of the crowd manage, so that there is something to moderate.
    async fn newcomers_play(&self) {
        let (one, other) = (self.utgard.user("Thjalfi"), self.utgard.user("Roskva"));
        let options = [("variant", "brandubh"), ("opponent", other.mention())];
        if let Ok(challenge) = one.try_slash("challenge", &options).await {
            let _ = other.try_click(&challenge, "Accept").await;
        }
    }

    /// Thinks of anything that can be sent.
    fn anything(&self, person: &Person, dice: &mut Dice) -> Sent {
        let mut sent = match dice.throw(10) {
            0..4 => self.command(person, dice, false),
            4 => self.command(person, dice, true),
            5 => Sent { kind: dice.pick(&[1, 5, 9]), data: strange::value(dice), source: None, forged: None },
            _ => self.button(dice),
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

    /// Thinks of a strange text, in which those who want to play in peace may be mentioned.
    fn text(&self, dice: &mut Dice) -> String {
        let text = strange::text(dice);
        strange::calling(dice.pick(&self.quiet), &text)
    }

    /// Gives the number of a game that was told of where somebody is, or any number.
    fn game(&self, person: &Person, dice: &mut Dice) -> String {
        let told: Vec<u64> = self.discord.shared.look(|world| {
            let server = |channel: &Id| world.channels.get(channel).map(|channel| channel.guild);
            let here = server(&person.here);
            let posts = world.messages.values().rev().filter(|post| server(&post.channel) == here);
            posts.take(40).filter_map(|post| number_in(&post.content)).map(|id| id.0).collect()
        });
        if told.is_empty() || dice.throw(4) == 0 { strange::number(dice) } else { dice.pick(&told).to_string() }
    }

    /// Types a command; now and then one that is not offered, with options that it does not have.
    fn command(&self, person: &Person, dice: &mut Dice, typing: bool) -> Sent {
        let completes = |option: &Value| option["autocomplete"] == true;
        let known = self.discord.shared.look(|world| {
            // Where they are moderators they make use of it.
            let in_utgard = world.channels.get(&person.here).is_some_and(|here| here.guild == Some(self.utgard.server));
            let moderates = in_utgard && dice.throw(3) == 0;
            let wanted = |command: &&Value| match (typing, moderates) {
                (true, _) => command["options"].as_array().is_some_and(|options| options.iter().any(completes)),
                (_, true) => command["default_member_permissions"].is_string(),
                _ => true,
            };
            let wanted: Vec<&Value> = world.commands.iter().filter(wanted).collect();
            wanted[dice.throw(wanted.len())].clone()
        });
        let options = known["options"].as_array().cloned().unwrap_or_default();
        let (mut said, mut users, mut strangely) = (Vec::new(), serde_json::Map::new(), false);
        for option in &options {
            let typed = typing && completes(option);
            if option["required"] != true && !typed && dice.throw(4) > 0 {
                continue;
            }
            let value = match (option["type"].as_u64(), option["choices"].as_array()) {
                (Some(6), _) => {
                    let whom = &self.people[dice.throw(self.people.len())];
                    users.insert(whom.id.to_string(), self.discord.shared.look(|world| world.user_json(whom.id)));
                    json!(whom.id.to_string())
                }
                (_, Some(choices)) if dice.throw(4) > 0 => choices[dice.throw(choices.len())]["value"].clone(),
                _ if option["name"] == "move" && dice.throw(2) == 0 => json!(dice.pick(&MOVES)),
                _ if option["name"] == "game" && dice.throw(4) > 0 => json!(self.game(person, dice)),
                _ if dice.throw(3) == 0 => json!(strange::number(dice)),
                _ => json!(self.text(dice)),
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
        let is_completed = |said: &Value| options.iter().any(|known| known["name"] == said["name"] && completes(known));
        match said.iter_mut().find(|option| is_completed(option)) {
            Some(option) if typing => option["focused"] = json!(true),
            None if typing => return self.button(dice),
            _ => {}
        }
        let name = if dice.throw(40) == 0 { json!(strange::text(dice)) } else { known["name"].clone() };
        let mut data = json!({ "id": known["id"], "name": name, "type": 1, "options": said });
        data["resolved"] = json!({ "users": users });
        let forged = strangely.then(|| (String::from("version"), json!(1)));
        Sent { kind: if typing { 4 } else { 2 }, data, source: None, forged }
    }

    /// Presses a button or chooses from a menu that may never have been there.
    fn button(&self, dice: &mut Dice) -> Sent {
        let bot_posts = |message: &&Message| message.reader.is_none();
        let source = self.discord.shared.look(|world| {
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
}
