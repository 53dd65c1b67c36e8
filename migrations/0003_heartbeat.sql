-- How the running bot is, in its own words, every minute or so: for `ratatosk status` and `ratatosk health`, which ask the
-- file because they are other processes.

CREATE TABLE heartbeat (
    id        INTEGER PRIMARY KEY CHECK (id = 1),                   -- there is one bot
    version   TEXT    NOT NULL,
    process   INTEGER NOT NULL,
    started   INTEGER NOT NULL,
    beat      INTEGER NOT NULL,                                     -- the last sign of life
    state     TEXT    NOT NULL CHECK (state IN ('connected', 'disconnected', 'stopped')),
    answers   INTEGER NOT NULL,                                     -- since the start
    slowest   INTEGER NOT NULL,                                     -- the slowest answer of the last hour or two, in milliseconds
    unread    INTEGER NOT NULL                                      -- events that could not be read, since the start
) STRICT;
