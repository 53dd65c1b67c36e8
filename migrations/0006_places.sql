-- In an old server, the first channel has the same number as the server: if it was deleted, the whole server counted as
-- gone. A place that is gone now has a kind. It was not stored before, so it is read off the games, challenges and messages
-- that are in the place; a number that is a server's as well as a channel's counts as both until Discord says which of them
-- exists, which it does at each connection.

CREATE TABLE gone_places AS
    SELECT kind, gone.place, since FROM gone JOIN (
        SELECT 'server' AS kind, server AS place FROM games
        UNION SELECT 'server', server FROM challenges
        UNION SELECT 'server', server FROM outbox
        UNION SELECT 'channel', channel FROM games
        UNION SELECT 'channel', channel FROM challenges
        UNION SELECT 'channel', channel FROM outbox
        UNION SELECT 'thread', thread FROM games
        UNION SELECT 'thread', thread FROM challenges
        UNION SELECT 'thread', thread FROM outbox
    ) AS used ON used.place = gone.place;
-- Not renamed into its place, because of views that somebody may have added.
DROP TABLE gone;
CREATE TABLE gone (
    kind  TEXT    NOT NULL CHECK (kind IN ('server', 'channel', 'thread')),
    place INTEGER NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (kind, place)
) STRICT, WITHOUT ROWID;
INSERT INTO gone (kind, place, since) SELECT kind, place, since FROM gone_places;
DROP TABLE gone_places;

-- A message waits in the outbox; what it becomes on Discord is a post.
ALTER TABLE outbox RENAME COLUMN message TO post;
ALTER TABLE posts RENAME COLUMN message TO post;
