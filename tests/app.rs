//! Every command of players, sent to the app without Discord or a terminal.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod plain_markup;
mod seeded_rng;
mod temp_folder;

use plain_markup::Plain;
use ratatosk::app::autocomplete::{FocusedOption, Suggestion};
use ratatosk::app::{
    App, Audience, Button, ChallengeAnswer, Command, Content, File, GameCommand, Menu, OptionValue, Person, Post,
    Reply, Request,
};
use ratatosk::board_view::{BoardStatus, BoardView};
use ratatosk::commands::custom_id;
use ratatosk::commands::{COMMANDS, OptionKind};
use ratatosk::game::{
    BotPermissions, ChallengeId, ChannelId, Game, GameId, Place, PlacePart, PlayerId, ServerId, Timestamp,
};
use ratatosk::rules::{Move, Side, VARIANTS};
use ratatosk::store::{Delivery, OutboxId, OutboxMessage, PostId, RequestId, Store};
use seeded_rng::Rng;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use temp_folder::TempFolder;

const HERE: Place = Place { server: Some(ServerId(1)), channel: ChannelId(10), thread: None };
const THREAD: Place = Place { thread: Some(ChannelId(100)), ..HERE };
const PARTS_OF_THREAD: [PlacePart; 3] =
    [PlacePart::Server(ServerId(1)), PlacePart::Channel(ChannelId(10)), PlacePart::Thread(ChannelId(100))];
const OTHER_CHANNEL: Place = Place { server: Some(ServerId(1)), channel: ChannelId(11), thread: None };
const ELSEWHERE: Place = Place { server: Some(ServerId(2)), channel: ChannelId(20), thread: None };
const DIRECT: Place = Place { server: None, channel: ChannelId(30), thread: None };

const DAY: i64 = 24 * 60 * 60;

/// Everything that a reply or a post shows and does.
#[derive(Clone, Debug)]
struct Shown {
    audience: Audience,
    text: String,
    board: Option<Box<BoardView>>,
    buttons: Vec<Button>,
    menu: Option<Menu>,
    file: Option<File>,
    ping: Vec<PlayerId>,
    /// The outbox message that it settles.
    outbox: Option<OutboxId>,
    /// The outbox messages that are to be posted somewhere else.
    elsewhere: Vec<OutboxId>,
}

impl From<Reply> for Shown {
    fn from(reply: Reply) -> Self {
        let audience = reply.audience();
        let (content, ping, pending, handovers) = match reply {
            Reply::Answer(answer) => (answer.content, Vec::new(), None, answer.handovers),
            Reply::Post(post) => (post.content, post.ping, post.pending, post.handovers),
        };
        let Content { text, board, buttons, menu, file, .. } = content;
        let elsewhere = handovers.into_iter().map(|handover| handover.pending.id).collect();
        Self { audience, text, board, buttons, menu, file, ping, outbox: pending.map(|it| it.id), elsewhere }
    }
}

impl From<Post> for Shown {
    fn from(post: Post) -> Self {
        Reply::from(post).into()
    }
}

/// A bot with a clock that can be set.
struct Bot {
    app: Arc<App>,
    clock: Arc<AtomicI64>,
    folder: TempFolder,
}

impl Bot {
    fn new() -> Self {
        let folder = TempFolder::new("app");
        let clock = Arc::new(AtomicI64::new(1_800_000_000));
        let store = Store::open(&folder.path().join("games.db")).unwrap();
        let time = Arc::clone(&clock);
        let app = Arc::new(App::new(store, move || Timestamp(time.load(Ordering::Relaxed)), || true));
        Self { app, clock, folder }
    }

    fn advance(&self, seconds: i64) {
        self.clock.fetch_add(seconds, Ordering::Relaxed);
        self.app.handle_due(Timestamp(0)).unwrap();
    }

    fn request(&self, who: u64, place: Place, command: Command) -> Shown {
        self.app
            .handle(
                &Request { id: None, person: person(who), place, permissions: BotPermissions::ALL, command },
                &Plain,
            )
            .unwrap()
            .into()
    }

    fn command(&self, who: u64, place: Place, command: &str, options: &[(&str, &str)]) -> Shown {
        let said =
            options.iter().map(|(name, text)| (String::from(*name), OptionValue::Text(String::from(*text)))).collect();
        self.request(who, place, Command::parse(command, said).unwrap())
    }

    fn challenge(&self, who: u64, whom: Option<u64>, variant: &str) -> Shown {
        self.challenge_in(HERE, who, whom, variant)
    }

    fn challenge_in(&self, place: Place, who: u64, whom: Option<u64>, variant: &str) -> Shown {
        let command = Command::Challenge {
            variant: variant.to_owned(),
            opponent: whom.map(person),
            layout: None,
            side: Some(ratatosk::game::SidePreference::Attackers),
            pace: None,
        };
        self.request(who, place, command)
    }

    /// Begins a game in a place; the first player has the attackers.
    fn start_game_in(&self, place: Place, who: u64, whom: u64) {
        let post = self.challenge_in(place, who, Some(whom), "brandubh");
        self.press(whom, place, &post, "Accept");
    }

    fn game(&self, id: u64) -> Game {
        self.app.store().session().unwrap().game(GameId(id)).unwrap().unwrap()
    }

    /// Resigns a game.
    fn resign(&self, who: u64, place: Place, game: &str) -> Shown {
        let asked = self.command(who, place, "resign", &[("game", game)]);
        self.press(who, place, &asked, "Resign")
    }

    /// Notes that a part of a place is gone.
    fn lose_place(&self, part: PlacePart) {
        self.app.store().mark_gone(part, self.app.now()).unwrap();
    }

    fn lose_channel(&self, channel: ChannelId) {
        self.lose_place(PlacePart::Channel(channel));
    }

    /// Returns the posts that are due now with their places, and settles them.
    fn posts(&self) -> Vec<(Place, Shown)> {
        let (store, now) = (self.app.store(), self.app.now());
        let mut posts = Vec::new();
        while let Some(message) = store.session().unwrap().due_messages(now, 1).unwrap().rows.pop() {
            match self.app.post(&message, &Plain).unwrap() {
                Some(post) => {
                    let delivery = Delivery::WithButtons { channel: HERE.channel, post: PostId(message.id.0) };
                    store.settle(message.id, delivery, now).unwrap();
                    posts.push((message.place, post.into()));
                }
                None => store.give_up(message.id, "nothing to tell", now).unwrap(),
            }
        }
        posts
    }

    /// Makes the post of an unsent message.
    fn post(&self, message: &OutboxMessage) -> Shown {
        self.app.post(message, &Plain).unwrap().unwrap().into()
    }

    fn press(&self, who: u64, place: Place, reply: &Shown, label: &str) -> Shown {
        let button = reply.buttons.iter().find(|button| button.label == label);
        let button = button.unwrap_or_else(|| panic!("no {label} on {reply:?}"));
        // Through its custom id, as a click sends it.
        self.request(who, place, custom_id::decode(&custom_id::encode(&button.command).unwrap()).unwrap())
    }

    /// Begins game 1 between players 1 (attackers) and 2.
    fn with_game() -> Self {
        let bot = Self::new();
        let post = bot.challenge(1, Some(2), "brandubh");
        bot.press(2, HERE, &post, "Accept");
        bot
    }

    fn complete(&self, who: u64, typed: &str) -> Vec<Suggestion> {
        let person = person(who);
        let focused =
            FocusedOption { person: &person, place: HERE, kind: OptionKind::Move, typed, game: None, variant: None };
        self.app.autocomplete(&focused, &Plain).unwrap()
    }
}

fn person(id: u64) -> Person {
    Person { id: PlayerId(id), name: format!("player {id}"), is_bot: id == 99, can_see_channel: true }
}

#[test]
fn a_challenge_pings_the_opponent_and_its_game_pings_the_player_to_move() {
    let bot = Bot::new();
    let post = bot.challenge(1, Some(2), "brandubh");
    assert_eq!((post.audience, post.ping.as_slice()), (Audience::Public, &[PlayerId(2)][..]));
    assert!(post.board.is_some() && post.outbox.is_some());
    let labels: Vec<&str> = post.buttons.iter().map(|button| button.label).collect();
    assert_eq!(labels, ["Accept", "Decline", "Withdraw", "Rules"]);
    for (who, label, why) in
        [(3, "Accept", "somebody else"), (1, "Accept", "your own challenge"), (2, "Withdraw", "Only the challenger")]
    {
        let refused = bot.press(who, HERE, &post, label);
        assert_eq!(refused.audience, Audience::Private);
        assert!(refused.text.contains(why), "{}", refused.text);
    }
    let game = bot.press(2, HERE, &post, "Accept");
    assert_eq!((game.audience, game.ping.as_slice()), (Audience::Public, &[PlayerId(1)][..]));
    let again = bot.press(2, HERE, &post, "Accept");
    assert!(again.text.contains("not open any more"), "{}", again.text);
}

#[test]
fn an_open_challenge_accepted_by_ten_at_once_starts_one_game() {
    let bot = Bot::new();
    let post = bot.challenge(1, None, "york");
    assert!(post.ping.is_empty());
    let replies: Vec<Shown> = std::thread::scope(|scope| {
        let press = |who| bot.press(who, HERE, &post, "Accept");
        let players: Vec<_> = (2..12).map(|who| scope.spawn(move || press(who))).collect();
        players.into_iter().map(|player| player.join().unwrap()).collect()
    });
    let taken = replies.iter().filter(|reply| reply.audience == Audience::Public).count();
    assert_eq!(taken, 1);
    assert!(replies.iter().all(|reply| reply.audience == Audience::Public || reply.text.contains("not open any more")));
    assert_eq!(bot.app.store().session().unwrap().running_games(PlayerId(1)).unwrap().len(), 1);
}

#[test]
fn concurrent_identical_challenges_create_one() {
    let bot = Bot::new();
    let replies: Vec<Shown> = std::thread::scope(|scope| {
        let challenge = |who| bot.challenge(who, Some(3 - who), "york");
        let tries: Vec<_> = (0..10).map(|n| scope.spawn(move || challenge(1 + n % 2))).collect();
        tries.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let (made, refused): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.audience == Audience::Public);
    assert_eq!(made.len(), 1);
    assert!(refused.iter().all(|reply| reply.text.contains("open challenge between you two")), "{refused:?}");
}

#[test]
fn challenges_to_bots_oneself_blockers_and_beyond_the_limit_are_refused() {
    let bot = Bot::new();
    assert!(bot.challenge(1, Some(99), "york").text.contains("Bots do not play"));
    assert!(bot.challenge(1, Some(1), "york").text.contains("yourself"));
    assert!(bot.request(2, HERE, Command::Block(person(1))).text.contains("can no longer challenge you"));
    let refused = bot.challenge(1, Some(2), "york").text;
    assert!(refused.contains("not available") && !refused.contains("block"), "{refused}");
    bot.request(2, HERE, Command::Unblock(person(1)));
    assert_eq!(bot.challenge(1, Some(2), "york").audience, Audience::Public);
    assert!(bot.challenge(2, Some(1), "york").text.contains("open challenge between you two"));
    for opponent in 3..12 {
        assert_eq!(bot.challenge(1, Some(opponent), "york").audience, Audience::Public);
    }
    assert!(bot.challenge(1, Some(12), "york").text.contains("as many as there can be"));
    bot.advance(7 * DAY);
    assert_eq!(bot.challenge(1, Some(12), "york").audience, Audience::Public, "expired challenges still count");
}

#[test]
fn a_request_delivered_twice_is_handled_once_and_answered_in_public_once() {
    let bot = Bot::with_game();
    let request = |id, who, command| Request {
        id: Some(RequestId(id)),
        person: person(who),
        place: HERE,
        permissions: BotPermissions::ALL,
        command,
    };
    let say = |id, who, command| Shown::from(bot.app.handle(&request(id, who, command), &Plain).unwrap());
    let mv = || Command::parse("move", vec![(String::from("move"), OptionValue::Text(String::from("d2-c2")))]).unwrap();
    let (first, second) = (say(7, 1, mv()), say(7, 1, mv()));
    assert!(first.audience == Audience::Public && first.text.contains("played d2-c2"), "{first:?}");
    // The outbox worker posts the board, if the first answer did not.
    assert!(second.audience == Audience::Private && second.buttons.is_empty(), "{second:?}");
    assert_eq!((second.text.as_str(), second.board.is_none()), ("This was done already.", true));
    assert_eq!(bot.app.store().session().unwrap().game(GameId(1)).unwrap().unwrap().record.plies().len(), 1);
    let post = bot.challenge(3, Some(4), "york");
    let Command::AnswerChallenge { challenge, .. } = post.buttons[0].command else { panic!("{post:?}") };
    let accept = || Command::AnswerChallenge { challenge, answer: ChallengeAnswer::Accept };
    let (first, second) = (say(8, 4, accept()), say(8, 4, accept()));
    assert!(first.audience == Audience::Public && second.audience == Audience::Private, "{second:?}");
    assert_eq!(bot.app.store().session().unwrap().running_games(PlayerId(4)).unwrap().len(), 1);
}

#[test]
fn a_game_is_visible_to_its_players_and_the_members_of_its_server() {
    let bot = Bot::with_game();
    let board = |who, place| bot.command(who, place, "board", &[("game", "1")]);
    for (who, place) in [(1, HERE), (1, ELSEWHERE), (1, DIRECT), (3, HERE), (3, THREAD), (3, OTHER_CHANNEL)] {
        assert!(board(who, place).board.is_some(), "{who} {place:?}");
    }
    let game_row =
        |who, place| bot.request(who, place, Command::Games { player: Some(person(1)) }).text.contains("Brandubh");
    assert!(game_row(2, ELSEWHERE) && game_row(3, HERE) && game_row(3, OTHER_CHANNEL) && !game_row(3, ELSEWHERE));
    for (who, place) in [(3, ELSEWHERE), (3, DIRECT)] {
        let reply = board(who, place);
        assert!(reply.board.is_none() && reply.text.contains("There is no game #1"), "{}", reply.text);
        let same = bot.command(who, place, "board", &[("game", "777")]);
        assert_eq!(same.text.replace("777", "1"), reply.text, "the answer tells that there is such a game");
    }
    // A member may look at the game but not act in it.
    let stranger = bot.command(3, HERE, "move", &[("move", "d2-c2"), ("game", "1")]);
    assert!(stranger.text.contains("You are not playing in this game"));
    assert!(board(3, HERE).buttons.iter().all(|button| button.label == "Show to everybody"));
}

#[test]
fn a_move_from_another_place_is_answered_privately_and_its_board_stays_in_the_outbox() {
    let bot = Bot::with_game();
    for message in bot.app.store().session().unwrap().due_messages(bot.app.now(), 10).unwrap() {
        bot.app.store().settle(message.id, Delivery::WithoutButtons { post: None }, bot.app.now()).unwrap();
    }
    let reply = bot.command(1, DIRECT, "move", &[("move", "d2-c2")]);
    assert_eq!((reply.audience, reply.ping.len(), reply.outbox), (Audience::Private, 0, None));
    let message = bot.app.store().session().unwrap().due_messages(bot.app.now(), 10).unwrap();
    assert_eq!(message.len(), 1);
    let post = bot.post(&message[0]);
    assert_eq!((post.audience, post.ping, message[0].place), (Audience::Public, vec![PlayerId(2)], HERE));
    assert!(post.text.contains("@1 played d2-c2"), "{}", post.text);
}

#[test]
fn a_button_of_an_old_board_does_nothing() {
    let bot = Bot::with_game();
    let old = bot.command(1, HERE, "board", &[]);
    bot.command(1, HERE, "move", &[("move", "d2-c2")]);
    bot.command(2, HERE, "move", &[("move", "d3-e3")]);
    let late = bot.press(1, HERE, &old, "Draw");
    assert!(late.text.contains("has moved on"), "{}", late.text);
    assert_eq!(bot.app.store().session().unwrap().game(GameId(1)).unwrap().unwrap().version, 2);
}

#[test]
fn completion_shows_pieces_then_squares_then_the_move() {
    let bot = Bot::with_game();
    let pieces = bot.complete(1, "");
    assert_eq!(pieces.len(), 8);
    assert_eq!(pieces[0].value, "a4");
    assert_eq!(pieces[0].label, "a4 attacker");
    let squares: Vec<String> = bot.complete(1, "d2").into_iter().map(|it| it.value).collect();
    assert_eq!(squares, ["d2-a2", "d2-b2", "d2-c2", "d2-e2", "d2-f2", "d2-g2"]);
    assert_eq!(bot.complete(1, "D2 c")[0].value, "d2-c2");
    assert_eq!(bot.complete(1, "d2-c2").len(), 1);
    assert!(bot.complete(1, "d9").is_empty() && bot.complete(1, "ｄ２").is_empty());
    assert!(bot.complete(2, "").is_empty(), "it is not 2's turn");
    assert!(bot.complete(3, "").is_empty(), "3 does not play");
}

#[test]
fn completion_names_the_games_if_two_await_a_move() {
    let bot = Bot::with_game();
    let post = bot.challenge(1, Some(2), "york");
    bot.press(2, HERE, &post, "Accept");
    for typed in ["", "d1-"] {
        let offered = bot.complete(1, typed);
        let of = |game: &str| offered.iter().filter(|suggestion| suggestion.label.ends_with(game)).count();
        assert!(of("in #1") > 0 && of("in #2") > 0, "{offered:?}");
        let values: HashSet<&str> = offered.iter().map(|suggestion| suggestion.value.as_str()).collect();
        assert_eq!(values.len(), offered.len(), "no suggestion is repeated");
    }
    // A move without a game is kept: the bot asks for the game, and one click plays it.
    let asked = bot.command(1, HERE, "move", &[("move", "d1-c1")]);
    assert!(asked.audience == Audience::Private && asked.menu.is_some(), "{asked:?}");
    // A suggestion names its game, also when it is completed again.
    let offered = bot.complete(1, "d1-c1").into_iter().find(|suggestion| suggestion.label.ends_with("in #2")).unwrap();
    assert_eq!(bot.complete(1, &offered.value).len(), 1, "{offered:?}");
    let played = bot.command(1, HERE, "move", &[("move", &offered.value)]);
    assert!(played.audience == Audience::Public && played.text.contains("York #2"), "{played:?}");
}

#[test]
fn completion_offers_a_moderator_the_games_of_others() {
    let bot = Bot::with_game();
    let moderator = person(7);
    let focused =
        |kind, typed| FocusedOption { person: &moderator, place: HERE, kind, typed, game: None, variant: None };
    let offered = |kind, typed| bot.app.autocomplete(&focused(kind, typed), &Plain).unwrap();
    assert_eq!(offered(OptionKind::AnyGame, "")[0].value, "1");
    assert!(offered(OptionKind::AnyGame, "york").is_empty() && offered(OptionKind::Game, "").is_empty());
}

#[test]
fn a_move_posted_after_the_end_pings_nobody_and_does_not_reveal_the_end() {
    let bot = Bot::with_game();
    let moved = bot.command(1, HERE, "move", &[("move", "d1-c1")]).outbox.unwrap();
    let asked = bot.command(2, HERE, "resign", &[]);
    bot.press(2, HERE, &asked, "Resign");
    let message = bot.app.store().session().unwrap().message(moved).unwrap().unwrap();
    let post = bot.post(&message);
    assert!(post.text.contains("comes late") && post.ping.is_empty() && post.buttons.is_empty(), "{post:?}");
    assert_eq!(post.board.unwrap().status, BoardStatus::ToMove(Side::Defenders));
}

#[test]
fn a_game_without_a_result_is_not_shown_as_drawn() {
    let bot = Bot::with_game();
    let end = bot.command(1, HERE, "abort", &[]);
    let view = end.board.unwrap();
    assert_eq!((view.status, view.caption.as_str()), (BoardStatus::NoResult, "No result"));
    let described = ratatosk::text::description(&view);
    assert!(described.contains("The game ended without a result."), "{described}");
}

#[test]
fn a_private_board_has_a_move_button_only_for_the_player_to_move() {
    let bot = Bot::with_game();
    let has_move = |reply: &Shown| reply.buttons.iter().any(|button| button.label == "Move");
    assert!(has_move(&bot.command(1, HERE, "board", &[])) && !has_move(&bot.command(2, HERE, "board", &[])));
}

#[test]
fn completion_lists_an_exactly_typed_square_first() {
    let bot = Bot::new();
    let post = bot.challenge(1, Some(2), "fetlar");
    bot.press(2, HERE, &post, "Accept");
    let offered: Vec<String> = bot.complete(1, "d1").into_iter().map(|suggestion| suggestion.value).collect();
    let (last, moves) = offered.split_last().unwrap();
    assert!(!moves.is_empty() && moves.iter().all(|mv| mv.starts_with("d1-")), "{offered:?}");
    assert_eq!(last, "d11");
}

#[test]
fn completion_offers_only_legal_moves() {
    let mut rng = Rng::new(31);
    for variant in VARIANTS {
        let bot = Bot::new();
        let post = bot.challenge(1, Some(2), variant.id);
        bot.press(2, HERE, &post, "Accept");
        for _ in 0..12 {
            let game = bot.app.store().session().unwrap().game(GameId(1)).unwrap().unwrap();
            let Some(player) = game.player_to_move() else { break };
            let pieces: Vec<String> = bot.complete(player.0, "").into_iter().map(|it| it.value).collect();
            let legal: HashSet<Move> = game.record.playable_moves().collect();
            let movable: HashSet<String> = legal.iter().map(|mv| mv.from.to_string()).collect();
            assert_eq!(pieces.iter().cloned().collect::<HashSet<_>>(), movable);
            assert!(pieces.len() <= 25);
            for piece in &pieces {
                let moves: Vec<String> = bot.complete(player.0, piece).into_iter().map(|it| it.value).collect();
                assert!(moves.len() <= 25);
                for written in moves.iter().filter(|text| text.contains('-')) {
                    assert!(legal.contains(&game.record.try_typed(written).unwrap().mv()), "{written}");
                }
            }
            let moves: Vec<Move> = game.record.playable_moves().collect();
            let mv = rng.pick(&moves).to_string();
            bot.command(player.0, HERE, "move", &[("move", &mv), ("game", "1")]);
        }
    }
}

#[test]
fn a_k_alone_may_be_the_king() {
    let bot = Bot::with_game();
    for (who, mv) in [(1, "d2-c2"), (2, "d3-e3"), (1, "c2-b2")] {
        bot.command(who, HERE, "move", &[("move", mv)]);
    }
    let suggested: Vec<String> = bot.complete(2, "K").into_iter().map(|it| it.value).collect();
    assert_eq!(suggested, ["d4"], "the board has no k-file");
    assert!(bot.complete(2, "Kd4")[0].value.starts_with("Kd4-"), "and his moves follow");
}

#[test]
fn deadlines_remind_flag_and_end_games() {
    let bot = Bot::with_game();
    bot.command(1, HERE, "move", &[("move", "d2-c2")]);
    bot.command(2, HERE, "move", &[("move", "d3-e3")]);
    let told = |bot: &Bot| -> Vec<(String, Option<PlayerId>)> {
        let mut posts = Vec::new();
        while let Some(message) = bot.app.store().session().unwrap().due_messages(bot.app.now(), 1).unwrap().first() {
            posts.push((bot.post(message).text, message.ping));
            bot.app.store().settle(message.id, Delivery::WithoutButtons { post: None }, bot.app.now()).unwrap();
        }
        posts
    };
    told(&bot);
    bot.advance(2 * DAY);
    assert!(told(&bot).is_empty());
    bot.advance(DAY / 4);
    let posts = told(&bot);
    assert!(posts.len() == 1 && posts[0].0.contains("your time is up") && posts[0].1 == Some(PlayerId(1)), "{posts:?}");
    bot.advance(DAY);
    let posts = told(&bot);
    assert!(posts.len() == 1 && posts[0].0.contains("@1's time is up") && posts[0].1 == Some(PlayerId(2)), "{posts:?}");
    let claim = bot.command(2, HERE, "claim", &[]);
    assert!(claim.text.contains("@1's time ran out"), "{}", claim.text);
    assert_eq!(claim.buttons.iter().map(|button| button.label).collect::<Vec<_>>(), ["Rematch"]);
}

#[test]
fn a_reminder_that_is_not_posted_keeps_earlier_buttons_valid() {
    let bot = Bot::with_game();
    bot.command(1, HERE, "move", &[("move", "d1-c1")]);
    bot.command(2, HERE, "move", &[("move", "d3-e3")]);
    bot.command(1, HERE, "preferences", &[("reminders", "off")]);
    let offer = bot.command(2, HERE, "draw", &[]);
    bot.advance(2 * DAY + DAY / 4);
    assert!(bot.app.store().session().unwrap().game(GameId(1)).unwrap().unwrap().clock.reminded);
    let end = bot.press(1, HERE, &offer, "Accept draw");
    assert!(end.audience == Audience::Public && end.text.contains("drawn"), "{end:?}");
}

#[test]
fn an_unreadable_challenge_does_not_stop_others_from_expiring() {
    let bot = Bot::new();
    bot.challenge(1, Some(2), "brandubh");
    bot.challenge(1, Some(3), "brandubh");
    let file = rusqlite::Connection::open(bot.folder.path().join("games.db")).unwrap();
    file.execute_batch("UPDATE challenges SET variant = 'chess' WHERE id = 1").unwrap();
    bot.advance(8 * DAY);
    assert!(bot.app.store().session().unwrap().due_challenges(bot.app.now(), 10).unwrap().is_empty());
    assert_eq!(
        bot.app.store().session().unwrap().stats().unwrap().unsent,
        3,
        "two challenges, and the end of the one that can be read"
    );
}

#[test]
fn every_command_is_answered() {
    let bot = Bot::with_game();
    for spec in COMMANDS {
        let mut said = Vec::new();
        for option in spec.options.iter().filter(|option| option.required) {
            said.push((
                option.name.to_owned(),
                match option.kind {
                    OptionKind::Player => OptionValue::Person(person(5)),
                    OptionKind::Move => OptionValue::Text(String::from("d2-c2")),
                    OptionKind::Game | OptionKind::AnyGame => OptionValue::Text(String::from("1")),
                    OptionKind::FreeText => OptionValue::Text(String::from("because")),
                    kind => OptionValue::Text(kind.choices()[0].0.clone()),
                },
            ));
        }
        let reply = bot.request(1, HERE, Command::parse(spec.name, said).unwrap());
        assert!(!reply.text.is_empty(), "{}", spec.name);
        // Discord's limits.
        assert!(reply.text.chars().count() <= 2000, "/{}: {}", spec.name, reply.text);
        assert!(spec.help.chars().count() <= 100 && spec.options.iter().all(|option| option.help.len() <= 100));
        for button in &reply.buttons {
            assert!(custom_id::encode(&button.command).is_some(), "/{}: {}", spec.name, button.label);
        }
    }
}

#[test]
fn the_rules_of_every_variant_fit_into_a_message() {
    let bot = Bot::new();
    for variant in VARIANTS {
        let reply = bot.request(1, HERE, Command::Rules { variant: Some(variant) });
        let length = reply.text.chars().count();
        assert!((500..=2000).contains(&length), "{}: {length}", variant.id);
    }
    let which = bot.command(1, HERE, "rules", &[]);
    assert_eq!(which.menu.unwrap().items.len(), VARIANTS.len());
}

#[test]
fn forged_buttons_are_refused() {
    let bot = Bot::with_game();
    for (command, part) in [
        (Command::AnswerChallenge { challenge: ChallengeId(77), answer: ChallengeAnswer::Accept }, "no such challenge"),
        (Command::InGame { game: Some(GameId(77)), version: None, game_command: GameCommand::Abort }, "no game #77"),
        (Command::InGame { game: Some(GameId(1)), version: Some(9), game_command: GameCommand::Abort }, "has moved on"),
    ] {
        let reply = bot.request(1, HERE, command);
        assert!(reply.audience == Audience::Private && reply.text.contains(part), "{}", reply.text);
    }
    let Some(Command::InGame { game_command, .. }) = custom_id::decode("1.0/move/x'); DROP TABLE games;--") else {
        panic!()
    };
    let reply = bot.request(1, HERE, Command::InGame { game: Some(GameId(1)), version: Some(0), game_command });
    assert!(reply.text.contains("I do not understand this as a move"), "{}", reply.text);
}

#[test]
fn the_list_of_games_shows_offers_and_claimable_wins() {
    let bot = Bot::with_game();
    bot.command(1, HERE, "move", &[("move", "d2-c2")]);
    bot.command(2, HERE, "move", &[("move", "d3-c3")]);
    bot.command(1, HERE, "draw", &[]);
    bot.command(2, HERE, "takeback", &[]);
    let list = |who| bot.command(who, HERE, "games", &[]).text;
    assert!(list(1).ends_with(", you offer a draw, @2 asks for a takeback"), "{}", list(1));
    assert!(list(2).ends_with(", @1 offers a draw, you ask for a takeback"), "{}", list(2));
    bot.advance(3 * DAY + 1);
    assert!(list(1).contains("your turn, time is up, "), "{}", list(1));
    assert!(list(2).contains("@1's turn, time is up: you can claim the win, "), "{}", list(2));
    bot.command(2, HERE, "claim", &[]);
    bot.command(1, HERE, "rematch", &[]);
    assert!(list(2).ends_with("won, @1 offers a rematch"), "{}", list(2));
}

#[test]
fn unreadable_games_and_challenges_do_not_hide_others() {
    let bot = Bot::with_game();
    let post = bot.challenge(1, Some(2), "york");
    bot.press(2, HERE, &post, "Accept");
    for variant in ["york", "fetlar"] {
        bot.challenge(1, Some(2), variant);
    }
    let file = rusqlite::Connection::open(bot.folder.path().join("games.db")).unwrap();
    file.execute_batch(
        "UPDATE games SET variant = 'hala' WHERE id = 2; UPDATE challenges SET variant = 'hala' WHERE id = 3",
    )
    .unwrap();
    let games = bot.command(1, HERE, "games", &[]);
    assert!(games.text.contains("#1 Brandubh") && games.text.contains("One more game cannot be read."), "{games:?}");
    assert!(bot.command(1, HERE, "move", &[("move", "d2-c2")]).text.contains("@1 played d2-c2"));
    let challenges = bot.command(2, HERE, "challenges", &[]).text;
    assert!(challenges.contains("to Fetlar"), "{challenges}");
    assert!(challenges.contains("One more challenge cannot be read."), "{challenges}");
    let faults: Vec<String> = bot.app.store().check().unwrap().iter().map(ToString::to_string).collect();
    let why = "makes no sense: variant: this version has no game called `hala`";
    assert_eq!(faults, [format!("row 3 of challenges {why}"), format!("game #2: row 2 of games {why}")]);
    // Its deadline passes like those of the others, which are announced.
    bot.advance(8 * DAY);
    assert_eq!(
        bot.app.store().session().unwrap().next_wake().unwrap().map(|wake| wake.0 > bot.app.now().0),
        Some(true)
    );
}

#[test]
fn a_move_taken_back_before_it_was_posted_is_posted_as_taken_back() {
    let bot = Bot::with_game();
    let moved = bot.command(1, HERE, "move", &[("move", "d1-c1")]).outbox.unwrap();
    let asked = bot.command(1, HERE, "takeback", &[]);
    bot.press(2, HERE, &asked, "Grant takeback");
    bot.command(1, HERE, "move", &[("move", "d1-b1")]);
    let message = bot.app.store().session().unwrap().message(moved).unwrap().unwrap();
    let post = bot.post(&message);
    assert!(post.text.contains("@1 played d1-c1, which was taken back since."), "{}", post.text);
    assert!(!post.text.contains("d1-b1") && post.board.is_none() && post.buttons.is_empty(), "{post:?}");
    // The notice about that move is not shown with another position.
    let message = bot.app.store().session().unwrap().message(asked.outbox.unwrap()).unwrap().unwrap();
    let post = bot.post(&message);
    assert!(post.text.contains("@1 would like to take the last move back"), "{}", post.text);
    assert!(post.text.contains("comes late") && post.board.is_none() && post.buttons.is_empty(), "{post:?}");
    // The same if another move was played instead.
    let bot = Bot::with_game();
    let moved = bot.command(1, HERE, "move", &[("move", "d1-c1")]).outbox.unwrap();
    let asked = bot.command(1, HERE, "takeback", &[]);
    bot.press(2, HERE, &asked, "Grant takeback");
    let message = bot.app.store().session().unwrap().message(moved).unwrap().unwrap();
    let post = bot.post(&message);
    assert!(post.text.contains("@1 played d1-c1, which was taken back since."), "{}", post.text);
}

/// Begins a game in which both have moved, and player 1 is to move.
fn game_under_way() -> Bot {
    let bot = Bot::with_game();
    bot.command(1, HERE, "move", &[("move", "d2-c2")]);
    bot.command(2, HERE, "move", &[("move", "d3-e3")]);
    bot.posts();
    bot
}

#[test]
fn a_win_on_time_cannot_be_claimed_while_the_channel_is_gone() {
    for gone in [PlacePart::Channel(HERE.channel), PlacePart::Server(ServerId(1))] {
        let bot = game_under_way();
        bot.advance(3 * DAY + 1);
        assert!(bot.game(1).clock.flagged.is_some());
        bot.lose_place(gone);
        let answer = bot.command(2, DIRECT, "claim", &[]);
        assert!(answer.text.contains("Nobody loses on time while"), "{}", answer.text);
        let game = bot.game(1);
        assert_eq!((game.result, game.clock.flagged), (None, None));
        assert_eq!(game.clock.deadline, Timestamp(bot.app.now().0 + 3 * DAY), "the clock stood still");
        // When its place is back, the win can be claimed.
        let answer = bot.command(2, OTHER_CHANNEL, "claim", &[]);
        assert!(answer.text.contains("still has time"), "{}", answer.text);
    }
}

#[test]
fn a_claim_while_the_channel_is_gone_is_decided_again_if_the_opponent_moves_meanwhile() {
    let bot = game_under_way();
    bot.advance(3 * DAY + 1);
    bot.lose_channel(HERE.channel);
    // The claim reads the time at the start, and again before it restarts the clock. At that moment the opponent moves.
    let (opponent, now, reads) = (Arc::clone(&bot.app), bot.app.now(), AtomicI64::new(0));
    let clock = move || {
        if reads.fetch_add(1, Ordering::Relaxed) == 1 {
            let typed = String::from("c2-b2");
            let game_command = GameCommand::Move { typed, confirmed: false };
            let command = Command::InGame { game: Some(GameId(1)), version: None, game_command };
            let request =
                Request { id: None, person: person(1), place: DIRECT, permissions: BotPermissions::ALL, command };
            opponent.handle(&request, &Plain).unwrap();
        }
        now
    };
    let slow = App::new(bot.app.store().clone(), clock, || true);
    let command = Command::InGame { game: Some(GameId(1)), version: None, game_command: GameCommand::ClaimTime };
    let request = Request { id: None, person: person(2), place: DIRECT, permissions: BotPermissions::ALL, command };
    let answer: Shown = slow.handle(&request, &Plain).unwrap().into();
    assert_eq!(bot.game(1).record.plies().len(), 3, "the opponent has moved");
    assert!(answer.text.contains("your own"), "it is the claimer's turn now: {}", answer.text);
}

#[test]
fn extra_time_is_meant_for_the_game_in_which_the_opponents_time_is_up() {
    let bot = game_under_way();
    bot.advance(3 * DAY + 1);
    bot.start_game_in(HERE, 3, 2);
    let give = |bot: &Bot| {
        let command = Command::InGame { game: None, version: None, game_command: GameCommand::GiveTime };
        bot.request(2, HERE, command)
    };
    let given = give(&bot);
    assert!(given.menu.is_none() && bot.game(1).clock.flagged.is_none(), "{given:?}");
    // Now nobody is late, so the time could be meant for either opponent.
    let asked = give(&bot);
    assert_eq!(asked.menu.unwrap().items.len(), 2);
}

#[test]
fn posts_after_the_end_ping_nobody_and_have_no_buttons() {
    let ends: [fn(&Bot); 3] = [
        |bot| drop(bot.resign(2, HERE, "1")),
        |bot| drop(bot.request(1, HERE, Command::ForgetMe { confirmed: true })),
        |bot| drop(bot.command(2, HERE, "claim", &[])),
    ];
    for (n, end) in ends.iter().enumerate() {
        for days in [5, 6] {
            let bot = game_under_way();
            // Player 1 is reminded on the third day, and half a day later the time is up.
            bot.advance(days * DAY / 2);
            assert_eq!(bot.app.store().session().unwrap().due_messages(bot.app.now(), 10).unwrap().len(), 1);
            end(&bot);
            if n == 2 && days == 5 {
                assert_eq!(bot.game(1).result, None, "there was nothing to claim yet");
                continue;
            }
            let posts = bot.posts();
            let [(_, post)] = posts.as_slice() else { panic!("{posts:?}") };
            assert!(post.text.contains(" wins with "), "only the end is told: {}", post.text);
        }
    }
}

#[test]
fn a_rematch_is_offered_and_declined_after_the_end() {
    let bot = game_under_way();
    bot.resign(2, HERE, "1");
    bot.posts();
    bot.command(1, DIRECT, "rematch", &[("game", "1")]);
    let posts = bot.posts();
    assert!(posts[0].1.text.contains("offers @2 a rematch") && posts[0].1.ping == [PlayerId(2)], "{posts:?}");
    assert!(posts[0].1.buttons.iter().any(|button| button.label == "Accept rematch"), "{posts:?}");
    bot.press(2, DIRECT, &posts[0].1, "Decline");
    let posts = bot.posts();
    assert!(posts[0].1.text.contains("has declined the rematch") && posts[0].1.ping == [PlayerId(1)], "{posts:?}");
}

#[test]
fn an_offer_answered_before_it_was_posted_pings_nobody() {
    let bot = game_under_way();
    bot.command(1, DIRECT, "draw", &[]);
    bot.request(2, DIRECT, custom_id::decode("1/decline/draw").unwrap());
    let posts = bot.posts();
    let [(_, offer), (_, declined)] = posts.as_slice() else { panic!("{posts:?}") };
    assert!(offer.text.contains("offers a draw") && offer.text.contains("comes late"), "{offer:?}");
    assert!(offer.ping.is_empty() && offer.buttons.is_empty(), "{offer:?}");
    assert!(declined.text.contains("declined the draw") && declined.ping == [PlayerId(1)], "{declined:?}");
}

#[test]
fn an_open_challenge_is_visible_only_in_its_channel() {
    let bot = Bot::new();
    let staff = OTHER_CHANNEL;
    let post = bot.challenge_in(staff, 1, None, "york");
    for place in [HERE, DIRECT, ELSEWHERE] {
        assert!(bot.command(3, place, "challenges", &[]).text.contains("no open challenges"), "{place:?}");
        let pressed = bot.press(3, place, &post, "Accept");
        assert!(pressed.text.contains("There is no such challenge here"), "{}", pressed.text);
    }
    assert!(bot.command(1, HERE, "challenges", &[]).text.contains("@1 challenges anybody"), "it is his own");
    let shown = bot.command(3, Place { thread: Some(ChannelId(111)), ..staff }, "challenges", &[]);
    let game = bot.press(3, staff, &shown, "Accept");
    assert_eq!(game.audience, Audience::Public, "{}", game.text);
}

#[test]
fn any_command_of_a_player_relocates_all_their_games_whose_channel_is_gone() {
    let bot = Bot::new();
    for (place, opponent) in [(HERE, 2), (THREAD, 3), (ELSEWHERE, 4), (OTHER_CHANNEL, 5)] {
        bot.start_game_in(place, 1, opponent);
    }
    bot.command(1, THREAD, "move", &[("move", "d2-c2"), ("game", "2")]);
    bot.posts();
    let place = |game| bot.game(game).terms.place;
    bot.advance(DAY);
    [HERE, ELSEWHERE].into_iter().for_each(|place| bot.lose_channel(place.channel));
    let new = Place { server: Some(ServerId(1)), channel: ChannelId(12), thread: None };
    bot.command(7, new, "help", &[]);
    bot.command(1, DIRECT, "help", &[]);
    assert_eq!((place(1), place(2)), (HERE, THREAD), "neither a stranger nor a direct message moves them");
    let permissions = BotPermissions { post: false, ..BotPermissions::ALL };
    let forbidden = Request { id: None, person: person(1), place: new, permissions, command: Command::Help };
    bot.app.handle(&forbidden, &Plain).unwrap();
    assert_eq!((place(1), place(2)), (HERE, THREAD), "the bot may not post there");
    let answer = bot.command(1, new, "help", &[]);
    assert_eq!([place(1), place(2), place(3), place(4)], [new, new, ELSEWHERE, OTHER_CHANNEL]);
    assert_eq!(answer.elsewhere.len(), 2, "they are posted at once");
    let posts = bot.posts();
    assert_eq!(posts.len(), 2, "{posts:?}");
    for ((place, post), (opponent, to_move)) in posts.iter().zip([(2, 1), (3, 3)]) {
        assert!(post.text.contains(&format!("The game of @1 and @{opponent} goes on here")), "{}", post.text);
        assert_eq!((*place, post.ping.as_slice()), (new, &[PlayerId(to_move)][..]));
        assert!(post.board.is_some() && post.buttons.iter().any(|button| button.label == "Move"), "{post:?}");
        let deadline = format!("deadline <{}>", bot.app.now().0 + 3 * DAY);
        assert!(post.text.contains(&deadline), "the player to move has the full time again: {}", post.text);
    }
    bot.command(1, OTHER_CHANNEL, "help", &[]);
    assert_eq!(place(1), new, "a game whose place is there stays");
}

#[test]
fn a_relocated_game_is_posted_once() {
    // The answer itself is the board.
    let bot = game_under_way();
    bot.lose_channel(HERE.channel);
    let played = bot.command(1, OTHER_CHANNEL, "move", &[("move", "c2-d2")]);
    assert_eq!((played.audience, played.ping.as_slice()), (Audience::Public, &[PlayerId(2)][..]));
    let posts = bot.posts();
    assert!(posts.len() == 1 && posts[0].1.text.contains("played c2-d2"), "{posts:?}");
    // An unsent board moves with the game.
    let bot = game_under_way();
    bot.lose_channel(HERE.channel);
    bot.command(1, DIRECT, "move", &[("move", "c2-d2")]);
    bot.command(2, OTHER_CHANNEL, "games", &[]);
    let posts = bot.posts();
    assert!(posts.len() == 1 && posts[0].1.text.contains("played c2-d2"), "{posts:?}");
    assert_eq!((posts[0].0, posts[0].1.ping.as_slice()), (OTHER_CHANNEL, &[PlayerId(2)][..]));
    // A reminder of the old deadline does not.
    let bot = game_under_way();
    bot.advance(5 * DAY / 2);
    bot.lose_channel(HERE.channel);
    bot.command(2, OTHER_CHANNEL, "games", &[]);
    let posts = bot.posts();
    assert!(posts.len() == 1 && posts[0].1.text.contains("goes on here"), "{posts:?}");
}

#[test]
fn the_end_of_a_game_and_its_rematch_are_relocated_too() {
    let bot = game_under_way();
    bot.lose_channel(HERE.channel);
    bot.resign(1, DIRECT, "1");
    bot.command(2, OTHER_CHANNEL, "games", &[]);
    let posts = bot.posts();
    assert!(posts.len() == 1 && posts[0].1.text.contains("@1 resigns"), "{posts:?}");
    assert_eq!((posts[0].0, posts[0].1.ping.as_slice()), (OTHER_CHANNEL, &[PlayerId(2)][..]));
    // A delivered end stays where it is until a rematch is offered.
    let bot = game_under_way();
    bot.resign(1, HERE, "1");
    bot.posts();
    bot.lose_channel(HERE.channel);
    let offer = bot.command(2, OTHER_CHANNEL, "rematch", &[]);
    assert_eq!((offer.audience, offer.ping.as_slice()), (Audience::Public, &[PlayerId(1)][..]));
    let begun = bot.press(1, OTHER_CHANNEL, &offer, "Accept rematch");
    assert_eq!((begun.audience, bot.game(2).terms.place), (Audience::Public, OTHER_CHANNEL), "{}", begun.text);
}

#[test]
fn an_unreadable_game_does_not_stop_others_from_being_relocated() {
    let bot = Bot::with_game();
    bot.start_game_in(HERE, 1, 3);
    damage(&bot, "UPDATE games SET position = '/7/7/7/7/7/7/7/' WHERE id = 1");
    bot.lose_channel(HERE.channel);
    bot.command(1, OTHER_CHANNEL, "help", &[]);
    assert_eq!(bot.game(2).terms.place, OTHER_CHANNEL);
}

#[test]
fn a_command_from_a_place_shows_that_the_place_exists() {
    for place in [HERE, THREAD] {
        let bot = Bot::new();
        PARTS_OF_THREAD.into_iter().for_each(|part| bot.lose_place(part));
        bot.command(5, place, "help", &[]);
        assert!(!bot.app.store().session().unwrap().is_gone(place).unwrap(), "{place:?}");
    }
}

#[test]
fn players_get_the_full_time_when_their_place_is_back() {
    for gone in PARTS_OF_THREAD {
        let bot = Bot::new();
        bot.start_game_in(THREAD, 1, 2);
        bot.start_game_in(ELSEWHERE, 1, 2);
        bot.posts();
        bot.advance(5 * DAY / 2);
        assert_eq!(bot.posts().len(), 2, "both are reminded");
        bot.lose_place(gone);
        bot.advance(DAY / 2 - 60);
        let before = bot.game(2);
        bot.app.store().mark_back(gone, bot.app.now()).unwrap();
        bot.advance(120);
        let (back, other) = (bot.game(1), bot.game(2));
        assert_eq!((back.result, back.clock.reminded), (None, false));
        assert_eq!(back.clock.deadline, Timestamp(bot.app.now().0 + 3 * DAY - 120));
        assert!(other.result.is_some() && before.result.is_none(), "elsewhere time runs as ever");
        bot.advance(5 * DAY / 2);
        assert!(bot.posts().iter().any(|(place, post)| *place == THREAD && post.text.contains("your time is up")));
    }
}

#[test]
fn the_waiting_player_is_told_that_a_game_never_began() {
    let bot = Bot::with_game();
    bot.command(1, HERE, "move", &[("move", "d2-c2")]);
    bot.posts();
    bot.advance(3 * DAY + 1);
    let posts = bot.posts();
    let (_, end) = posts.last().unwrap();
    assert!(end.text.contains("before both had moved") && end.ping == [PlayerId(1)], "{end:?}");
}

fn damage(bot: &Bot, sql: &str) {
    rusqlite::Connection::open(bot.folder.path().join("games.db")).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn forget_me_gives_the_player_everything_that_is_stored() {
    let bot = game_under_way();
    bot.start_game_in(THREAD, 3, 1);
    bot.challenge(1, Some(4), "york");
    bot.challenge(5, Some(1), "fetlar");
    bot.request(1, HERE, Command::Block(person(6)));
    bot.command(1, HERE, "preferences", &[("reminders", "off")]);
    let question = bot.request(1, HERE, Command::ForgetMe { confirmed: false });
    let text = question.file.unwrap().text;
    for part in [
        "Everything about player 1 (Discord number 1), as it was at 2027.01.15 08:00:00 UTC.",
        "You are not reminded.",
        "Blocked since 2027.01.15 08:00:00 UTC: player 6 (Discord number 6).",
        "Challenge 1 of player 1 to player 2, made at 2027.01.15 08:00:00 UTC in server 1, channel 10: Brandubh",
        "side attackers, 3 days a move; accepted.",
        "of player 5 to player 1",
        "[attackers:player 1]",
        "[attackers:player 3]",
        "Begun at 2027.01.15 08:00:00 UTC in server 1, channel 10, 3 days a move.",
        "in server 1, channel 10, thread 100",
        "Moved at: 1. 2027.01.15 08:00:00 UTC 2. 2027.01.15 08:00:00 UTC\n",
    ] {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}

#[test]
fn an_unreadable_game_does_not_stop_forget_me() {
    let bot = Bot::with_game();
    bot.start_game_in(HERE, 3, 1);
    damage(&bot, "UPDATE games SET position = '/7/7/7/7/7/7/7/' WHERE id = 1");
    let question = bot.request(1, HERE, Command::ForgetMe { confirmed: false });
    assert!(question.text.contains("One more game cannot be read."), "{}", question.text);
    assert!(question.file.as_ref().unwrap().text.contains("[attackers:player 3]"));
    let done = bot.press(1, HERE, &question, "Forget me");
    assert!(done.text.contains("You are forgotten"), "{}", done.text);
    assert_eq!(
        bot.app.store().session().unwrap().game_row(GameId(2)).unwrap().unwrap().result.unwrap().ending(),
        "resigned"
    );
    assert!(bot.app.store().session().unwrap().game_row(GameId(1)).unwrap().unwrap().players.attackers.is_former());
}

#[test]
fn forget_me_removes_the_player_from_undelivered_messages() {
    let bot = game_under_way();
    bot.start_game_in(HERE, 12, 3);
    for (one, other) in [(1, 4), (5, 1)] {
        bot.challenge(one, Some(other), "york");
    }
    // It is not posted yet, and neither are the reminders of 1 and 12.
    bot.advance(5 * DAY / 2);
    bot.request(1, HERE, Command::ForgetMe { confirmed: true });
    let file = rusqlite::Connection::open(bot.folder.path().join("games.db")).unwrap();
    let mut rows = file.prepare("SELECT ping, body FROM outbox WHERE closed IS NULL").unwrap();
    let rows = rows.query_map([], |row| Ok((row.get::<_, Option<i64>>(0)?, row.get::<_, String>(1)?))).unwrap();
    let rows: Vec<_> = rows.map(Result::unwrap).collect();
    assert!(rows.iter().all(|(ping, body)| *ping != Some(1) && !body.contains("\"player\":1,")), "{rows:?}");
    assert!(rows.iter().any(|(_, body)| body.contains("\"player\":12,")), "others are still reminded");
    let posts = bot.posts();
    assert!(posts.iter().all(|(_, post)| !post.ping.contains(&PlayerId(1)) && !post.text.contains("@1 ")), "{posts:?}");
    let declined = posts.iter().find(|(_, post)| post.text.contains("declines the challenge of @5"));
    assert!(declined.is_some_and(|(_, post)| post.ping == [PlayerId(5)]), "{posts:?}");
}

#[test]
fn a_challenge_posted_after_it_was_closed_pings_nobody() {
    let closings: [fn(&Bot, &Shown); 4] = [
        |bot, post| drop(bot.press(1, HERE, post, "Withdraw")),
        |bot, post| drop(bot.press(2, HERE, post, "Decline")),
        |bot, post| drop(bot.press(2, HERE, post, "Accept")),
        |bot, _| drop(bot.request(2, HERE, Command::Block(person(1)))),
    ];
    for close in closings {
        let bot = Bot::new();
        let answer = bot.challenge(1, Some(2), "brandubh");
        let message = bot.app.store().session().unwrap().message(answer.outbox.unwrap()).unwrap().unwrap();
        assert_eq!(bot.post(&message).ping, [PlayerId(2)]);
        close(&bot, &answer);
        let late = bot.post(&message);
        assert!(late.ping.is_empty() && late.buttons.is_empty(), "{late:?}");
    }
}

#[test]
fn at_most_ten_challenges_are_open_however_many_are_made_at_once() {
    let bot = Bot::new();
    let replies: Vec<Shown> = std::thread::scope(|scope| {
        let challenge = |whom| bot.challenge(1, Some(whom), "york");
        let made: Vec<_> = (2..22).map(|whom| scope.spawn(move || challenge(whom))).collect();
        made.into_iter().map(|made| made.join().unwrap()).collect()
    });
    assert_eq!(replies.iter().filter(|reply| reply.audience == Audience::Public).count(), 10);
    let refused = |reply: &&Shown| reply.text.contains("as many as there can be");
    assert_eq!(replies.iter().filter(refused).count(), 10, "{replies:?}");
}

#[test]
fn in_a_shared_thread_a_command_means_the_players_own_game() {
    let bot = Bot::new();
    for (one, other) in [(1, 2), (3, 4), (3, 5)] {
        bot.start_game_in(THREAD, one, other);
    }
    let moved = bot.command(1, THREAD, "move", &[("move", "d2-c2")]);
    assert!(moved.text.contains("Brandubh #1"), "{}", moved.text);
    let asked = bot.command(3, THREAD, "resign", &[]);
    assert!(asked.text.contains("You have 2 games here.") && asked.menu.unwrap().items.len() == 2);
    let stranger = bot.command(9, THREAD, "draw", &[]);
    assert!(stranger.text.contains("You have no game here"), "{}", stranger.text);
    let seen = bot.command(9, THREAD, "board", &[]);
    assert!(seen.text.contains("There are 3 games here.") && seen.menu.unwrap().items.len() == 3, "{}", seen.text);
    // A thread with one game means that game.
    let bot = Bot::new();
    bot.start_game_in(THREAD, 1, 2);
    assert!(bot.command(9, THREAD, "draw", &[]).text.contains("You are not playing in this game"));
}

#[test]
fn an_overlong_move_is_refused_before_asking_for_the_game() {
    let bot = Bot::with_game();
    bot.start_game_in(HERE, 1, 3);
    let asked = bot.command(1, HERE, "move", &[("move", "d2-c2")]);
    assert!(asked.menu.unwrap().items.iter().all(|item| custom_id::encode(&item.command).is_some()));
    for typed in ["d2-c2 ".repeat(16), "ᚠ".repeat(40)] {
        let refused = bot.command(1, HERE, "move", &[("move", &typed)]);
        assert!(refused.text.contains("I do not understand this as a move") && refused.menu.is_none(), "{refused:?}");
    }
}

#[test]
fn a_name_is_saved_by_actions_and_not_by_views() {
    let bot = Bot::with_game();
    let say = |name: &str, command| {
        let person = Person { name: name.to_owned(), ..person(1) };
        bot.app
            .handle(&Request { id: None, person, place: HERE, permissions: BotPermissions::ALL, command }, &Plain)
            .unwrap();
        bot.app.store().session().unwrap().name_of(PlayerId(1)).unwrap().unwrap()
    };
    let look =
        Command::InGame { game: None, version: None, game_command: GameCommand::Board { text: None, public: false } };
    assert_eq!(say("Ivar", look), "player 1");
    assert_eq!(say("Ivar", Command::Games { player: None }), "player 1");
    assert_eq!(say("Ivar", custom_id::decode("1/move/d2-c2").unwrap()), "Ivar");
}

#[test]
fn views_work_while_nothing_can_be_written() {
    let bot = Bot::with_game();
    bot.lose_channel(HERE.channel);
    let store = Store::open_read_only(&bot.folder.path().join("games.db")).unwrap();
    let now = bot.app.now();
    let app = App::new(store, move || now, || true);
    let ask = |place, command| {
        let person = Person { name: String::from("Ivar"), ..person(1) };
        app.handle(&Request { id: None, person, place, permissions: BotPermissions::ALL, command }, &Plain)
    };
    for place in [HERE, OTHER_CHANNEL] {
        let board = Shown::from(ask(place, Command::parse("board", Vec::new()).unwrap()).unwrap());
        assert!(board.board.is_some(), "{}", board.text);
    }
    assert!(ask(HERE, custom_id::decode("1/move/d2-c2").unwrap()).is_err(), "nothing is played that is not kept");
}

#[test]
fn a_game_is_judged_and_explained_by_the_rules_it_began_with() {
    let bot = Bot::with_game();
    // With another version, so that the game is not taken from the cache.
    damage(
        &bot,
        "UPDATE rulesets SET rules = json_set(rules, '$.goal', 'edge'); UPDATE games SET version = version + 1",
    );
    let rules = bot.request(1, HERE, custom_id::decode("1/rules").unwrap());
    assert!(rules.text.contains("reaches any square of the edge"), "{}", rules.text);
    let of_the_only_game = bot.request(1, HERE, Command::Rules { variant: None });
    assert_eq!(of_the_only_game.text, rules.text, "the command explains the game that is played here");
    let moves = ["d1-c1", "d3-b3", "c1-d1", "d4-d3", "d1-c1", "d3-g3"];
    let last =
        moves.iter().zip([1, 2].iter().cycle()).map(|(mv, who)| bot.command(*who, HERE, "move", &[("move", mv)]));
    let end = last.last().unwrap().text;
    assert!(end.contains("@2 wins") && end.contains("The rule: ") && end.contains("any square of the edge"), "{end}");
}

#[test]
fn a_game_is_not_ended_for_a_reason_that_nobody_can_see() {
    let bot = Bot::with_game();
    for reason in [" ", "\u{200b}\u{202e}"] {
        let answer = bot.command(9, HERE, "end-game", &[("game", "1"), ("reason", reason)]);
        assert_eq!(
            (answer.audience, answer.text.as_str()),
            (Audience::Private, "Say why in `reason`: both players are told.")
        );
    }
    bot.command(1, HERE, "move", &[("move", "d1-c1")]).outbox.unwrap();
}

#[test]
fn end_game_delivered_twice_gets_the_same_answer() {
    let bot = Bot::with_game();
    let end = || -> Shown {
        let command = Command::EndGame { game: GameId(1), reason: String::from("quarrel") };
        let id = Some(RequestId(7));
        bot.app
            .handle(&Request { id, person: person(9), place: HERE, permissions: BotPermissions::ALL, command }, &Plain)
            .unwrap()
            .into()
    };
    let (first, second) = (end(), end());
    assert_eq!((first.audience, &first.text), (Audience::Private, &second.text));
    assert!(second.audience == Audience::Private && second.text.contains("without a result"), "{second:?}");
}

#[test]
fn a_late_post_of_a_taken_back_move_shows_no_other_position() {
    let bot = Bot::with_game();
    bot.command(1, HERE, "move", &[("move", "d1-c1")]);
    let moved = bot.command(2, HERE, "move", &[("move", "d3-e3")]).outbox.unwrap();
    let asked = bot.command(1, HERE, "takeback", &[]);
    bot.press(2, HERE, &asked, "Grant takeback");
    bot.command(1, HERE, "move", &[("move", "d1-b1")]);
    bot.command(2, HERE, "move", &[("move", "d3-e3")]);
    let message = bot.app.store().session().unwrap().message(moved).unwrap().unwrap();
    let post = bot.post(&message);
    assert!(post.text.contains("@2 played d3-e3, which was taken back since."), "{}", post.text);
    assert!(post.board.is_none() && post.buttons.is_empty(), "{post:?}");
}

#[test]
fn a_takeback_request_posted_after_the_next_move_keeps_its_text() {
    let bot = Bot::with_game();
    bot.command(1, HERE, "move", &[("move", "d1-c1")]);
    let asked = bot.command(1, HERE, "takeback", &[]);
    assert!(asked.text.contains("would like to take the last move back"), "{}", asked.text);
    bot.command(2, HERE, "move", &[("move", "d3-e3")]);
    let message = bot.app.store().session().unwrap().message(asked.outbox.unwrap()).unwrap().unwrap();
    let post = bot.post(&message);
    assert!(post.text.contains("would like to take the last move back"), "{}", post.text);
}

#[test]
fn posts_after_the_rematch_has_begun_have_no_buttons() {
    let bot = Bot::with_game();
    let sure = bot.command(1, HERE, "resign", &[]);
    bot.press(1, HERE, &sure, "Resign");
    let offered = bot.command(1, HERE, "rematch", &[]);
    bot.press(2, HERE, &offered, "Accept rematch");
    let message = bot.app.store().session().unwrap().message(offered.outbox.unwrap()).unwrap().unwrap();
    let post = bot.post(&message);
    assert!(post.text.contains("offers @2 a rematch") && post.buttons.is_empty(), "{post:?}");
    assert_eq!(post.board.unwrap().status, BoardStatus::Won(Side::Defenders), "the board shows that it was over then");
}

#[test]
fn a_move_needs_one_read_transaction_and_one_commit() {
    let bot = Bot::with_game();
    let store = bot.app.store();
    let cost_at = |place, who, command: Command| {
        let before = store.counters();
        // A new name is written together with the move.
        let person = Person { name: format!("player {who} of {}", before.commits), ..person(who) };
        let id = Some(RequestId(100 + before.commits));
        let request = Request { id, person, place, permissions: BotPermissions::ALL, command };
        let shown = Shown::from(bot.app.handle(&request, &Plain).unwrap());
        let after = store.counters();
        assert_eq!(store.session().unwrap().name_of(PlayerId(who)).unwrap(), Some(request.person.name));
        (shown, after.read_transactions - before.read_transactions, after.commits - before.commits)
    };
    let cost = |who, command| cost_at(HERE, who, command);
    let typed =
        |mv: &str| Command::parse("move", vec![(String::from("move"), OptionValue::Text(mv.to_owned()))]).unwrap();
    let (post, reads, commits) = cost(1, typed("d2-c2"));
    assert!(post.outbox.is_some() && post.text.contains("d2-c2"), "{post:?}");
    assert_eq!((reads, commits), (1, 1), "/move, where the game has to be found");
    let (post, reads, commits) = cost(2, custom_id::decode("1.1/move/d3-c3").unwrap());
    assert!(post.outbox.is_some(), "{post:?}");
    assert_eq!((reads, commits), (1, 1), "the button `Play it`");
    let (post, reads, commits) = cost(1, custom_id::decode("1/offer/draw").unwrap());
    assert!(post.text.contains("draw"), "{post:?}");
    assert_eq!((reads, commits), (1, 1), "an offer");
    let (answer, reads, commits) = cost_at(DIRECT, 1, typed("c2-b2"));
    assert!(answer.text.contains("c2-b2"), "{answer:?}");
    assert_eq!((reads, commits), (1, 1), "/move in a direct message, with the board in the game's channel");
    let (_, reads, commits) = cost(2, custom_id::decode("1/resign/sure").unwrap());
    assert_eq!((reads, commits), (1, 1), "the end");
    cost(1, custom_id::decode("1/offer/rematch").unwrap());
    let (post, reads, commits) = cost(2, custom_id::decode("1/accept/rematch").unwrap());
    assert!(post.text.contains("#2"), "{post:?}");
    assert_eq!((reads, commits), (1, 1), "a rematch");
}

#[test]
fn a_list_of_games_needs_one_read_transaction() {
    let bot = Bot::new();
    for opponent in 2..20 {
        bot.start_game_in(HERE, 1, opponent);
    }
    let before = bot.app.store().counters();
    let list = bot.command(1, HERE, "games", &[]);
    let after = bot.app.store().counters();
    assert!(list.menu.is_some_and(|menu| menu.items.len() == 18));
    assert_eq!(after.read_transactions - before.read_transactions, 1);
    assert_eq!(after.commits, before.commits, "a view writes nothing");
}

#[test]
fn a_game_relocated_twice_before_its_notice_is_posted_in_its_last_place() {
    let bot = Bot::new();
    bot.start_game_in(THREAD, 1, 2);
    bot.posts();
    bot.lose_place(PlacePart::Thread(ChannelId(100)));
    bot.lose_channel(HERE.channel);
    let answer = bot.command(1, OTHER_CHANNEL, "help", &[]);
    let message = bot.app.store().session().unwrap().message(answer.elsewhere[0]).unwrap().unwrap();
    assert_eq!(message.place, OTHER_CHANNEL);
    // That place is gone, too, before the notice is posted, and the game is relocated again.
    let last = Place { channel: ChannelId(12), ..OTHER_CHANNEL };
    assert_eq!(bot.app.relocate_game(GameId(1), last), Ok(true));
    let posts = bot.posts();
    assert_eq!(posts.iter().map(|(place, _)| *place).collect::<Vec<_>>(), [last]);
    assert!(!posts[0].1.buttons.is_empty(), "{posts:?}");
    // The same, but the game is relocated because a player uses a command in a third channel.
    bot.lose_channel(ChannelId(12));
    bot.command(1, OTHER_CHANNEL, "help", &[]);
    bot.lose_channel(ChannelId(11));
    let third = Place { channel: ChannelId(13), ..OTHER_CHANNEL };
    bot.command(2, third, "help", &[]);
    let posts = bot.posts();
    assert_eq!(posts.iter().map(|(place, _)| *place).collect::<Vec<_>>(), [third]);
    assert!(posts[0].1.text.contains("goes on here"), "{posts:?}");
}
