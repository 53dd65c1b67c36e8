//! Compares the database and the channels with what the players know must be there.

use crate::experiments::bot_process::BotProcess;
use crate::experiments::bot_process::database::{Database, Delivery};
use crate::experiments::challenges::{ExpectedChallenge, shown_in};
use crate::experiments::expected_post::{self, DiscordMarkup, ExpectedPost};
use crate::experiments::player_actions::number_in;
use crate::experiments::player_pair::PlayerPair;
use fake_discord::FakeDiscord;
use fake_discord::client::Person;
use fake_discord::state::{Id, Message};
use ratatosk::game::{
    Action, Challenge, ChallengeState, ChannelId, Game, GameId, OfferKind, PlayerId, Proposal, Timestamp,
};
use ratatosk::store::Store;
use ratatosk::text::challenges;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

/// What was found.
#[derive(Debug, Default)]
pub struct Audit {
    pub games: usize,
    pub moves: usize,
    /// Open offers that were accepted afterwards: draws, takebacks and rematches.
    pub offers: [usize; OfferKind::ALL.len()],
    /// Challenges, and how many of them were open and accepted afterwards.
    pub challenges: (usize, usize),
    /// Posts that had to be made.
    pub posts: usize,
    /// Posts that the players did not wait for, so that only their order was checked, not when they came.
    pub late: usize,
    /// Actions that were tried; those without an answer; and those of them that had taken effect.
    pub tries: usize,
    pub unsure: usize,
    pub unseen: usize,
    /// When duplicate posts were made, in milliseconds.
    pub extra: Vec<u64>,
}

impl fmt::Display for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, moves, offers, challenges, posts, late, tries, unsure, unseen, extra } = self;
        let ([draws, takebacks, rematches], (challenges, open), extra) = (offers, challenges, extra.len());
        write!(
            f,
            "{games} games, {moves} moves, all stored once and in order; {draws} draws, {takebacks} takebacks, \
             {rematches} rematches and {open} of {challenges} challenges stood, as they should, and were accepted by \
             their buttons; {posts} posts, all there with their pictures, {late} of them late; {extra} extra posts; of {tries} tries {unsure} \
             were not answered, {unseen} of which had been carried out"
        )
    }
}

/// Waits until the bot is idle, checks everything, and accepts open offers and challenges by the buttons that are shown.
pub async fn run(discord: &FakeDiscord, bot: &mut BotProcess, pairs: &mut [PlayerPair]) -> Audit {
    bot.wait_until_idle().await;
    assert_eq!(bot.stop("TERM").await, Some(0), "{}", bot.output());
    let mut audit = check(&bot.database(), discord, pairs);
    bot.start_again().await;
    for (n, pair) in pairs.iter_mut().enumerate() {
        let stranger = discord.add_user(&format!("Stranger{n}")).at(pair.channel);
        answer_what_stands(pair, &stranger, &mut audit).await;
    }
    assert_eq!(bot.stop("TERM").await, Some(0), "{}", bot.output());
    let all_kinds = audit.offers.iter().all(|count| *count > 0) && audit.challenges.1 > 0;
    assert!(all_kinds, "not every kind of offer stood: {audit}");
    audit
}

/// A message of the outbox, and its post on Discord.
struct Delivered {
    outbox: u64,
    post: Id,
}

/// The deliveries about each game and each challenge, in the order of the outbox.
#[derive(Default)]
struct Deliveries {
    games: BTreeMap<GameId, Vec<Delivered>>,
    challenges: BTreeMap<u64, Vec<Delivered>>,
    all: BTreeSet<Id>,
}

/// Checks everything. The bot must not run.
fn check(database: &Path, discord: &FakeDiscord, pairs: &[PlayerPair]) -> Audit {
    let store = Store::open_read_only(database).expect("the database can be opened");
    let faults = store.check().expect("the database can be read");
    assert!(faults.is_empty(), "not sound: {faults:?}");
    let db = Database::open(database);
    let delivered = Deliveries::read(&db);
    let mut found = Audit::default();
    for pair in pairs {
        for game in pair.games() {
            let stored =
                store.session().unwrap().game(game.id).expect("the game can be read").expect("the game is there");
            same(&stored, game);
            found.games += 1;
            found.moves += game.record.plies().len();
            found.posts += boards_are_there(discord, pair, game, &delivered);
        }
        for known in &pair.challenges_made {
            let stored = store
                .session()
                .unwrap()
                .challenge(known.id)
                .expect("the challenge can be read")
                .expect("the challenge is there");
            same_challenge(&stored, known, pair.channel);
            challenge_is_there(discord, pair, &stored, &delivered);
            found.challenges.0 += 1;
            found.posts += known.posts();
        }
        found.late += pair.late;
        found.tries += pair.tries;
        found.unsure += pair.unsure;
        found.unseen += pair.unseen;
    }
    assert_eq!(db.count("moves"), found.moves, "moves that nobody made");
    assert_eq!(db.count("games"), found.games, "games that nobody began");
    assert_eq!(db.count("challenges"), found.challenges.0, "challenges that nobody made");
    assert_eq!(delivered.all.len(), found.posts, "as many posts as there was something to tell");
    found.extra = extra_posts(discord, pairs, &delivered.all);
    found
}

/// Compares everything that a player could notice.
fn same(stored: &Game, known: &Game) {
    let moves = |game: &Game| game.record.plies().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(moves(stored), moves(known), "the moves of {}", known.id);
    assert_eq!(stored.version, known.version, "the version of {}", known.id);
    assert_eq!((stored.offers, stored.result), (known.offers, known.result), "offers and result of {}", known.id);
    assert_eq!(stored.terms.players, known.terms.players);
}

/// Compares everything that a challenge says.
fn same_challenge(stored: &Challenge, known: &ExpectedChallenge, channel: Id) {
    assert_eq!(stored.state, known.state, "the state of {known:?}");
    let Proposal { challenger, opponent, variant, place, .. } = stored.proposal;
    assert_eq!((challenger, opponent, variant.id), (known.challenger, known.opponent, known.variant.id));
    assert_eq!(place.channel, ChannelId(channel));
}

impl Deliveries {
    /// Reads the outbox, and checks that no two messages have the same post.
    fn read(db: &Database) -> Self {
        let mut found = Self::default();
        for Delivery { outbox, game, challenge, post, why } in db.deliveries() {
            let about = format!("message {outbox} of the outbox, of game {game:?} or challenge {challenge:?}");
            let post = post.unwrap_or_else(|| panic!("{about}, was given up: {why:?}"));
            assert!(found.all.insert(post), "{about}, is noted as {post}, which is another one");
            let list = match (game, challenge) {
                (Some(game), _) => found.games.entry(GameId(game)).or_default(),
                (None, challenge) => found.challenges.entry(challenge.expect("it is about something")).or_default(),
            };
            list.push(Delivered { outbox, post });
        }
        found
    }
}

/// Returns a public post in the pair's channel.
fn post_of<'w>(posts: &'w BTreeMap<Id, Message>, pair: &PlayerPair, delivered: &Delivered, about: &str) -> &'w Message {
    let Delivered { outbox, post } = delivered;
    let post = posts.get(post).unwrap_or_else(|| panic!("{about}: outbox message {outbox} is nowhere"));
    assert_eq!((post.channel, post.reader, post.deleted), (pair.channel, None, false), "{about}: {}", post.content);
    assert!(!post.pings_group && post.pings.iter().all(|user| pair.has(*user)), "calls others: {}", post.content);
    post
}

/// Checks that every board was posted, in order, and that only the newest has buttons. Returns how many there are.
fn boards_are_there(discord: &FakeDiscord, pair: &PlayerPair, game: &Game, delivered: &Deliveries) -> usize {
    let all: Vec<&ExpectedPost> = pair.expected_posts.iter().filter(|post| post.game == game.id).collect();
    let posts = delivered.games.get(&game.id).map_or(&[][..], Vec::as_slice);
    assert_eq!(posts.len(), all.len(), "posts of {}", game.id);
    let (mut before, mut last) = (0, 0);
    discord.state.read(|state| {
        for (n, (wanted, delivered)) in all.iter().zip(posts).enumerate() {
            let post = post_of(&state.messages, pair, delivered, &game.id.to_string());
            wanted.check(post, delivered.outbox);
            let in_order = post.id > before && (post.id > last || wanted.together);
            assert!(in_order, "{}: post {n} comes before an earlier one: {wanted:?}", game.id);
            (before, last) = (before.max(last.min(post.id)), last.max(post.id));
            let newest = n + 1 == all.len();
            let expected = if newest { expected_post::buttons(game) } else { Vec::new() };
            assert_eq!(post.button_labels(), expected, "the buttons of post {n} of {} in {}", all.len(), game.id);
        }
    });
    all.len()
}

/// Checks that a challenge and its answer were posted, and that only an open one has buttons.
fn challenge_is_there(discord: &FakeDiscord, pair: &PlayerPair, stored: &Challenge, delivered: &Deliveries) {
    let (about, variant) = (format!("challenge {}", stored.id.0), stored.proposal.variant);
    let posts = delivered.challenges.get(&stored.id.0).map_or(&[][..], Vec::as_slice);
    let is_open = stored.state == ChallengeState::Open;
    let closed = matches!(stored.state, ChallengeState::Declined | ChallengeState::Withdrawn);
    assert_eq!(posts.len(), 1 + usize::from(closed), "{about}");
    discord.state.read(|state| {
        let post = post_of(&state.messages, pair, &posts[0], &about);
        assert_eq!(post.content, challenges::challenge(stored, &DiscordMarkup), "{about}");
        assert_eq!(post.button_labels().first().map(String::as_str), is_open.then_some("Accept"), "{about}");
        let pictures: Vec<_> =
            post.attachments.iter().map(|picture| (picture.name.clone(), picture.description.clone())).collect();
        let picture = (format!("board-{}.png", posts[0].outbox), Some(expected_post::first_board(variant)));
        assert_eq!(pictures, [picture], "{about}");
        if let Some(delivered) = posts.get(1) {
            let post = post_of(&state.messages, pair, delivered, &about);
            let words = challenges::closed(stored, &DiscordMarkup);
            assert!(post.content.contains(&words) && post.id > posts[0].post, "{about}: {}", post.content);
            assert!(post.button_labels().is_empty(), "{about}: {:?}", post.button_labels());
        }
    });
}

/// Returns when public posts were made that the bot does not know of, which are duplicates.
fn extra_posts(discord: &FakeDiscord, pairs: &[PlayerPair], known: &BTreeSet<Id>) -> Vec<u64> {
    discord.state.read(|state| {
        let posts = state.messages.values().filter(|post| post.author == state.bot && post.reader.is_none());
        let extra = posts.filter(|post| !post.deleted && !known.contains(&post.id));
        let told = extra.inspect(|post| {
            let at_home = pairs.iter().any(|pair| pair.channel == post.channel);
            println!("posted again ({}): {}", if at_home { "where it belongs" } else { "elsewhere" }, post.content);
        });
        told.map(|post| post.sent).collect()
    })
}

/// Accepts open offers and challenges by the buttons of the newest posts about them.
async fn answer_what_stands(pair: &mut PlayerPair, stranger: &Person, audit: &mut Audit) {
    for (n, kind) in OfferKind::ALL.into_iter().enumerate() {
        let Some(by) = pair.game.offers.offered_by(kind) else { continue };
        let player = pair.game.terms.players.of(by.opponent());
        let game = pair.game.id;
        let board = pair.newest(|post| number_in(&post.content) == Some(game)).expect("a game has a board");
        let answer = pair.person(player).click(&board, expected_post::accepting(kind)).await;
        pair.accept(player, kind).await.check_answer(&answer);
        audit.offers[n] += 1;
    }
    for known in pair.challenges_made.iter().filter(|known| known.state == ChallengeState::Open) {
        let post = pair.newest(|post| shown_in(post) == Some(known.id)).expect("an open challenge is shown");
        let person = pair.people.iter().find(|person| known.opponent == Some(PlayerId(person.id)));
        let board = person.unwrap_or(stranger).click(&post, "Accept").await;
        assert!(board.is_public() && board.text().contains(known.variant.name), "{known:?}: {}", board.text());
        assert_eq!(board.alt_text(), Some(expected_post::first_board(known.variant)), "{known:?}: {}", board.text());
        audit.challenges.1 += 1;
    }
}

impl PlayerPair {
    /// Notes that an offer was accepted by its button, and returns what the answer must be.
    async fn accept(&mut self, player: PlayerId, kind: OfferKind) -> &ExpectedPost {
        let accepted = Action::Accept(kind);
        let change = self.game.act(player, accepted, Timestamp(0)).expect("it is open");
        self.note(change, accepted).await;
        self.expected_posts.last().expect("it was just told")
    }
}
