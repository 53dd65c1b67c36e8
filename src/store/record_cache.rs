//! The records of the games that were played last: a move in a long game need not replay all that went before.
//!
//! A record belongs to a version of its game: whoever has read another version in the file replays the game.

use crate::game::GameId;
use crate::rules::Record;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many are kept: those who play at the same time. A game of 300 moves takes some 40 KB.
const MOST: usize = 128;

/// The records that were saved or replayed last, the latest at the end.
#[derive(Default)]
pub(super) struct RecordCache {
    records: Mutex<VecDeque<Kept>>,
}

struct Kept {
    game: GameId,
    version: u64,
    record: Record,
}

impl RecordCache {
    fn records(&self) -> MutexGuard<'_, VecDeque<Kept>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the record of a game at a version, if it is here.
    pub(super) fn find(&self, game: GameId, version: u64) -> Option<Record> {
        let records = self.records();
        let found = records.iter().rfind(|kept| kept.game == game && kept.version == version)?;
        Some(found.record.clone())
    }

    /// Keeps the record of a game, unless there is a later one.
    pub(super) fn keep(&self, game: GameId, version: u64, record: Record) {
        let mut records = self.records();
        if let Some(former) = records.iter().position(|kept| kept.game == game) {
            if records[former].version > version {
                return;
            }
            records.remove(former);
        }
        if records.len() >= MOST {
            records.pop_front();
        }
        records.push_back(Kept { game, version, record });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::rules::Variant;
    use std::sync::Arc;

    #[test]
    fn only_the_latest_version_of_the_latest_games_is_kept() {
        let variant = Variant::find("brandubh").unwrap();
        let record = Record::new(Arc::new(variant.book()), variant.start(variant.usual_layout()));
        let recent = RecordCache::default();
        recent.keep(GameId(1), 5, record.clone());
        recent.keep(GameId(1), 4, record.clone());
        assert!(recent.find(GameId(1), 5).is_some() && recent.find(GameId(1), 4).is_none());
        recent.keep(GameId(1), 6, record.clone());
        assert!(recent.find(GameId(1), 5).is_none() && recent.find(GameId(1), 6).is_some());
        for game in 0..MOST as u64 {
            recent.keep(GameId(100 + game), 0, record.clone());
        }
        assert!(recent.find(GameId(1), 6).is_none() && recent.find(GameId(100), 0).is_some());
        assert_eq!(recent.records().len(), MOST);
    }
}
