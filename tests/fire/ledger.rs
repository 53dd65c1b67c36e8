//! What stands in the database and in the channels, held against what the players know.

use crate::invitations::Invitation;
use crate::seats::Pair;
use crate::standin::Discord;
use crate::standin::bot::Bot;
use crate::standin::model::Id;
use ratatosk::game::{Challenge, ChallengeState, Game, OfferKind, Proposal};
use ratatosk::store::Store;
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

/// What was found.
#[derive(Debug, Default)]
pub struct Ledger {
    pub games: usize,
    pub moves: usize,
    /// Offers of draws, takebacks and rematches that stand.
    pub offers: usize,
    /// Challenges, and how many of them stand.
    pub challenges: (usize, usize),
    /// What had to be posted, each in its game.
    pub turns: usize,
    /// How often nobody knew whether something had been done, and it was tried again.
    pub unsure: usize,
    /// When posts were made that nobody needed, in milliseconds.
    pub extra: Vec<u64>,
}

impl fmt::Display for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, moves, offers, challenges: (challenges, open), turns, unsure, extra } = self;
        let extra = extra.len();
        write!(
            f,
            "{games} games, {moves} moves, all stored once and in order; {offers} offers and {open} of {challenges} \
             challenges stand, as they should; {turns} posts, all there; {extra} extra posts; {unsure} times nobody knew \
             and tried again"
        )
    }
}

/// How long the bot may post nothing of what it owes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until the bot owes nothing, as long as it gets less. What has piled up in one game is posted one by one.
pub async fn nothing_is_owed(bot: &Bot) {
    let sql = "SELECT count(*), json_group_array(json_array(id, game, challenge, channel, news, made, due, attempts)) \
               FROM owed WHERE closed IS NULL";
    let ask = |row: &rusqlite::Row<'_>| Ok((row.get::<_, usize>(0)?, row.get::<_, String>(1)?));
    let (mut least, mut since, mut left) = (usize::MAX, Instant::now(), String::new());
    while since.elapsed() < PATIENCE {
        if let Ok((owed, which)) = Connection::open(bot.database()).and_then(|db| db.query_row(sql, [], ask)) {
            if owed == 0 {
                return;
            }
            if owed < least {
                (least, since) = (owed, Instant::now());
            }
            left = which;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let said = bot.said();
    let last: Vec<&str> = said.lines().rev().take(40).collect();
    panic!("this is owed for ever: {left}\nthe bot said last:\n{}", last.join("\n"));
}

/// Checks everything; the bot does not run any more.
pub fn check(database: &Path, discord: &Discord, pairs: &[Pair]) -> Ledger {
    let store = Store::open_beside(database).expect("the database can be opened");
    let faults = store.check().expect("the database can be read");
    assert!(faults.is_empty(), "not sound: {faults:?}");
    let mut found = Ledger::default();
    for pair in pairs {
        for game in pair.games() {
            let stored = store.game(game.id).expect("the game can be read").expect("the game is there");
            same(&stored, game);
            found.games += 1;
            found.moves += game.record.plies().len();
            found.offers += OfferKind::ALL.into_iter().filter(|kind| game.offers.standing(*kind).is_some()).count();
        }
        for known in &pair.invitations {
            let stored = store.challenge(known.id).expect("the challenge can be read").expect("the challenge is there");
            same_challenge(&stored, known, pair.channel);
            found.challenges.0 += 1;
            found.challenges.1 += usize::from(known.state == ChallengeState::Open);
            found.turns += known.posts();
        }
        found.turns += pair.told.len();
        found.unsure += pair.unsure;
    }
    let db = Connection::open(database).expect("the database can be opened");
    let count = |sql: &str| db.query_row(sql, [], |row| row.get::<_, usize>(0)).expect("it can be counted");
    assert_eq!(count("SELECT count(*) FROM moves"), found.moves, "moves that nobody made");
    assert_eq!(count("SELECT count(*) FROM games"), found.games, "games that nobody began");
    assert_eq!(count("SELECT count(*) FROM challenges"), found.challenges.0, "challenges that nobody made");
    assert_eq!(count("SELECT count(*) FROM owed"), found.turns, "as many posts as there was something to tell");
    let settled = messages_by(&db, "game");
    let announced = messages_by(&db, "challenge");
    let mut statement = db.prepare("SELECT message FROM posts WHERE stale = 1").expect("it can be asked");
    let stale = statement.query_map([], |row| row.get(0).map(i64::cast_unsigned)).expect("it can be asked");
    let stale: BTreeSet<Id> = stale.map(|message| message.expect("a number")).collect();
    for pair in pairs {
        posts_are_there(discord, pair, &settled);
        challenges_are_there(discord, pair, &announced, &stale);
        let known: BTreeSet<Id> = pair
            .games()
            .filter_map(|game| settled.get(&game.id.0))
            .chain(pair.invitations.iter().filter_map(|known| announced.get(&known.id.0)))
            .flatten()
            .copied()
            .collect();
        found.extra.extend(extra_posts(discord, pair, &known));
    }
    found
}

/// Compares everything that a player could notice.
fn same(stored: &Game, known: &Game) {
    let moves = |game: &Game| game.record.plies().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(moves(stored), moves(known), "the moves of {}", known.id);
    assert_eq!(stored.version, known.version, "the version of {}", known.id);
    assert_eq!((stored.offers, stored.result), (known.offers, known.result), "offers and result of {}", known.id);
    assert_eq!(stored.start.players, known.start.players);
}

/// Compares everything that a challenge says.
fn same_challenge(stored: &Challenge, known: &Invitation, channel: Id) {
    assert_eq!(stored.state, known.state, "the state of {known:?}");
    let Proposal { challenger, opponent, variant, place, .. } = stored.proposal;
    assert_eq!((challenger, opponent, variant.id), (known.challenger, known.opponent, known.variant.id));
    assert_eq!(place.channel, channel);
}

/// Gives the messages that the bot has noted for each game or challenge, in the order in which they were owed.
fn messages_by(db: &Connection, about: &str) -> BTreeMap<u64, Vec<Id>> {
    let sql = format!("SELECT {about}, message, why FROM owed WHERE {about} IS NOT NULL ORDER BY id");
    let mut statement = db.prepare(&sql).expect("it can be asked");
    let mut rows = statement.query([]).expect("it can be asked");
    let mut messages: BTreeMap<u64, Vec<Id>> = BTreeMap::new();
    while let Some(row) = rows.next().expect("it can be read") {
        let number = row.get::<_, i64>(0).expect("a number").cast_unsigned();
        let message: Option<i64> = row.get(1).expect("a message");
        let why: Option<String> = row.get(2).expect("a reason");
        let message = message.unwrap_or_else(|| panic!("a post of {about} {number} was given up: {why:?}"));
        messages.entry(number).or_default().push(message.cast_unsigned());
    }
    messages
}

/// Every challenge was posted, and what became of it; those that can be accepted have their buttons, the others none,
/// or the bot knows that it has to take them off.
fn challenges_are_there(discord: &Discord, pair: &Pair, announced: &BTreeMap<u64, Vec<Id>>, stale: &BTreeSet<Id>) {
    for known in &pair.invitations {
        let posts = announced.get(&known.id.0).map_or(&[][..], Vec::as_slice);
        assert_eq!(posts.len(), known.posts(), "posts of {known:?}");
        discord.shared.look(|world| {
            for id in posts {
                let post = world.messages.get(id).unwrap_or_else(|| panic!("a post of {known:?} is nowhere"));
                assert_eq!((post.channel, post.reader, post.deleted), (pair.channel, None, false), "{known:?}");
            }
            let buttons = !world.messages[&posts[0]].labels().is_empty();
            let open = known.state == ChallengeState::Open;
            assert!(buttons == open || stale.contains(&posts[0]), "{known:?}: buttons: {buttons}");
        });
    }
}

/// Every turn's board was posted: where it belongs, telling what happened, with a picture, calling no stranger.
fn posts_are_there(discord: &Discord, pair: &Pair, settled: &BTreeMap<u64, Vec<Id>>) {
    let mut next: BTreeMap<u64, usize> = BTreeMap::new();
    for (game, words) in &pair.told {
        let n = next.entry(game.0).or_default();
        let id = settled.get(&game.0).and_then(|list| list.get(*n)).unwrap_or_else(|| panic!("{game}: no post {n}"));
        *n += 1;
        discord.shared.look(|world| {
            let post = world.messages.get(id).unwrap_or_else(|| panic!("{game}: post {n} is nowhere"));
            assert_eq!((post.channel, post.reader, post.deleted), (pair.channel, None, false), "{game}, post {n}");
            assert!(post.content.contains(words.as_str()), "{game}, post {n} should say {words:?}: {}", post.content);
            // What was told late of a position that was taken back meanwhile cannot be shown any more.
            let gone = post.content.contains("This comes late");
            assert!(gone || !post.attachments.is_empty(), "{game}, post {n} has no picture");
        });
    }
    discord.shared.look(|world| {
        for post in world.posts(pair.channel) {
            assert!(
                !post.pings_many && post.pings.iter().all(|user| pair.has(*user)),
                "calls others: {}",
                post.content
            );
        }
    });
}

/// Gives when posts were made in a channel that the bot does not know of: those that were posted again.
fn extra_posts(discord: &Discord, pair: &Pair, known: &BTreeSet<Id>) -> Vec<u64> {
    discord.shared.look(|world| {
        let posts = world.posts(pair.channel);
        posts.iter().filter(|post| !known.contains(&post.id)).map(|post| post.sent).collect()
    })
}
