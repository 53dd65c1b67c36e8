//! Fills every option of every command with every hostile text, once and repeated up to the longest text.

use crate::experiments::bot_messages::MessageCounts;
use crate::experiments::bot_process::{BotProcess, log};
use crate::experiments::bystanders::Bystanders;
use crate::experiments::crowd::ask;
use crate::experiments::hostile_input::{SNIPPETS, mentioning, repeated};
use crate::experiments::player_actions::number_in;
use crate::experiments::start_game::{begin, begin_between};
use fake_discord::FakeDiscord;
use fake_discord::client::Person;
use ratatosk::text::sanitize::is_blank;
use serde_json::{Map, Value, json};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// How many commands are sent at the same time.
const AT_ONCE: usize = 16;

/// The result of a run.
#[derive(Debug, Default)]
pub struct Sweep {
    pub options: usize,
    pub texts: usize,
    pub typed: usize,
    pub completed: usize,
    pub said: MessageCounts,
    pub took: Duration,
}

impl fmt::Display for Sweep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { options, texts, typed, completed, said, took } = self;
        let MessageCounts { posts, private, reasons, .. } = said;
        write!(
            f,
            "{texts} texts in each of {options} options in {:.0} s: {typed} commands and {completed} completions answered; \
             {posts} posts, {reasons} of them with a moderator's words, and {private} private answers, none of which was \
             refused, called a stranger or left its lines",
            took.as_secs_f32()
        )
    }
}

/// An option of a command.
struct Blank {
    command: Value,
    option: Value,
}

/// The users and their server.
struct Setup {
    discord: FakeDiscord,
    /// A moderator who is to move in a game, and the opponent.
    ann: Person,
    bo: Person,
}

/// Fills every option with every text.
pub async fn run() -> Sweep {
    let began = Instant::now();
    let discord = FakeDiscord::start().await;
    let mut bot = BotProcess::start(&discord).await;
    let mut bystanders = Bystanders::start(&discord, &bot, 1, &discord.add_user("Eve")).await;
    // Another server, whose moderator has a game there.
    let utgard = discord.another_server("Utgard");
    let (ann, bo) = begin(&utgard).await;
    ann.make_moderator();
    let setup = Arc::new(Setup { discord: utgard, ann, bo });
    discord.state.update(|state| state.discard_history = true);
    let whom = *bystanders.people().first().unwrap();
    let texts: Vec<String> =
        SNIPPETS.iter().map(|piece| mentioning(whom, piece)).flat_map(|piece| [repeated(&piece), piece]).collect();
    let blanks: Vec<Arc<Blank>> = setup.blanks().into_iter().map(Arc::new).collect();
    let mut found = Sweep { options: blanks.len(), texts: texts.len(), ..Sweep::default() };
    let mut typing = JoinSet::new();
    for blank in &blanks {
        for text in &texts {
            if typing.len() >= AT_ONCE {
                found.note(typing.join_next().await.unwrap().unwrap());
            }
            typing.spawn(fill_in(Arc::clone(&setup), Arc::clone(blank), text.clone()));
        }
        while let Some(came) = typing.join_next().await {
            found.note(came.unwrap());
        }
        found.said.look(&discord, &bystanders);
    }
    bot.wait_until_idle().await;
    found.said.look(&discord, &bystanders);
    // Texts without a visible character are refused as a reason.
    let visible = texts.iter().filter(|text| !is_blank(text)).count();
    assert!(visible < texts.len(), "no text is blank");
    assert_eq!(found.said.reasons, visible, "each reason was told");
    bystanders.assert_unchanged(&bot.database());
    bystanders.play_on().await;
    assert_eq!(bot.stop("TERM").await, Some(0), "{}", bot.output());
    assert!(!bot.output().contains(log::PANICKED), "{}", bot.output());
    found.took = began.elapsed();
    found
}

impl Sweep {
    /// Counts commands and completions that were answered.
    fn note(&mut self, (typed, completed): (usize, usize)) {
        self.typed += typed;
        self.completed += completed;
    }
}

impl Setup {
    /// Returns every option of every command.
    fn blanks(&self) -> Vec<Blank> {
        let commands = self.discord.state.read(|state| state.commands.clone());
        let options = |command: &Value| command["options"].as_array().cloned().unwrap_or_default();
        let blanks = commands
            .iter()
            .flat_map(|command| options(command).into_iter().map(|option| Blank { command: command.clone(), option }));
        blanks.collect()
    }

    /// Starts a game, and returns its number.
    async fn new_game(&self) -> u64 {
        let board = begin_between(&self.discord.add_user("One"), &self.discord.add_user("Other")).await;
        number_in(&board.text()).expect("the board names the game").0
    }

    /// Makes the options of a command: the one with the text, and those that are required.
    async fn options(&self, blank: &Blank, text: &str) -> (Vec<Value>, Map<String, Value>) {
        let (mut said, mut users) = (Vec::new(), Map::new());
        for option in blank.command["options"].as_array().into_iter().flatten() {
            let name = option["name"].as_str().unwrap();
            if option["name"] == blank.option["name"] {
                // A client does not send a user as text, but it can be read.
                said.push(json!({ "name": name, "type": 3, "value": text }));
            } else if option["required"] == true {
                let value = match name {
                    "variant" => json!("brandubh"),
                    "move" => json!("d1-c1"),
                    "game" => json!(self.new_game().await.to_string()),
                    "reason" => json!("because"),
                    "player" => json!(self.bo.id.to_string()),
                    other => panic!("{other} is new; what is said for it?"),
                };
                if option["type"] == 6 {
                    users.insert(self.bo.id.to_string(), self.discord.state.read(|state| state.user_json(self.bo.id)));
                }
                said.push(json!({ "name": name, "type": option["type"], "value": value }));
            }
        }
        (said, users)
    }
}

/// Sends one command with one text, and asks for suggestions where there are some.
async fn fill_in(setup: Arc<Setup>, blank: Arc<Blank>, text: String) -> (usize, usize) {
    let (options, users) = setup.options(&blank, &text).await;
    let data = json!({ "id": blank.command["id"], "name": blank.command["name"], "type": 1, "options": options,
        "resolved": { "users": users } });
    ask(&setup.ann, 2, data.clone(), None).await;
    if blank.option["autocomplete"] != true {
        return (1, 0);
    }
    let mut typing = data;
    for option in typing["options"].as_array_mut().into_iter().flatten() {
        if option["name"] == blank.option["name"] {
            option["focused"] = json!(true);
        }
    }
    ask(&setup.ann, 4, typing, None).await;
    (1, 1)
}
