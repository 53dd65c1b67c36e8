-- The table of messages is called outbox, and has a column for everything that SQL asks about, so that no statement has to
-- read the JSON of a body.
--
-- The keys and tags inside the bodies are renamed as in the program. In JSON, a quotation mark inside of a text is escaped,
-- so these replacements change no text of a player. A body that is no JSON stays as it is: the program reports it as
-- unreadable.

ALTER TABLE owed RENAME TO outbox;
ALTER TABLE outbox RENAME COLUMN news TO body;
ALTER TABLE outbox RENAME COLUMN call TO ping;
-- The player whom a reminder is for. It is deleted when the player is forgotten.
ALTER TABLE outbox ADD COLUMN reminds INTEGER;

-- Which message answered a request.
-- Without the index, each request would search the whole outbox.
CREATE INDEX outbox_by_request ON outbox (request);
CREATE TABLE handled_requests AS
    SELECT id, (SELECT min(outbox.id) FROM outbox WHERE outbox.request = requests.id AND outbox.body = requests.did)
        AS outbox, at
    FROM requests;
DROP INDEX outbox_by_request;
-- Not renamed into its place: SQLite renames nothing while a view refers to a table that is missing, and the database may
-- have views that somebody added.
DROP TABLE requests;
CREATE TABLE requests (
    id     INTEGER PRIMARY KEY,
    outbox INTEGER,                                                 -- NULL: it was deleted before this migration
    at     INTEGER NOT NULL
) STRICT;
INSERT INTO requests (id, outbox, at) SELECT id, outbox, at FROM handled_requests;
DROP TABLE handled_requests;

-- The number of a former player is no integer in JSON, and that of a damaged row may be anything.
UPDATE outbox SET reminds = json_extract(body, '$.game.news[0].player')
    WHERE CASE WHEN json_valid(body) THEN json_extract(body, '$.game.news[0].news') = 'reminder'
        AND typeof(json_extract(body, '$.game.news[0].player')) = 'integer' END;
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

-- Whether a rematch of this game has begun. Then the last post about it needs no buttons.
ALTER TABLE games ADD COLUMN rematched INTEGER NOT NULL DEFAULT 0 CHECK (rematched IN (0, 1));
UPDATE games SET rematched = 1
    WHERE CASE WHEN json_valid(offers) THEN json_extract(offers, '$.rematched') = 1 END;
