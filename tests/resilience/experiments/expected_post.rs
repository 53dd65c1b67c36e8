//! What a post about an action must contain: text, picture and buttons.

use fake_discord::client::Post;
use fake_discord::state::Message;
use ratatosk::board_view::{BoardStatus, BoardView};
use ratatosk::game::{Game, GameEvent, GameId, OfferKind, PlayerId, Timestamp};
use ratatosk::rules::{Move, Variant};
use ratatosk::text::{self, Markup, events};

/// Writes names and times as they are written on Discord.
pub struct DiscordMarkup;

impl Markup for DiscordMarkup {
    fn player(&self, player: PlayerId) -> String {
        format!("<@{}>", player.0)
    }

    fn time(&self, moment: Timestamp) -> String {
        format!("<t:{}:R>", moment.0)
    }

    fn bold(&self, words: &str) -> String {
        format!("**{words}**")
    }

    fn escape(&self, words: &str) -> String {
        words.to_owned()
    }

    fn plain(&self) -> &dyn Markup {
        self
    }
}

/// Something that happened in a game and that must have been posted.
#[derive(Debug)]
pub struct ExpectedPost {
    pub game: GameId,
    /// The title of the game and everything that happened.
    words: String,
    /// The whole post about a move that was taken back before it could be posted.
    about_what_is_gone: Option<String>,
    /// The last line if the game had moved on before it was posted.
    late: String,
    /// What the picture shows, in words; and what it shows if the game was over before it could be posted.
    shows: String,
    shows_the_end: Option<String>,
    /// After how many moves.
    plies: usize,
    taken_back: bool,
    /// Whether the action before it was not answered yet, so that either post may be the first.
    pub together: bool,
}

impl ExpectedPost {
    /// Makes the post about what has just happened in a game.
    pub fn new(game: &Game, happened: &[GameEvent], moved: Option<Move>) -> Self {
        let plies = game.record.plies().len();
        let told = events::late_post(game, happened, plies, None, &DiscordMarkup).expect("there is something to tell");
        let (words, late) = told.rsplit_once('\n').expect("the last line says that it comes late");
        let gone = |mv: Move| events::late_post(game, happened, plies, Some(&mv.to_string()), &DiscordMarkup);
        Self {
            game: game.id,
            words: words.to_owned(),
            about_what_is_gone: moved.and_then(gone),
            late: late.to_owned(),
            shows: text::description(&view(game)),
            shows_the_end: None,
            plies,
            taken_back: false,
            together: false,
        }
    }

    /// Notes what has happened since: positions that were taken back cannot be shown any more, and the last position is
    /// shown as the end of the game.
    pub fn age(&mut self, game: &Game) {
        let plies = game.record.plies().len();
        if self.game != game.id {
            return;
        }
        self.taken_back |= self.plies > plies;
        // A move that was taken back may have been played again.
        if game.result.is_some() && self.plies == plies && text::description(&position(game)) == self.shows {
            self.shows_the_end = Some(text::description(&view(game)));
        }
    }

    /// Returns whether a post has the words that it should have.
    pub fn is_told_by(&self, post: &Message) -> bool {
        let gone = self.about_what_is_gone.as_ref().filter(|_| self.taken_back);
        post.content.contains(&self.words) || gone.is_some_and(|words| post.content.contains(words))
    }

    /// Checks the post that was delivered for a message of the outbox.
    pub fn check(&self, post: &Message, outbox: u64) {
        let said = &post.content;
        let late = said.ends_with(&self.late);
        assert!(self.is_told_by(post), "this should be told: {self:?}\nbut this is: {said}");
        match post.attachments.as_slice() {
            [] => assert!(self.taken_back && late, "there is no picture: {self:?}\n{said}"),
            [picture] => {
                assert_eq!(picture.name, format!("board-{outbox}.png"), "another picture: {said}");
                let shown = picture.description.as_ref();
                let right = shown == Some(&self.shows) || (shown.is_some() && shown == self.shows_the_end.as_ref());
                assert!(right && picture.kind == "image/png", "a wrong picture: {self:?}\nshown is {shown:?}: {said}");
            }
            _ => panic!("several pictures: {said}"),
        }
    }

    /// Checks the answer to the button that caused it.
    pub fn check_answer(&self, answer: &Post) {
        assert!(answer.is_public() && answer.text().contains(&self.words), "{self:?}\nbut: {}", answer.text());
        assert_eq!(answer.alt_text().as_ref(), Some(&self.shows), "{}", answer.text());
    }
}

/// Returns the view of the last position, without the result.
fn position(game: &Game) -> BoardView {
    let (variant, rulebook) = (game.terms.variant, game.record.rulebook());
    match game.record.plies().last() {
        Some(played) => BoardView::after(variant, rulebook, played),
        None => BoardView::of(variant, rulebook, game.record.start_position()),
    }
}

/// Returns the view of the last position, with the result.
fn view(game: &Game) -> BoardView {
    let mut view = position(game);
    if let Some(result) = game.result {
        view.end(BoardStatus::decided(result.winner()));
    }
    view
}

/// Describes the board of a game that has not begun yet.
pub fn first_board(variant: &'static Variant) -> String {
    text::description(&BoardView::of(variant, &variant.rulebook(), &variant.start_position(variant.default_layout())))
}

/// Returns the buttons below the newest board of a game.
pub fn buttons(game: &Game) -> Vec<&'static str> {
    let stands = |kind| game.offers.offered_by(kind).is_some();
    match game.result {
        Some(_) if game.offers.rematched() => Vec::new(),
        Some(_) if stands(OfferKind::Rematch) => vec![accepting(OfferKind::Rematch), "Decline"],
        Some(_) => vec!["Rematch"],
        None => {
            let mut labels = vec!["Move"];
            if stands(OfferKind::Draw) {
                labels.extend([accepting(OfferKind::Draw), "Decline draw"]);
            } else {
                labels.push("Draw");
            }
            if stands(OfferKind::Takeback) {
                labels.extend([accepting(OfferKind::Takeback), "Refuse takeback"]);
            }
            labels.extend(["Resign", "Rules"]);
            labels
        }
    }
}

/// Returns the button that accepts an offer.
pub const fn accepting(kind: OfferKind) -> &'static str {
    match kind {
        OfferKind::Draw => "Accept draw",
        OfferKind::Takeback => "Grant takeback",
        OfferKind::Rematch => "Accept rematch",
    }
}
