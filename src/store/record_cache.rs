//! Cache of the records of recent games, so that a move in a long game need not replay all moves before it.
//!
//! A record is cached for one version of its game. A reader that finds another version in the file replays the game.

use crate::game::GameId;
use crate::rules::Record;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many records are cached. A game of 300 moves takes some 40 KB.
const CAPACITY: usize = 128;

/// The records that were written or replayed last.
#[derive(Default)]
pub(super) struct RecordCache {
    /// The latest one is at the end. There is one entry for each game.
    entries: Mutex<VecDeque<Entry>>,
}

struct Entry {
    game: GameId,
    version: u64,
    record: Record,
}

impl RecordCache {
    fn entries(&self) -> MutexGuard<'_, VecDeque<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the record of a game at a version, if it is cached.
    pub(super) fn get(&self, game: GameId, version: u64) -> Option<Record> {
        let entries = self.entries();
        let found = entries.iter().rfind(|entry| entry.game == game && entry.version == version)?;
        Some(found.record.clone())
    }

    /// Caches the record of a game, unless a later version is cached.
    pub(super) fn insert(&self, game: GameId, version: u64, record: Record) {
        let mut entries = self.entries();
        if let Some(previous) = entries.iter().position(|entry| entry.game == game) {
            if entries[previous].version > version {
                return;
            }
            entries.remove(previous);
        }
        if entries.len() >= CAPACITY {
            entries.pop_front();
        }
        entries.push_back(Entry { game, version, record });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::rules::Variant;
    use std::sync::Arc;

    #[test]
    fn only_the_latest_version_of_the_latest_games_is_cached() {
        let variant = Variant::find("brandubh").unwrap();
        let record = Record::new(Arc::new(variant.rulebook()), variant.start_position(variant.default_layout()));
        let cache = RecordCache::default();
        cache.insert(GameId(1), 5, record.clone());
        cache.insert(GameId(1), 4, record.clone());
        assert!(cache.get(GameId(1), 5).is_some() && cache.get(GameId(1), 4).is_none());
        cache.insert(GameId(1), 6, record.clone());
        assert!(cache.get(GameId(1), 5).is_none() && cache.get(GameId(1), 6).is_some());
        for game in 0..CAPACITY as u64 {
            cache.insert(GameId(100 + game), 0, record.clone());
        }
        assert!(cache.get(GameId(1), 6).is_none() && cache.get(GameId(100), 0).is_some());
        assert_eq!(cache.entries().len(), CAPACITY);
    }
}
