//! Every sentence that a player reads. The rest of the program passes typed values, and these functions turn them into
//! English, with the words that the variant has for its pieces and squares.
//!
//! | file | subject |
//! |---|---|
//! | [`alt_text`](self) | the picture of a board, described for screen readers |
//! | [`board`](self) | the board drawn with characters |
//! | [`challenges`] | challenges and their lists |
//! | [`delivery`] | where a reply is posted, and why it cannot be posted |
//! | [`endings`] | how a game ended, and under which rule |
//! | [`events`] | what happened in a game, and whose turn it is |
//! | [`help`] | `/help` and how a command is written |
//! | [`labels`] | sides, squares, pieces, offers and paces inside a sentence |
//! | [`lists`] | lists of games |
//! | [`privacy`] | what is stored about a player, the export and being forgotten |
//! | [`prompts`] | questions before something is done |
//! | [`refusals`] | why something cannot be done, and what to do instead |
//! | [`repetition`] | what a repeated position leads to, and why |
//! | [`rules_page`](self) | the rules of a variant |
//! | [`sanitize`] | names and other text that players typed |
//! | [`settings`] | settings, preferences and blocks |
//! | [`time`] | dates and durations |

mod alt_text;
mod board;
pub mod challenges;
pub mod delivery;
pub mod endings;
pub mod events;
pub mod help;
pub mod labels;
pub mod lists;
mod markup;
pub mod privacy;
pub mod prompts;
pub mod refusals;
pub mod repetition;
mod rules_page;
pub mod sanitize;
pub mod settings;
pub mod time;

pub use alt_text::{DESCRIPTION_LIMIT, caption, description};
pub use board::{Colouring, board};
pub use markup::{Markup, MarkupFactory, PlayerNames};
pub use rules_page::rules_page;
