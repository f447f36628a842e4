-- The reply store of tooljudge, version 8. Open it with any SQLite tool; times are RFC 3339 in UTC.

-- One row per answered question to a judge, and per turn of an agent.
CREATE TABLE replies (
    id                INTEGER PRIMARY KEY,
    fingerprint       BLOB NOT NULL UNIQUE, -- 16 bytes; hash of endpoint, model, parameters, and of rails, prompt and replicate,
                                            -- or of tools, dialogue and repeat
    run               TEXT NOT NULL,        -- the run that paid for it
    text              TEXT NOT NULL,        -- the answer as it came; of a turn, the provider's message as JSON
    stop              TEXT NOT NULL,        -- finished, truncated, refused or filtered
    prompt_tokens     INTEGER,              -- as the provider counts them; null where it does not say
    cached_tokens     INTEGER,              -- of these, those read from the provider's prompt cache
    completion_tokens INTEGER,
    model             TEXT,                 -- the model that says it answered
    latency_ms        INTEGER NOT NULL,     -- of the attempt that succeeded
    attempts          INTEGER NOT NULL,     -- requests sent, the failed ones included
    adapted           TEXT NOT NULL,        -- JSON array: what was sent otherwise than requested
    probabilities     TEXT NOT NULL,        -- JSON array of [rail, probability] pairs, from token probabilities
    cost_usd          REAL,                 -- at the prices of the day; null where none is known
    prompt            TEXT,                 -- only with --keep-prompts; of a turn, the dialogue as JSON
    answered_at       TEXT NOT NULL,
    checksum          BLOB NOT NULL,        -- 16 bytes over kind and the columns above but id, prompt and answered_at
    kind              TEXT NOT NULL DEFAULT 'verdict' -- verdict or turn
) STRICT;

-- The last failure of a question that has no answer; the next run asks it again.
CREATE TABLE failures (
    fingerprint BLOB NOT NULL UNIQUE,
    run         TEXT NOT NULL,
    code        TEXT NOT NULL,
    message     TEXT NOT NULL,
    attempts    INTEGER NOT NULL,
    failed_at   TEXT NOT NULL
) STRICT;

-- What was paid for answers that were of no use, where the question has no reply that bears it.
CREATE TABLE wasted (
    fingerprint       BLOB NOT NULL,
    run               TEXT NOT NULL, -- the run that paid for it
    prompt_tokens     INTEGER,       -- as the provider counts them; null where it does not say
    completion_tokens INTEGER,
    cost_usd          REAL,          -- at the prices of the day; null where none is known
    paid_at           TEXT NOT NULL
) STRICT;
CREATE INDEX wasted_of ON wasted (fingerprint, run);

-- Who is asking what right now, so that two runs never pay for one question twice.
CREATE TABLE claims (
    fingerprint BLOB NOT NULL PRIMARY KEY,
    claimant    TEXT NOT NULL,    -- a run
    lease_until INTEGER NOT NULL  -- milliseconds since 1970; a claim that is not renewed by then is void
) STRICT, WITHOUT ROWID;

-- Which runs are asking which model right now, so that they share its limits.
CREATE TABLE askers (
    endpoint    TEXT NOT NULL,
    model       TEXT NOT NULL,
    run         TEXT NOT NULL,
    lease_until INTEGER NOT NULL, -- as above
    UNIQUE (endpoint, model, run)
) STRICT;

-- What an endpoint turned out not to support, so that it is found out once.
CREATE TABLE adaptations (
    endpoint   TEXT NOT NULL,
    model      TEXT NOT NULL,
    adaptation TEXT NOT NULL, -- such as rail:text or without:temperature
    learnt_at  TEXT NOT NULL,
    UNIQUE (endpoint, model, adaptation)
) STRICT;

-- What was run, with which settings, and what came of it.
CREATE TABLE runs (
    id          TEXT PRIMARY KEY,
    started_at  TEXT NOT NULL,
    finished_at TEXT,
    manifest    TEXT NOT NULL  -- JSON
) STRICT;

-- What runs that share a limit on cost have taken of it, in whole millionths of a millionth of a US dollar.
CREATE TABLE purses (
    purse TEXT NOT NULL,    -- the name that they share
    run   TEXT NOT NULL,    -- empty: all that have ended in peace
    taken INTEGER NOT NULL, -- what a run that died has taken counts as spent
    spent INTEGER NOT NULL, -- of that, as far as the run has said
    PRIMARY KEY (purse, run)
) STRICT, WITHOUT ROWID;

-- Which parts of a rate limit runs have reserved, so that they share it: on the line of its time, blocks of which no two meet.
CREATE TABLE grants (
    endpoint TEXT NOT NULL,
    model    TEXT NOT NULL,
    run      TEXT NOT NULL,
    number   INTEGER NOT NULL, -- the run's own count, so that what is asked for twice is reserved once
    asked    INTEGER NOT NULL, -- microseconds since 1970, as the next two; where it lies in the future, the clock was set back
    starts   INTEGER NOT NULL,
    ends     INTEGER NOT NULL,
    PRIMARY KEY (endpoint, model, run, number)
) STRICT, WITHOUT ROWID;

-- Which endpoints want to be left alone, as any run was told.
CREATE TABLE pauses (
    endpoint TEXT NOT NULL,
    model    TEXT NOT NULL,
    since    INTEGER NOT NULL, -- microseconds since 1970
    until    INTEGER NOT NULL,
    PRIMARY KEY (endpoint, model)
) STRICT, WITHOUT ROWID;

-- Which programs have brought the file to which version.
CREATE TABLE history (
    version INTEGER NOT NULL UNIQUE,
    since   TEXT,  -- null where no program wrote it down
    program TEXT
) STRICT;
