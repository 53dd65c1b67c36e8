-- Posts that still have their buttons, what servers and players have set, and small things that the bot has to remember
-- between two starts.

CREATE TABLE posts (
    owed      INTEGER PRIMARY KEY CHECK (owed > 0),                 -- the owed message that it was; later ones are newer
    game      INTEGER REFERENCES games (id),
    challenge INTEGER REFERENCES challenges (id),
    channel   INTEGER NOT NULL,                                     -- the channel or thread where it stands
    message   INTEGER NOT NULL,
    stale     INTEGER NOT NULL CHECK (stale IN (0, 1)),             -- whether its buttons are to be taken off
    CHECK ((game IS NULL) <> (challenge IS NULL))
) STRICT;
CREATE INDEX posts_by_game      ON posts (game)      WHERE game IS NOT NULL;
CREATE INDEX posts_by_challenge ON posts (challenge) WHERE challenge IS NOT NULL;
CREATE INDEX stale_posts        ON posts (stale)     WHERE stale = 1;

CREATE TABLE notes (
    name TEXT NOT NULL PRIMARY KEY,
    note TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What those who manage a server have set; none: as usual.
CREATE TABLE servers (
    id      INTEGER PRIMARY KEY,
    theme   TEXT,
    threads INTEGER CHECK (threads IN (0, 1)),                      -- whether each game has its own thread
    pace    INTEGER CHECK (pace IN (0, 1, 2, 3, 5, 7, 14))          -- days a move if nobody says; 0: no limit
) STRICT;

-- What players have set for themselves; none: as usual.
CREATE TABLE preferences (
    player    INTEGER PRIMARY KEY,
    reminders TEXT CHECK (reminders IN ('channel', 'direct', 'off')),
    theme     TEXT,
    flipped   INTEGER CHECK (flipped IN (0, 1)),                    -- whether the board is seen from the other side
    as_text   INTEGER CHECK (as_text IN (0, 1))
) STRICT;

-- Channels, threads and servers that are gone, or that the bot is not in any more: there the clocks stand still.
CREATE TABLE gone (
    place INTEGER PRIMARY KEY,
    since INTEGER NOT NULL
) STRICT;

-- For forgetting somebody: whatever refers to the player is found without going through everything.
CREATE INDEX challenges_by_challenger ON challenges (challenger);
CREATE INDEX challenges_by_opponent   ON challenges (opponent) WHERE opponent IS NOT NULL;
CREATE INDEX blocks_by_blocked        ON blocks (blocked);
