-- Renames the table of unsent messages to outbox, and adds columns for what queries need, so that no query reads the JSON
-- of a body.
--
-- The JSON of bodies gets the names that the program uses now. Quotation marks inside a text are escaped in JSON, so these
-- replacements cannot change what a player wrote.

ALTER TABLE owed RENAME TO outbox;
ALTER TABLE outbox RENAME COLUMN news TO body;
ALTER TABLE outbox RENAME COLUMN call TO ping;
-- The player of a reminder. Deleting the player deletes the reminder.
ALTER TABLE outbox ADD COLUMN reminds INTEGER;

-- Which message answered a request. The message has what the request did.
CREATE TABLE handled_requests (
    id     INTEGER PRIMARY KEY,
    outbox INTEGER,                                                 -- none: unknown, from before this column
    at     INTEGER NOT NULL
) STRICT;
INSERT INTO handled_requests (id, outbox, at)
    SELECT id, (SELECT min(outbox.id) FROM outbox WHERE outbox.request = requests.id AND outbox.body = requests.did), at
    FROM requests;
DROP TABLE requests;
ALTER TABLE handled_requests RENAME TO requests;

UPDATE outbox SET reminds = json_extract(body, '$.game.news[0].player')
    WHERE json_extract(body, '$.game.news[0].news') = 'reminder';
UPDATE outbox SET body = replace(replace(replace(replace(body,
    '{"news":"', '{"event":"'), '"news":[', '"events":['), '"moved":"', '"last_move":"'), '{"rehoused":', '{"relocated":');

DROP INDEX owed_by_time;
DROP INDEX owed_by_game;
DROP INDEX owed_by_challenge;
DROP INDEX owed_no_more;
CREATE INDEX outbox_by_time      ON outbox (due)       WHERE closed IS NULL;
CREATE INDEX outbox_by_game      ON outbox (game)      WHERE closed IS NULL AND game IS NOT NULL;
CREATE INDEX outbox_by_challenge ON outbox (challenge) WHERE closed IS NULL AND challenge IS NOT NULL;
CREATE INDEX outbox_closed       ON outbox (closed)    WHERE closed IS NOT NULL;
CREATE INDEX outbox_by_reminded  ON outbox (reminds)   WHERE reminds IS NOT NULL;

ALTER TABLE posts RENAME COLUMN owed TO outbox;

-- Whether a rematch of this game has begun. Then its last post needs no buttons.
ALTER TABLE games ADD COLUMN rematched INTEGER NOT NULL DEFAULT 0 CHECK (rematched IN (0, 1));
UPDATE games SET rematched = 1 WHERE json_extract(offers, '$.rematched') = 1;
