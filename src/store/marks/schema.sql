-- The marks of tooljudge review, version 2. Open it with any SQLite tool; times are RFC 3339 in UTC.
-- Rows are added and never changed: the latest mark of a reviewer on a row is the one of the greatest version.

CREATE TABLE marks (
    id       INTEGER PRIMARY KEY AUTOINCREMENT, -- in the order in which they were made
    reviewer TEXT NOT NULL,
    row_key  TEXT NOT NULL,    -- hash of the row's id and of all that a judge can see of it, in hexadecimal
    row_id   TEXT,             -- the row's own id; null where the table has none
    gold     TEXT NOT NULL,    -- JSON object: column of gold to label; {} takes a mark back
    note     TEXT NOT NULL,
    version  INTEGER NOT NULL, -- of this reviewer's mark on this row, from 1
    at       TEXT NOT NULL,
    undoes   INTEGER,          -- the mark that this one takes back; null of others
    correction TEXT,           -- JSON array of the calls that should have been made; null for none. Version 1 has no such column
    UNIQUE (reviewer, row_key, version)
);

-- Rows that were picked to be marked, for all reviewers.
CREATE TABLE draws (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    table_key TEXT NOT NULL,    -- hash of the keys of all its rows, in whatever order
    round     INTEGER NOT NULL, -- among the draws of this table, from 1
    queue     TEXT NOT NULL,    -- random or unsure
    rows      TEXT NOT NULL,    -- JSON array of row keys, in the order in which they were picked
    picked_of INTEGER NOT NULL, -- rows that they were picked from
    reviewer  TEXT NOT NULL,
    at        TEXT NOT NULL,
    UNIQUE (table_key, round)
);
