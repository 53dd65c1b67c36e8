//! The picture that is drawn when its speed is measured.

use ratatosk::rules::Variant;
use ratatosk::scene::{Scene, Theme};
use ratatosk::text;

/// Gives the great board with all of its 37 men and a move just made.
#[expect(clippy::expect_used, reason = "a bench may stop when its premises fail")]
pub fn great_board(theme: Theme) -> Scene {
    let variant = Variant::find("fetlar").expect("there is such a game");
    let book = variant.book();
    let start = variant.start(variant.usual_layout());
    let mv = book.legal_moves(&start).last().expect("the first player can move");
    let mut scene = Scene::after(variant, &book, &book.apply(&start, mv));
    scene.theme = theme;
    scene.caption = text::caption(&scene);
    scene
}
