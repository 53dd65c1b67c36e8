//! `ratatosk render`: draws a board as a picture or as text, without a game.

use super::Failure;
use super::last_move::LastMove;
use super::rules::{PositionArgs, VariantArgs};
use crate::board_view::{BoardStatus, BoardView, Orientation, Theme};
use crate::render::Renderer;
use crate::rules::notation::read_square;
use crate::rules::{Rulebook, Square};
use crate::terminal::colours_wanted;
use crate::text::{self, Colouring};
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::fs;
use std::io::{self, IsTerminal, Write};

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  ratatosk render fetlar -o fetlar.png\n  \
    ratatosk render brandubh --last d2-c2 --theme slate\n  \
    ratatosk render brandubh --position /3t3/2t4/7/2t4/6K/3T3/3t3/ --to-move defenders --last a4-c4xc5 -o last.png\n  \
    ratatosk render magpie --position /3t3/7/1t5/t1t4/1t2T2/3T3/5t1/ --to-move defenders --last a2-a4++ -o won.png\n  \
    ratatosk render sea-battle --highlight c5,d5 --text")]
pub(super) struct RenderArgs {
    #[command(flatten)]
    variant: VariantArgs,
    #[command(flatten)]
    position: PositionArgs,
    /// The move that led to the position, with its captures, or a move to make from the start position
    #[arg(long, value_name = "MOVE")]
    last: Option<String>,
    /// Squares to highlight
    #[arg(long, value_name = "SQUARES", value_delimiter = ',')]
    highlight: Vec<String>,
    /// The theme
    #[arg(long, value_parser = PossibleValuesParser::new(Theme::ALL.map(Theme::id)), default_value = Theme::default().id())]
    theme: String,
    /// See the board from the other side
    #[arg(long)]
    flip: bool,
    /// Write text instead of a picture: the board, then its description
    #[arg(long)]
    text: bool,
    /// The output file, `-` for standard output [default: VARIANT.png, or standard output for text]
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
}

pub(super) fn run(args: &RenderArgs) -> Result<(), Failure> {
    let (variant, layout) = args.variant.find()?;
    let rulebook = variant.rulebook();
    let last = args.last.as_deref().map(|typed| LastMove { variant, rulebook: &rulebook, typed });
    let mut view = match (args.position.shown(&rulebook)?, last) {
        (Some((position, _)), Some(last)) => BoardView::after(variant, &rulebook, &last.led_to(&position)?),
        (Some((position, ended)), None) => {
            let mut view = BoardView::of(variant, &rulebook, &position);
            if let Some(outcome) = ended {
                view.end(BoardStatus::decided(outcome.winner()));
            }
            view
        }
        (None, last) => {
            let start = args.position.find(&rulebook, layout)?;
            match last {
                Some(last) => BoardView::after(variant, &rulebook, &last.play(&start)?),
                None => BoardView::of(variant, &rulebook, &start),
            }
        }
    };
    view.highlights =
        args.highlight.iter().map(|name| square(&rulebook, "--highlight", name)).collect::<Result<_, _>>()?;
    view.theme = Theme::find(&args.theme).unwrap_or_default();
    view.orientation = if args.flip { Orientation::Flipped } else { Orientation::Upright };
    view.caption = text::caption(&view);
    if args.text { write_text(args, &view) } else { write_picture(args, &view) }
}

fn write_text(args: &RenderArgs, view: &BoardView) -> Result<(), Failure> {
    let target = args.output.as_deref().filter(|name| *name != "-");
    let colouring = if target.is_none() && colours_wanted() { Colouring::Ansi } else { Colouring::Plain };
    let page = format!("{}\n{}\n", text::board(view, colouring), text::description(view));
    write(target, page.as_bytes())
}

fn write_picture(args: &RenderArgs, view: &BoardView) -> Result<(), Failure> {
    if args.output.as_deref() == Some("-") && io::stdout().is_terminal() {
        let problem =
            "-o -: a terminal cannot show a picture; use -o FILE or redirect the output, or --text for a board";
        return Err(Failure::Usage(String::from(problem)));
    }
    let picture = Renderer::new().png(view).map_err(io::Error::from)?;
    match args.output.as_deref() {
        Some("-") => write(None, &picture),
        Some(name) => write(Some(name), &picture),
        None => write(Some(&format!("{}.png", view.variant.id)), &picture),
    }
}

/// Writes to a file and says so, or to standard output.
fn write(target: Option<&str>, bytes: &[u8]) -> Result<(), Failure> {
    let Some(name) = target else {
        let mut out = io::stdout().lock();
        return Ok(out.write_all(bytes).and_then(|()| out.flush())?);
    };
    let existed = fs::exists(name).unwrap_or(true);
    fs::write(name, bytes).map_err(|error| {
        if !existed {
            // Half a file is useless. The first error is the one to report.
            let _ = fs::remove_file(name);
        }
        io::Error::new(error.kind(), format!("cannot write {name}: {error}"))
    })?;
    eprintln!("wrote {name}: {} bytes", bytes.len());
    Ok(())
}

fn square(rulebook: &Rulebook, option: &str, name: &str) -> Result<Square, Failure> {
    let size = rulebook.rules().size;
    read_square(rulebook, name.trim()).map_err(|_| {
        let last = char::from(b'a' + size - 1);
        Failure::Usage(format!("{option}: there is no square `{name}` on this board; it goes from a1 to {last}{size}"))
    })
}
