-- Players, challenges, games, and the messages that are owed about them.
--
-- Moments are seconds since the beginning of 1970, in UTC. Discord's numbers are unsigned and have 64 bits; SQLite's are
-- signed: they are stored bit by bit, so that the ones above 2^63 (none before the year 2084) show as negative.
--
-- What changes with every move (version, position, deadline …) is in no index: a move writes few pages.

CREATE TABLE players (
    id       INTEGER PRIMARY KEY,
    name     TEXT,              -- as last seen; none if the player was only mentioned
    name_key TEXT,              -- the name in small letters, to be found by
    CHECK ((name IS NULL) = (name_key IS NULL))
) STRICT;
CREATE INDEX players_by_name ON players (name_key) WHERE name_key IS NOT NULL;

CREATE TABLE blocks (
    player  INTEGER NOT NULL REFERENCES players (id),   -- does not want to play
    blocked INTEGER NOT NULL REFERENCES players (id),   -- with this one
    since   INTEGER NOT NULL,
    PRIMARY KEY (player, blocked),
    CHECK (player <> blocked)
) STRICT, WITHOUT ROWID;

-- The rules and the first position that games were started with: a variant that is corrected later does not change them.
-- One row for many games.
CREATE TABLE rulesets (
    id    INTEGER PRIMARY KEY,
    rules TEXT NOT NULL CHECK (json_valid(rules)),
    start TEXT NOT NULL,
    UNIQUE (rules, start)
) STRICT;

CREATE TABLE games (
    id        INTEGER PRIMARY KEY CHECK (id > 0),
    version   INTEGER NOT NULL CHECK (version >= 0),
    variant   TEXT    NOT NULL,
    layout    TEXT    NOT NULL,
    ruleset   INTEGER NOT NULL REFERENCES rulesets (id),
    attackers INTEGER NOT NULL REFERENCES players (id),
    defenders INTEGER NOT NULL REFERENCES players (id),
    pace      INTEGER CHECK (pace IN (1, 2, 3, 5, 7, 14)),          -- days a move; none: no limit
    server    INTEGER,
    channel   INTEGER NOT NULL,
    thread    INTEGER,
    began     INTEGER NOT NULL,
    changed   INTEGER NOT NULL CHECK (changed >= began),
    plies     INTEGER NOT NULL CHECK (plies >= 0),                  -- as many rows are in moves
    position  TEXT    NOT NULL,
    to_move   TEXT    NOT NULL CHECK (to_move IN ('attackers', 'defenders')),
    deadline  INTEGER NOT NULL,
    reminded  INTEGER NOT NULL CHECK (reminded IN (0, 1)),
    flagged   INTEGER,
    offers    TEXT CHECK (json_valid(offers)),                      -- none: nothing was ever offered
    -- When to look at the clock: never later than something is due, but it may be earlier. A move only makes the next
    -- thing due later, so that it can leave this, and the index, alone.
    wake_at   INTEGER,
    winner    TEXT CHECK (winner IN ('attackers', 'defenders')),
    ending    TEXT CHECK (ending IN ('king-captured', 'king-escaped', 'encirclement', 'no-moves', 'repetition', 'resigned',
                                     'agreed', 'time', 'aborted', 'never-began', 'idle', 'moderated')),
    ended     INTEGER,
    CHECK (attackers <> defenders),
    CHECK ((ending IS NULL) = (ended IS NULL)),
    CHECK ((ending IS NULL) = (wake_at IS NOT NULL)),
    CHECK (winner IS NULL OR ending IS NOT NULL)
) STRICT;
CREATE INDEX running_games_of_attackers ON games (attackers) WHERE ending IS NULL;
CREATE INDEX running_games_of_defenders ON games (defenders) WHERE ending IS NULL;
CREATE INDEX running_games_by_channel   ON games (channel)   WHERE ending IS NULL;
CREATE INDEX running_games_by_thread    ON games (thread)    WHERE ending IS NULL AND thread IS NOT NULL;
CREATE INDEX running_games_by_alarm     ON games (wake_at)   WHERE ending IS NULL;
CREATE INDEX finished_games_of_attackers ON games (attackers, ended) WHERE ending IS NOT NULL;
CREATE INDEX finished_games_of_defenders ON games (defenders, ended) WHERE ending IS NOT NULL;

CREATE TABLE moves (
    game   INTEGER NOT NULL REFERENCES games (id),
    ply    INTEGER NOT NULL CHECK (ply >= 0),
    played TEXT    NOT NULL CHECK (length(played) BETWEEN 5 AND 80),   -- such as d1-d4xd5/e4
    at     INTEGER NOT NULL,
    PRIMARY KEY (game, ply)
) STRICT, WITHOUT ROWID;

CREATE TABLE challenges (
    id         INTEGER PRIMARY KEY CHECK (id > 0),
    challenger INTEGER NOT NULL REFERENCES players (id),
    opponent   INTEGER REFERENCES players (id),                     -- none: anybody
    variant    TEXT    NOT NULL,
    layout     TEXT    NOT NULL,
    side       TEXT    NOT NULL CHECK (side IN ('attackers', 'defenders', 'random')),
    pace       INTEGER CHECK (pace IN (1, 2, 3, 5, 7, 14)),
    server     INTEGER,
    channel    INTEGER NOT NULL,
    thread     INTEGER,
    made       INTEGER NOT NULL,
    expires    INTEGER NOT NULL CHECK (expires > made),
    state      TEXT    NOT NULL CHECK (state IN ('open', 'accepted', 'declined', 'withdrawn', 'expired')),
    CHECK (challenger <> opponent)
) STRICT;
CREATE INDEX open_challenges_by_challenger ON challenges (challenger) WHERE state = 'open';
CREATE INDEX open_challenges_by_opponent   ON challenges (opponent)   WHERE state = 'open';
CREATE INDEX open_challenges_by_server     ON challenges (server)     WHERE state = 'open' AND opponent IS NULL;
CREATE INDEX open_challenges_by_end        ON challenges (expires)    WHERE state = 'open';

-- Messages that are owed: written with the change that they tell of, delivered afterwards.
CREATE TABLE owed (
    id        INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id > 0),    -- never used again: posts are told apart by it
    game      INTEGER REFERENCES games (id),
    challenge INTEGER REFERENCES challenges (id),
    server    INTEGER,
    channel   INTEGER NOT NULL,
    thread    INTEGER,
    news      TEXT    NOT NULL CHECK (json_valid(news)),
    call      INTEGER,                                              -- whom to notify
    made      INTEGER NOT NULL,
    due       INTEGER NOT NULL,                                     -- when to try, or to try again
    attempts  INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    closed    INTEGER,                                              -- when it was delivered or given up
    message   INTEGER,                                              -- what was posted
    why       TEXT,                                                 -- why it was given up
    CHECK ((game IS NULL) <> (challenge IS NULL)),
    CHECK (closed IS NOT NULL OR (message IS NULL AND why IS NULL))
) STRICT;
CREATE INDEX owed_by_time      ON owed (due)       WHERE closed IS NULL;
CREATE INDEX owed_by_game      ON owed (game)      WHERE closed IS NULL AND game IS NOT NULL;
CREATE INDEX owed_by_challenge ON owed (challenge) WHERE closed IS NULL AND challenge IS NOT NULL;
CREATE INDEX owed_no_more      ON owed (closed)    WHERE closed IS NOT NULL;

-- Requests that were done, with what they did: Discord delivers some twice. There is no index by time: old ones are
-- forgotten now and then and all at once, and every move would have to write it.
CREATE TABLE requests (
    id        INTEGER PRIMARY KEY,
    did       TEXT    NOT NULL,
    game      INTEGER REFERENCES games (id),                        -- the game that it changed or began
    challenge INTEGER REFERENCES challenges (id),                   -- the challenge that it made or answered
    at        INTEGER NOT NULL
) STRICT;
