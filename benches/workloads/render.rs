//! The picture whose speed is measured.

use ratatosk::board_view::{BoardView, Theme};
use ratatosk::rules::Variant;
use ratatosk::text;

/// Returns the 11x11 board with all of its 37 pieces, after the first move.
#[expect(clippy::expect_used, reason = "a bench may stop when its premises fail")]
pub fn great_board(theme: Theme) -> BoardView {
    let variant = Variant::find("fetlar").expect("there is such a game");
    let rulebook = variant.rulebook();
    let start = variant.start_position(variant.default_layout());
    let mv = rulebook.legal_moves(&start).last().expect("the first player can move");
    let mut view = BoardView::after(variant, &rulebook, &rulebook.apply(&start, mv));
    view.theme = theme;
    view.caption = text::caption(&view);
    view
}
