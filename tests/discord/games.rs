//! Whole games, as the players see them.

use crate::bot_process::start_game;
use crate::fixture::{BUTTONS, Fixture, assert_private};
use crate::seeded_rng::Rng;
use fake_discord::client::{ClientError, Post};
use fake_discord::state::DiscordState;
use ratatosk::rules::{Move, Record, Variant};
use std::time::Duration;

#[tokio::test]
async fn a_challenge_pings_the_opponent_and_becomes_a_game() {
    let e = Fixture::start().await;
    let challenge = e.challenge("brandubh").await;
    assert!(challenge.is_public() && challenge.pings_only(&e.bo));
    for words in [e.ann.mention(), e.bo.mention(), "Brandubh", "3 days a move", "<t:"] {
        assert!(challenge.text().contains(words), "{words:?} is not said: {}", challenge.text());
    }
    for button in ["Accept", "Decline", "Withdraw"] {
        assert!(challenge.buttons().iter().any(|label| label == button), "{button} is missing");
    }
    assert!(challenge.picture_size().is_some_and(|(width, height)| width >= 200 && height >= 200));
    assert!(challenge.alt_text().unwrap().contains("Brandubh"));

    e.bo.click(&challenge, "Accept").await;
    let board = e.next_post(&challenge).await;
    assert!(board.pings_only(&e.ann), "the attackers move first: {}", board.text());
    assert_eq!(board.buttons(), BUTTONS);
    assert!(board.picture_size().is_some() && board.text().contains("<t:"));
    challenge.wait_until_buttons_are_gone().await;
    assert!(challenge.text().contains("It was accepted.") && !challenge.text().contains("<t:"), "{}", challenge.text());
    assert!(challenge.picture_size().is_some() && challenge.alt_text().is_some(), "the picture stays");
    e.idle().await;
    assert_eq!(e.board_count(), 2);
}

#[tokio::test]
async fn a_closed_challenge_without_a_picture_keeps_its_text_board() {
    let e = Fixture::start().await;
    e.discord.deny_bot(e.channel(), fake_discord::state::permissions::ATTACH);
    let challenge = e.challenge("brandubh").await;
    assert!(challenge.text().contains("```") && challenge.text().contains("It can be accepted until"));
    e.ann.click(&challenge, "Withdraw").await;
    challenge.wait_until_buttons_are_gone().await;
    e.idle().await;
    assert!(challenge.text().contains("```") && challenge.text().contains("It was withdrawn."), "{}", challenge.text());
    assert!(challenge.pings_only(&e.bo), "an edit pings nobody else");
}

#[tokio::test]
async fn a_challenge_is_declined_or_withdrawn() {
    let e = Fixture::start().await;
    let challenge = e.challenge("brandubh").await;
    assert_private(&e.ann.click(&challenge, "Decline").await, &e.ann, "Withdraw is your button");
    assert!(challenge.buttons().contains(&String::from("Accept")), "it is still open");
    assert_private(&e.bo.click(&challenge, "Withdraw").await, &e.bo, "Only the challenger");
    let late = e.bo.remember_button(&challenge, "Accept");
    e.bo.click(&challenge, "Decline").await;
    let told = e.post_saying(e.channel(), "declines").await;
    assert!(told.pings_only(&e.ann), "the challenger is told");
    challenge.wait_until_buttons_are_gone().await;
    assert!(challenge.text().contains("It was declined."), "{}", challenge.text());
    assert_private(&e.bo.click_remembered(&late).await, &e.bo, "not open any more");

    let challenge = e.challenge("magpie").await;
    let listed = e.ann.slash("challenges", &[]).await;
    assert_eq!(listed.buttons(), ["Withdraw"], "only what is hers");
    let closed = e.ann.click(&listed, "Withdraw").await;
    assert_eq!((closed.id, closed.text().as_str()), (listed.id, "Done. Everybody is told below."));
    challenge.wait_until_buttons_are_gone().await;
    assert!(challenge.text().contains("It was withdrawn."), "{}", challenge.text());
    let told = e.post_saying(e.channel(), "has withdrawn").await;
    assert!(told.pings_nobody());
}

#[tokio::test]
async fn an_open_challenge_accepted_by_ten_at_once_starts_one_game() {
    let e = Fixture::start().await;
    let challenge = e.ann.slash("challenge", &[("variant", "fetlar")]).await;
    assert!(challenge.pings_nobody());
    assert!(!challenge.buttons().contains(&String::from("Decline")));
    let racers: Vec<_> = (0..10).map(|n| e.discord.add_user(&format!("Racer{n}"))).collect();
    let clicks: Vec<_> = racers.iter().map(|racer| racer.send_click(&challenge, "Accept").unwrap()).collect();
    let mut late = 0;
    for (racer, click) in racers.iter().zip(clicks) {
        let answer = racer.answer(click).await.unwrap();
        if answer.is_private_for(racer) {
            assert!(answer.text().contains("not open any more"), "{}", answer.text());
            late += 1;
        }
    }
    assert_eq!(late, 9);
    challenge.wait_until_buttons_are_gone().await;
    e.idle().await;
    assert_eq!(e.board_count(), 2, "one challenge, one first board");
    assert_private(&e.ann.slash("games", &[]).await, &e.ann, "1 running game");
}

#[tokio::test]
async fn the_king_escapes() {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    let end = e.play(board, "d1-c1 d3-b3 c1-d1 d4-d3 d1-c1 d3-g3 c1-d1 g3-g1").await;
    assert!(end.text().contains(&format!("{} wins", e.bo.mention())), "{}", end.text());
    assert!(end.text().contains("escaped") && end.text().contains("Brandubh"));
    assert_eq!(end.buttons(), ["Rematch"]);
    assert!(end.alt_text().is_some());
    assert_private(&e.bo.slash("move", &[("move", "d3-d4"), ("game", "1")]).await, &e.bo, "over");

    e.ann.click(&end, "Rematch").await;
    let offer = e.post_saying(e.channel(), "offers").await;
    assert!(offer.pings_only(&e.bo));
    e.bo.click(&offer, "Accept rematch").await;
    let board = e.next_post(&offer).await;
    assert!(board.pings_only(&e.bo), "the sides are swapped: {}", board.text());
    e.play(board, "d1-c1 d3-b3").await;
}

#[tokio::test]
async fn the_king_is_taken() {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    let end = e.play(board, "d1-c1 d3-b3 c1-d1 d4-d3 d1-c1 d3-g3 d2-g2").await;
    assert!(
        end.text().contains(&format!("{} wins", e.ann.mention())) && end.text().contains("taken"),
        "{}",
        end.text()
    );
}

#[tokio::test]
async fn resigning_asks_for_confirmation() {
    let e = Fixture::start().await;
    let board = e.start_game("ard-ri").await;
    let question = e.ann.click(&board, "Resign").await;
    assert_private(&question, &e.ann, "really");
    let kept = e.ann.click(&question, "Cancel").await;
    assert_eq!((kept.id, kept.buttons().len()), (question.id, 0), "the private message closes");
    let question = e.ann.click(&board, "Resign").await;
    e.ann.click(&question, "Resign").await;
    let end = e.next_post(&board).await;
    assert!(end.text().contains(&format!("{} wins", e.bo.mention())) && end.text().contains("resigns"));
    e.assert_names_rule(&end, "Whoever resigns loses");
    assert!(end.pings_only(&e.bo) && end.is_public());
    board.wait_until_buttons_are_gone().await;
    assert!(question.buttons().is_empty());
}

#[tokio::test]
async fn both_agree_on_a_draw() {
    let e = Fixture::start().await;
    for variant in ratatosk::rules::VARIANTS {
        let board = e.start_game(variant.id).await;
        let (first, second) = e.turn(&board);
        first.click(&board, "Draw").await;
        let offer = e.next_post(&board).await;
        assert!(offer.pings_only(second) && offer.text().contains("offers a draw"));
        board.wait_until_buttons_are_gone().await;
        assert_private(&e.eve.click(&offer, "Accept draw").await, &e.eve, "not playing");
        second.click(&offer, "Accept draw").await;
        let end = e.next_post(&offer).await;
        assert!(end.text().contains("drawn") && end.text().contains(": both agreed"), "{}", end.text());
        e.assert_names_rule(&end, "agree on a draw");
    }
}

#[tokio::test]
async fn a_game_is_called_off_while_not_both_have_moved() {
    let e = Fixture::start().await;
    let board = e.start_game("york").await;
    let end = e.bo.slash("abort", &[]).await;
    assert!(end.is_public() && end.text().contains("without a result"), "{}", end.text());
    e.assert_names_rule(&end, "call the game off");
    board.wait_until_buttons_are_gone().await;
}

#[tokio::test]
async fn a_third_occurrence_is_asked_about_and_then_ends_the_game() {
    let e = Fixture::start().await;
    for variant in ["brandubh", "ard-ri"] {
        let [a, b, c, d] = moves_there_and_back(variant);
        let board = e.start_game(variant).await;
        let board = e.play(board, &format!("{a} {b} {c} {d}")).await;
        assert!(board.text().contains("occurred twice"), "{}", board.text());
        let board = e.play(board, &format!("{a} {b} {c}")).await;
        let question = e.bo.slash("move", &[("move", &d)]).await;
        assert!(question.is_private_for(&e.bo), "nothing is played yet: {}", question.text());
        e.bo.click(&question, "Play it").await;
        let end = e.next_post(&board).await;
        assert!(end.text().contains(" wins ") && end.text().contains("3rd time"), "{}", end.text());
        e.assert_names_rule(&end, "the aggressor loses");
        // The end gives the reasons that the question gave.
        let (asked, told) = (question.previous_text(), end.text());
        for reason in ["more easily", "completed it"] {
            assert_eq!(asked.contains(reason), told.contains(reason), "{asked}\n{told}");
        }
        let freedom = asked.split_once("lose by it. ").unwrap().1.split(" So ").next().unwrap();
        assert!(freedom.contains("could have ended it with") && told.contains(freedom), "{freedom}\n{told}");
        assert_eq!(end.buttons(), ["Rematch"]);
    }
}

/// Finds four moves that lead back to the same position.
fn moves_there_and_back(variant: &str) -> [String; 4] {
    let variant = Variant::find(variant).unwrap();
    let start = || Record::new(variant.rulebook().into(), variant.start_position(variant.default_layout()));
    let first: Vec<Move> = start().playable_moves().collect();
    for out in first {
        let mut record = start();
        record.play(out).unwrap();
        let answers: Vec<Move> = record.playable_moves().collect();
        for answer in answers {
            let back = |mv: Move| Move { from: mv.to, to: mv.from };
            let moves = [out, answer, back(out), back(answer)];
            let mut record = start();
            if moves.iter().all(|mv| record.play(*mv).is_ok()) && record.occurrences() == 2 {
                return moves.map(|mv| mv.to_string());
            }
        }
    }
    panic!("nobody can go back in {}", variant.id)
}

#[tokio::test]
async fn a_third_occurrence_is_drawn_where_the_rules_say_so() {
    let e = Fixture::start().await;
    for variant in ["magpie", "sea-battle", "fetlar"] {
        let [a, b, c, d] = moves_there_and_back(variant);
        let board = e.start_game(variant).await;
        let board = e.play(board, &format!("{a} {b} {c} {d} {a} {b} {c}")).await;
        let (mover, _) = e.turn(&board);
        let question = mover.slash("move", &[("move", &d)]).await;
        assert_private(&question, mover, "Play it all the same?");
        mover.click(&question, "Play it").await;
        let end = e.next_post(&board).await;
        assert!(end.text().contains("The game is drawn") && end.text().contains("3rd time"), "{}", end.text());
        e.assert_names_rule(&end, "The third time the same position stands");
    }
}

#[tokio::test]
async fn a_third_occurrence_does_not_end_a_game_where_the_aggressor_must_vary() {
    let e = Fixture::start().await;
    let [a, b, c, d] = moves_there_and_back("york");
    let board = e.start_game("york").await;
    let board = e.play(board, &format!("{a} {b} {c} {d} {a} {b} {c}")).await;
    let (mover, _) = e.turn(&board);
    let answer = mover.slash("move", &[("move", &d)]).await;
    assert_private(&answer, mover, "");
    if answer.buttons().iter().any(|label| label == "Play it") {
        mover.click(&answer, "Play it").await;
        let next = e.next_post(&board).await;
        assert!(next.buttons().iter().any(|label| label == "Move"), "the game goes on");
        assert!(next.text().contains("This position has occurred 3 times."), "{}", next.text());
    } else {
        let offered = mover.complete("move", &[], ("move", "")).await;
        assert!(!offered.is_empty(), "there is something else to play");
        assert_eq!(board.buttons(), BUTTONS, "the game goes on");
    }
}

#[tokio::test]
async fn early_claims_and_challenges_by_blocked_players_are_refused() {
    let e = Fixture::start().await;
    e.start_game("brandubh").await;
    assert_private(&e.bo.slash("claim", &[]).await, &e.bo, "still has time");
    assert_private(&e.bo.slash("block", &[("player", e.eve.mention())]).await, &e.bo, "no longer challenge");
    let options = [("variant", "york"), ("opponent", e.bo.mention())];
    assert_private(&e.eve.slash("challenge", &options).await, &e.eve, "not available");
    assert_private(&e.bo.slash("unblock", &[("player", e.eve.mention())]).await, &e.bo, "");
    assert!(e.eve.slash("challenge", &options).await.is_public());
    assert_private(&e.bo.slash("challenges", &[]).await, &e.bo, "York");
}

#[tokio::test]
async fn a_move_is_taken_back() {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    let board = e.play(board, "d1-c1").await;
    let asked = e.ann.slash("takeback", &[]).await;
    assert!(asked.is_public() && asked.pings_only(&e.bo));
    e.bo.click(&asked, "Grant takeback").await;
    let back = e.next_post(&asked).await;
    assert!(back.text().contains("taken back") && back.pings_only(&e.ann), "{}", back.text());
    board.wait_until_buttons_are_gone().await;
    e.play(back, "d1-e1").await;
}

#[tokio::test]
async fn a_move_is_made_by_clicking() {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    let menu = e.ann.click(&board, "Move").await;
    assert!(menu.is_private_for(&e.ann) && menu.picture_size().is_some());
    assert!(!menu.choices().is_empty() && menu.choices().len() <= 25);
    let squares = e.ann.choose(&menu, "d1").await;
    assert_eq!(squares.id, menu.id, "the private message is updated");
    assert_eq!(squares.prompt().as_deref(), Some("Where does the attacker on d1 go?"));
    let alt = squares.alt_text().unwrap();
    assert!(alt.split_once("Marked: ").is_some_and(|(_, marked)| marked.contains("d1")), "he is marked: {alt}");
    let back = e.ann.click(&squares, "Back").await;
    assert!(back.choices().iter().any(|piece| piece.starts_with("d2")));
    let squares = e.ann.choose(&back, "d1").await;
    let preview = e.ann.choose(&squares, "d1-c1").await;
    assert_eq!(preview.id, menu.id);
    assert!(preview.picture_size().is_some() && preview.text().contains("Nothing is played yet"), "{}", preview.text());
    assert_eq!(preview.files().len(), 1, "the former picture is gone");
    assert_eq!(e.board_count(), 2, "nothing is played before Play it");

    let closed = e.ann.click(&preview, "Play it").await;
    assert_eq!(closed.id, menu.id);
    assert!(closed.buttons().is_empty() && closed.choices().is_empty(), "the private message closes");
    let post = e.next_post(&board).await;
    assert!(post.text().contains("d1-c1") && post.pings_only(&e.bo) && post.response.is_none());
    assert_eq!(post.buttons(), BUTTONS);
    board.wait_until_buttons_are_gone().await;
    e.play(post, "d3-e3").await;
}

#[tokio::test]
async fn a_move_from_another_channel_is_answered_there_and_posted_in_the_games_channel() {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    let elsewhere = e.discord.create_channel("elsewhere");
    let answer = e.ann.at(elsewhere).slash("move", &[("move", "d1-c1")]).await;
    assert!(answer.is_private_for(&e.ann) && answer.channel() == elsewhere, "{}", answer.text());
    let post = e.next_post(&board).await;
    assert!(post.text().contains("d1-c1") && post.pings_only(&e.bo));
    assert_eq!(e.discord.posts_saying(elsewhere, "").len(), 0);

    let bo = e.bo.in_dm();
    let answer = bo.slash("move", &[("move", "d3-e3")]).await;
    assert_eq!(answer.channel(), bo.channel);
    let post = e.next_post(&post).await;
    assert!(post.text().contains("d3-e3") && post.pings_only(&e.ann));
    assert!(bo.slash("games", &[]).await.text().contains("1 running game"));
}

#[tokio::test]
async fn a_thread_that_was_archived_is_opened_by_the_next_board() {
    let e = Fixture::start().await;
    let thread = e.discord.create_thread("Ann and Bo");
    let (ann, bo) = (e.ann.at(thread), e.bo.at(thread));
    let challenge = start_game::challenge(&ann, &bo, "brandubh").await;
    bo.click(&challenge, "Accept").await;
    let board = e.next_post(&challenge).await;
    challenge.wait_until_buttons_are_gone().await;
    e.idle().await;

    e.discord.advance(Duration::from_secs(25 * 60 * 60));
    assert!(matches!(ann.try_slash("move", &[("move", "d1-c1")]).await, Err(ClientError::NotPossible(_))));
    let answer = e.ann.slash("move", &[("move", "d1-c1")]).await;
    assert!(answer.is_private_for(&e.ann), "{}", answer.text());
    let post = e.next_post(&board).await;
    assert!(post.text().contains("d1-c1") && post.pings_only(&e.bo));
    board.wait_until_buttons_are_gone().await;
    assert!(bo.slash("move", &[("move", "d3-e3")]).await.is_public(), "the thread is open again");
}

#[tokio::test]
async fn a_thread_in_which_a_game_goes_on_is_opened_again() {
    for away in [false, true] {
        let mut e = Fixture::start().await;
        let thread = e.discord.create_thread("Ann and Bo");
        let ann = e.ann.at(thread);
        e.start_game_in(thread).await;
        e.idle().await;
        if away {
            e.bot.kill().await;
        }
        e.discord.archive_thread(thread);
        if away {
            e.bot.start_again().await;
        }
        let open = |state: &DiscordState| (!state.channels[&thread].archived).then_some(());
        e.discord.wait_until("the thread to be open again", open).await;
        assert!(ann.slash("move", &[("move", "d1-c1")]).await.is_public());
    }
}

#[tokio::test]
async fn clicks_of_strangers_late_clicks_and_double_clicks_change_nothing() {
    let e = Fixture::start().await;
    let challenge = e.challenge("brandubh").await;
    assert_private(&e.eve.click(&challenge, "Accept").await, &e.eve, "somebody else");
    let accept = e.bo.remember_button(&challenge, "Accept");
    e.bo.click(&challenge, "Accept").await;
    let board = e.next_post(&challenge).await;
    assert_private(&e.bo.click_remembered(&accept).await, &e.bo, "not open any more");

    for button in ["Move", "Draw", "Resign"] {
        assert_private(&e.eve.click(&board, button).await, &e.eve, "not playing");
    }
    assert_private(&e.bo.click(&board, "Move").await, &e.bo, "opponent's turn");
    let (draw, pieces) = (e.ann.remember_button(&board, "Draw"), e.ann.click(&board, "Move").await);
    let squares = e.ann.choose(&pieces, "d1").await;
    let preview = e.ann.choose(&squares, "d1-c1").await;
    let play = e.ann.remember_button(&preview, "Play it");
    let board = e.play(board, "d2-c2").await;
    assert_private(&e.ann.click_remembered(&draw).await, &e.ann, "moved on");
    assert_private(&e.ann.click_remembered(&play).await, &e.ann, "moved on");
    e.idle().await;
    assert_eq!(e.board_count(), 3, "challenge, first board, one move");
    let board = e.play(board, "d3-e3").await;
    let pieces = e.ann.click(&board, "Move").await;
    let squares = e.ann.choose(&pieces, "c2").await;
    let preview = e.ann.choose(&squares, "c2-d2").await;
    let play = e.ann.remember_button(&preview, "Play it");
    e.ann.click(&preview, "Play it").await;
    assert_private(&e.ann.click_remembered(&play).await, &e.ann, "is played already");
    e.idle().await;
    assert_eq!(e.board_count(), 5, "pressed twice, played once");
}

#[tokio::test]
async fn refusals_are_private_and_say_what_is_possible() {
    let e = Fixture::start().await;
    assert_private(&e.ann.slash("move", &[("move", "d1-c1")]).await, &e.ann, "/games");
    e.start_game("brandubh").await;
    assert_private(&e.bo.slash("move", &[("move", "d3-e3")]).await, &e.bo, "opponent's turn");
    for nonsense in ["a4-a1", "d3-e3", "hello", "`@everyone`", "d1-c1 d1-c1 d1-c1 d1-c1 d1-c1 d1-c1 d1-c1 d1-c1 d1-c1"]
    {
        let answer = e.ann.slash("move", &[("move", nonsense)]).await;
        assert_private(&answer, &e.ann, "");
        assert!(!answer.text().is_empty(), "{nonsense:?} is not answered");
    }
    assert_private(&e.ann.slash("challenge", &[("variant", "york"), ("opponent", e.ann.mention())]).await, &e.ann, "");
    let bot = format!("<@{}>", e.discord.state.read(|state| state.bot));
    let answer = e.ann.slash("challenge", &[("variant", "york"), ("opponent", &bot)]).await;
    assert_private(&answer, &e.ann, "Bots do not play");
    assert!(matches!(e.ann.try_slash("challenge", &[("variant", "chess")]).await, Err(ClientError::NotPossible(_))));
    let hidden = e.discord.create_channel("hidden");
    e.bo.hide_channel(hidden);
    let answer = e.ann.at(hidden).slash("challenge", &[("variant", "york"), ("opponent", e.bo.mention())]).await;
    assert_private(&answer, &e.ann, "cannot see this channel");
    e.idle().await;
    assert!(e.discord.posts_saying(hidden, "").is_empty(), "nobody is challenged where he would not see it");
}

#[tokio::test]
async fn moves_and_layouts_are_autocompleted() {
    let e = Fixture::start().await;
    e.start_game("brandubh").await;
    let moves = e.ann.complete("move", &[], ("move", "d1")).await;
    assert!(!moves.is_empty() && moves.iter().all(|(name, _)| name.contains("d1-")), "{moves:?}");
    let pieces = e.ann.complete("move", &[], ("move", "")).await;
    assert!(!pieces.is_empty() && pieces.len() <= 25);
    assert!(e.eve.complete("move", &[], ("move", "d1")).await.is_empty(), "strangers have nothing to move");
    let layouts = e.ann.complete("challenge", &[("variant", "fetlar")], ("layout", "")).await;
    assert!(!layouts.is_empty());
    let games = e.ann.complete("board", &[], ("game", "")).await;
    assert_eq!(games.len(), 1);
}

#[tokio::test]
async fn boards_and_histories_are_private_until_shown() {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    let board = e.play(board, "d1-c1 d3-e3").await;
    let mine = e.bo.slash("board", &[]).await;
    assert!(mine.is_private_for(&e.bo) && mine.picture_size().is_some() && mine.alt_text().is_some());
    let text = e.bo.slash("board", &[("as", "text")]).await;
    assert!(text.is_private_for(&e.bo) && text.files().is_empty() && text.text().contains("```"), "{}", text.text());
    let show = mine.buttons().into_iter().find(|label| label.contains("everybody") || label.contains("Show"));
    e.bo.click(&mine, &show.expect("a button that shows the board to everybody")).await;
    let shown = e.next_visible_post(&board).await;
    assert!(shown.is_public() && shown.pings_nobody() && shown.picture_size().is_some());

    let history = e.ann.slash("history", &[]).await;
    assert!(history.is_private_for(&e.ann) && history.text().contains("d3-e3"), "{}", history.text());
    assert_eq!(history.files().len(), 2, "the picture and the record");
}

#[tokio::test]
async fn history_pages_can_be_turned() {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    assert_private(&e.ann.slash("history", &[]).await, &e.ann, "Nobody has moved yet");
    let board = e.play(board, "d1-c1").await;
    assert_private(&e.ann.slash("history", &[]).await, &e.ann, "After move 1 of 1");
    e.play(board, "d3-e3 c1-d1 e3-d3").await;
    let mut page = e.ann.slash("history", &[]).await;
    for (button, told) in [
        ("Back", "After move 3"),
        ("Back", "After move 2"),
        ("Back", "After move 1"),
        ("Back", "At the start"),
        ("Forward", "After move 1"),
        ("Last", "After move 4"),
        ("First", "At the start"),
    ] {
        let next = e.ann.click(&page, button).await;
        assert_eq!(next.id, page.id, "the private message is updated");
        assert_private(&next, &e.ann, told);
        page = next;
    }
}

#[tokio::test]
async fn rules_and_help_fit_and_are_private() {
    let e = Fixture::start().await;
    for variant in ratatosk::rules::VARIANTS {
        let rules = e.eve.slash("rules", &[("variant", variant.id)]).await;
        assert_private(&rules, &e.eve, variant.name);
    }
    assert_private(&e.eve.slash("help", &[]).await, &e.eve, "/challenge");
    assert_private(&e.eve.slash("challenges", &[]).await, &e.eve, "no open challenges");
    assert_private(&e.eve.slash("games", &[]).await, &e.eve, "/challenge");
}

#[tokio::test]
async fn markup_in_user_names_is_escaped() {
    let e = Fixture::start().await;
    let (loud, role) = (e.discord.add_user("@everyone"), e.discord.add_user("Bob"));
    role.set_name("<@&123> **bold** `code` @here ||x||");
    let challenge = start_game::challenge(&loud, &role, "brandubh").await;
    assert!(challenge.pings_only(&role), "{}", challenge.text());
    role.click(&challenge, "Accept").await;
    let board = e.next_post(&challenge).await;
    assert!(board.pings_only(&loud), "{}", board.text());
    let post = loud.slash("move", &[("move", "d1-c1")]).await;
    assert!(post.pings_only(&role));
    for (person, command) in [(&e.ann, "challenges"), (&loud, "games"), (&role, "board")] {
        let answer = person.slash(command, &[]).await;
        assert!(answer.pings_nobody() && !answer.text().contains("**bold**"), "{}", answer.text());
    }
}

/// Plays a game of random moves that is the same every time.
async fn random_game(e: &Fixture, mut last: Post, seed: u64) -> Post {
    let mut rng = Rng::new(seed);
    for _ in 0..16 {
        let (mover, _) = e.turn(&last);
        let offered = mover.complete("move", &[], ("move", "")).await;
        let piece = &offered[rng.below(offered.len())].1;
        let mut moves = mover.complete("move", &[], ("move", piece)).await;
        // `g1` is completed by its moves and by `g10`.
        moves.retain(|(_, value)| value.contains('-'));
        let (_, played) = &moves[rng.below(moves.len())];
        let post = mover.slash("move", &[("move", played)]).await;
        assert!(post.is_public(), "{played} is offered and then refused: {}", post.text());
        e.wait_until_recorded(&post).await;
        if post.buttons() == ["Rematch"] {
            return post;
        }
        last = post;
    }
    last
}

#[tokio::test]
async fn every_variant_can_be_played_with_suggested_moves() {
    let e = Fixture::start().await;
    for (n, variant) in ratatosk::rules::VARIANTS.iter().enumerate() {
        let board = e.start_game(variant.id).await;
        let last = random_game(&e, board, n as u64).await;
        assert!(last.picture_size().is_some());
        if last.buttons() != ["Rematch"] {
            let question = e.ann.slash("resign", &[]).await;
            e.ann.click(&question, "Resign").await;
            let end = e.next_post(&last).await;
            assert!(end.text().contains("resigns"), "{}", end.text());
        }
    }
}

#[tokio::test]
async fn commands_say_whether_the_game_is_over_or_still_running() {
    let e = Fixture::start().await;
    assert_private(&e.ann.slash("rematch", &[]).await, &e.ann, "no game here");
    let board = e.start_game("brandubh").await;
    assert_private(&e.ann.slash("rematch", &[]).await, &e.ann, "Game #1 still goes on");
    let question = e.ann.click(&board, "Resign").await;
    e.ann.click(&question, "Resign").await;
    e.next_post(&board).await;
    for (command, options) in [
        ("move", &[("move", "d1-c1")][..]),
        ("takeback", &[]),
        ("draw", &[]),
        ("resign", &[]),
        ("claim", &[]),
        ("abort", &[]),
    ] {
        for ann in [e.ann.clone(), e.ann.in_dm()] {
            let answer = ann.slash(command, options).await;
            assert!(
                answer.text().contains("Game #1 is over") && answer.text().contains("/rematch"),
                "{}",
                answer.text()
            );
        }
    }
    assert_private(&e.eve.slash("resign", &[]).await, &e.eve, "no game here");
    assert!(e.ann.slash("rematch", &[]).await.is_public());
}

#[tokio::test]
async fn a_block_closes_the_challenges_between_the_two() {
    let e = Fixture::start().await;
    let to_bo = e.challenge("brandubh").await;
    let from_bo = e.bo.slash("challenge", &[("variant", "magpie"), ("opponent", e.ann.mention())]).await;
    let to_eve = e.ann.slash("challenge", &[("variant", "york"), ("opponent", e.eve.mention())]).await;
    let to_all = e.ann.slash("challenge", &[("variant", "fetlar")]).await;
    assert_private(&e.ann.slash("block", &[("player", e.bo.mention())]).await, &e.ann, "between you are closed");
    to_bo.wait_until_buttons_are_gone().await;
    from_bo.wait_until_buttons_are_gone().await;
    assert!(to_bo.text().contains("It was withdrawn.") && from_bo.text().contains("It was declined."));
    let told = e.post_saying(e.channel(), "declines").await;
    assert!(told.pings_only(&e.bo), "{}", told.text());
    assert!(!to_eve.buttons().is_empty() && !to_all.buttons().is_empty(), "the others stay open");
    assert_private(&e.bo.click(&to_all, "Accept").await, &e.bo, "not available");
    assert!(e.eve.click(&to_all, "Accept").await.is_public());
}
