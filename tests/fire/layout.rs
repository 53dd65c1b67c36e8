//! Whether what is written looks as it should, whatever people are called and whatever they type.

/// Nothing in it ends the line or turns its direction.
pub fn in_one_line(text: &str, what: &str) {
    let bad = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert!(!text.contains(bad), "{what} is out of line: {text:?}");
}

/// Whatever is opened in it is closed: code, emphasis, and what is hidden.
pub fn is_closed(content: &str) {
    let (mut outside, mut inside) = (String::new(), false);
    let blocks: Vec<&str> = content.split("```").collect();
    assert!(!blocks.len().is_multiple_of(2), "a block of code has no end: {content:?}");
    for (n, block) in blocks.into_iter().enumerate() {
        if n % 2 == 0 {
            outside += block;
        }
    }
    // What stands behind a backslash is a letter like any other, except in code.
    let mut letters = outside.chars();
    let mut marks = String::new();
    while let Some(letter) = letters.next() {
        match letter {
            '`' => inside = !inside,
            '\\' if !inside => drop(letters.next()),
            letter if !inside => marks.push(letter),
            _ => {}
        }
    }
    assert!(!inside, "code has no end: {content:?}");
    for mark in ["**", "||", "~~", "__"] {
        assert!(marks.matches(mark).count().is_multiple_of(2), "{mark} has no end: {content:?}");
    }
}

/// Two who are called by anything, in a game like any other: nothing that they are called changes what a post looks like.
#[tokio::test]
async fn whatever_people_are_called_every_post_looks_the_same() {
    use crate::standin::{Discord, people::Post};
    let names = [
        "\u{202e}drawkcab",
        "two\nlines\u{2028}three",
        "``` @everyone",
        "**||<@1>||** `x",
        "\u{200b}\u{200d}\u{feff}",
        "\0\r\t|~|",
        "Z\u{0351}\u{036b}\u{0343}\u{036a}\u{0302}\u{036b}",
        "👩\u{200d}👩\u{200d}👧\u{200d}👦",
    ];
    let discord = Discord::start().await;
    let _bot = discord.run_bot().await;
    let mut posts = Vec::new();
    for name in [&["Ann"], &names[..]].concat() {
        let (one, other) = (discord.user("One"), discord.user("Other"));
        one.call_himself(name);
        other.call_himself(name);
        let options = [("variant", "brandubh"), ("opponent", other.mention()), ("side", "attackers")];
        let challenge = one.slash("challenge", &options).await;
        let open = one.slash("challenge", &[("variant", "york")]).await;
        let board = other.click(&challenge, "Accept").await;
        let moved = one.slash("move", &[("move", "d1-c1")]).await;
        let mine = one.slash("games", &[]).await;
        let theirs = other.slash("challenges", &[]).await;
        // The others have the same to look at.
        let closed = one.click(&open, "Withdraw").await;
        posts.push((name, [challenge, open, board, moved, mine, theirs, closed]));
    }
    // Until the buttons of earlier posts are gone.
    discord.settle().await;
    let looks = |posts: &[Post]| {
        let look = |post: &Post| {
            let text = post.text();
            text.lines().for_each(|line| in_one_line(line, "a line"));
            is_closed(&text);
            let labels = post.buttons().into_iter().chain(post.choices());
            labels.for_each(|label| in_one_line(&label, "a label"));
            (text.lines().count(), post.buttons().len(), post.choices().len())
        };
        posts.iter().map(look).collect::<Vec<_>>()
    };
    let usual = looks(&posts[0].1);
    for (name, posts) in &posts {
        assert_eq!(looks(posts), usual, "{name:?}");
    }
}
