//! `render --last`: the last move of a picture. It is played from the start position, or checked against the position
//! after it, so that nothing impossible is drawn.

use super::Failure;
use crate::rules::notation::{OutcomeMark, WrittenMove, read_move, read_written};
use crate::rules::{IllegalMove, Piece, Played, Position, Rulebook, SquareSet, Variant};
use crate::text::{labels, refusals};

/// A move as it was typed, in its game.
pub(super) struct LastMove<'l> {
    pub(super) variant: &'static Variant,
    pub(super) rulebook: &'l Rulebook,
    pub(super) typed: &'l str,
}

impl LastMove<'_> {
    /// Makes the move.
    pub(super) fn play(&self, before: &Position) -> Result<Played, Failure> {
        let mv = read_move(self.rulebook, before, self.typed).map_err(|illegal| self.illegal(&illegal))?;
        Ok(self.rulebook.apply(before, mv))
    }

    /// Returns the move that led to a position, with its effects: takes it back and plays it again.
    pub(super) fn led_to(&self, after: &Position) -> Result<Played, Failure> {
        let written = read_written(self.rulebook, self.typed).map_err(|illegal| self.illegal(&illegal))?;
        let mover = self.mover(after, &written)?;
        let victim = mover.side().opponent().common_piece();
        let captures = written.captures.unwrap_or_default();
        if after.king().is_none() {
            return self.king_capture(after, &written, victim);
        }
        let before = self.rulebook.unmake(after, written.mv, &[(victim, captures)]);
        let before = before.map_err(|problem| self.wrong(&format!("before this move, {problem}")))?;
        let played = self.play(&before)?;
        if played.position == *after {
            return Ok(played);
        }
        // Only pieces that the rules capture can differ.
        let occupied = labels::squares(played.all_captures() & after.occupied());
        Err(self.wrong(&format!("{} captures on {occupied}, but the position has a piece there", written.mv)))
    }

    /// Checks the written move against the position after it, and returns the piece that moved.
    fn mover(&self, after: &Position, written: &WrittenMove) -> Result<Piece, Failure> {
        let words = &self.variant.words;
        let WrittenMove { king, mv, captures, mark } = *written;
        if mv.from == mv.to {
            return Err(self.illegal(&IllegalMove::StandsStill(mv.to)));
        }
        let Some(piece) = after.at(mv.to) else {
            return Err(self.wrong(&format!("there is no piece on {}, where {mv} ends", mv.to)));
        };
        let mover = words.piece(piece);
        if piece.side() == after.to_move() {
            let problem =
                format!("the {mover} on {} belongs to the side whose turn it is, which did not move last", mv.to);
            return Err(self.wrong(&problem));
        }
        if king && piece != Piece::King {
            let problem = format!("K says that the {} moved, but the {mover} stands on {}", words.king, mv.to);
            return Err(self.wrong(&problem));
        }
        let captures = captures.unwrap_or_default();
        for square in SquareSet::of(mv.from) | captures {
            if let Some(other) = after.at(square).map(|piece| words.piece(piece)) {
                let problem = format!("{square} is empty after {}, but the position has the {other} there", self.typed);
                return Err(self.wrong(&problem));
            }
        }
        if captures.contains(mv.from) {
            return Err(self.wrong(&format!("nothing can be captured on {}, where {mv} begins", mv.from)));
        }
        match (mark, after.king()) {
            (Some(OutcomeMark::KingCaptured), Some(square)) => {
                Err(self.wrong(&format!("++ says that the {0} was taken, but the {0} stands on {square}", words.king)))
            }
            (Some(OutcomeMark::KingEscaped), None) => {
                Err(self.wrong(&format!("-- says that the {0} has escaped, but there is no {0}", words.king)))
            }
            (Some(OutcomeMark::KingEscaped), Some(square)) if !self.rulebook.goal().contains(square) => {
                let problem = format!(
                    "-- says that the {0} has escaped, but {square}, where the {0} stands, is no goal",
                    words.king
                );
                Err(self.wrong(&problem))
            }
            _ => Ok(piece),
        }
    }

    /// Returns a move that captured the king, with its effects: tries every square where the king may have been.
    fn king_capture(&self, after: &Position, written: &WrittenMove, victim: Piece) -> Result<Played, Failure> {
        let captures = written.captures.unwrap_or_default();
        let free = self.rulebook.board() - after.occupied() - SquareSet::of(written.mv.from);
        // The king's square need not be written; if several are possible, a written one is preferred.
        for square in (captures & free).into_iter().chain(free - captures) {
            let king = SquareSet::of(square);
            let captured = [(victim, captures - king), (Piece::King, king)];
            let Ok(before) = self.rulebook.unmake(after, written.mv, &captured) else { continue };
            if let Some(played) = self.play(&before).ok().filter(|played| played.position == *after) {
                return Ok(played);
            }
        }
        let king = self.variant.words.king;
        Err(self.wrong(&format!("there is no {king}, but {} cannot have taken the {king} anywhere", written.mv)))
    }

    fn illegal(&self, illegal: &IllegalMove) -> Failure {
        self.wrong(&match illegal {
            IllegalMove::NotUnderstood { .. } => {
                format!("`{}` is no move; write it as d1-d4 or d1-d4xd5/e4", self.typed)
            }
            other => refusals::illegal_move(other, &self.variant.words),
        })
    }

    fn wrong(&self, problem: &str) -> Failure {
        Failure::Usage(format!("--last: {problem}"))
    }
}
