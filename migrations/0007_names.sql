-- Columns and indexes are named after what they hold.
DROP INDEX running_games_by_alarm;
CREATE INDEX running_games_by_wake_time ON games (wake_at) WHERE ending IS NULL;
DROP INDEX open_challenges_by_end;
CREATE INDEX open_challenges_by_expiry ON challenges (expires) WHERE state = 'open';
ALTER TABLE heartbeat RENAME COLUMN slowest TO slowest_ms;
ALTER TABLE heartbeat RENAME COLUMN unread TO unknown_events;
