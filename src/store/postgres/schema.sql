-- The reply store of tooljudge on PostgreSQL, version 3. The tables lie in a schema of their own; `psql` shows them as they are.
-- In texts of models a NUL character, which PostgreSQL cannot hold, is written as U+FDD0 0, and U+FDD0 as U+FDD0 U+FDD0.

-- One row per answered question to a judge, and per turn of an agent.
CREATE TABLE replies (
    id                bigint GENERATED ALWAYS AS IDENTITY,
    fingerprint       uuid PRIMARY KEY,      -- 16 bytes; hash of endpoint, model, parameters, and of rails, prompt and replicate,
                                             -- or of tools, dialogue and repeat
    run               text NOT NULL,         -- the run that paid for it
    text              text NOT NULL,         -- the answer as it came; of a turn, the provider's message as JSON
    stop              text NOT NULL,         -- finished, truncated, refused or filtered
    prompt_tokens     bigint,                -- as the provider counts them; null where it does not say
    cached_tokens     bigint,                -- of these, those read from the provider's prompt cache
    completion_tokens bigint,
    model             text,                  -- the model that says it answered
    latency_ms        bigint NOT NULL,       -- of the attempt that succeeded
    attempts          bigint NOT NULL,       -- requests sent, the failed ones included
    adapted           text NOT NULL,         -- JSON array: what was sent otherwise than requested
    probabilities     text NOT NULL,         -- JSON array of [rail, probability] pairs, from token probabilities
    cost_usd          double precision,      -- at the prices of the day; null where none is known
    prompt            text,                  -- only with --keep-prompts; of a turn, the dialogue as JSON
    answered_at       timestamptz NOT NULL,
    checksum          bytea NOT NULL,        -- 16 bytes over the columns above but id, prompt and answered_at, and kind
    kind              text NOT NULL          -- verdict or turn
);

-- The last failure of a question that has no answer; the next run asks it again.
CREATE TABLE failures (
    fingerprint uuid PRIMARY KEY,
    run         text NOT NULL,
    code        text NOT NULL,
    message     text NOT NULL,
    attempts    bigint NOT NULL,
    failed_at   timestamptz NOT NULL
);

-- What was paid for answers that were of no use, where the question has no reply that bears it.
CREATE TABLE wasted (
    run               text NOT NULL,         -- the run that paid for it
    number            bigint NOT NULL,       -- the run's own count, so that what is sent twice is kept once
    fingerprint       uuid NOT NULL,
    prompt_tokens     bigint,                -- as the provider counts them; null where it does not say
    completion_tokens bigint,
    cost_usd          double precision,      -- at the prices of the day; null where none is known
    paid_at           timestamptz NOT NULL,
    PRIMARY KEY (run, number)
);
CREATE INDEX wasted_of ON wasted (fingerprint, run);

-- Who is asking what right now, so that two runs never pay for one question twice. What lives for seconds need not outlive a crash of
-- the server: each run puts its own claims back when it is connected again.
CREATE UNLOGGED TABLE claims (
    fingerprint uuid PRIMARY KEY,
    claimant    text NOT NULL,               -- a run
    lease_until timestamptz NOT NULL         -- by the server's clock; a claim that is not renewed by then is void
);

-- Which runs are asking which model right now, so that they share its limits.
CREATE UNLOGGED TABLE askers (
    endpoint    text NOT NULL,
    model       text NOT NULL,
    run         text NOT NULL,
    lease_until timestamptz NOT NULL,        -- as above
    PRIMARY KEY (endpoint, model, run)
);

-- What an endpoint turned out not to support, so that it is found out once.
CREATE TABLE adaptations (
    endpoint   text NOT NULL,
    model      text NOT NULL,
    adaptation text NOT NULL,                -- such as rail:text or without:temperature
    learnt_at  timestamptz NOT NULL,
    PRIMARY KEY (endpoint, model, adaptation)
);

-- What was run, with which settings, and what came of it.
CREATE TABLE runs (
    id          text PRIMARY KEY,
    started_at  timestamptz NOT NULL,
    finished_at timestamptz,
    manifest    text NOT NULL                -- JSON
);

-- What runs that share a limit on cost have taken of it, in whole millionths of a millionth of a US dollar.
CREATE TABLE purses (
    purse text NOT NULL,   -- the name that they share
    run   text NOT NULL,   -- empty: all that have ended in peace
    taken bigint NOT NULL, -- what a run that died has taken counts as spent
    spent bigint NOT NULL, -- of that, as far as the run has said
    PRIMARY KEY (purse, run)
);

-- Which parts of a rate limit runs have reserved, so that they share it: on the line of its time, blocks of which no two meet.
CREATE UNLOGGED TABLE grants (
    endpoint text NOT NULL,
    model    text NOT NULL,
    run      text NOT NULL,
    number   bigint NOT NULL, -- the run's own count, so that what is asked for twice is reserved once
    asked    bigint NOT NULL, -- microseconds since 1970, as the next two; where it lies in the future, the clock was set back
    starts   bigint NOT NULL,
    ends     bigint NOT NULL,
    PRIMARY KEY (endpoint, model, run, number)
);

-- Which endpoints want to be left alone, as any run was told.
CREATE UNLOGGED TABLE pauses (
    endpoint text NOT NULL,
    model    text NOT NULL,
    since    bigint NOT NULL, -- microseconds since 1970
    until    bigint NOT NULL,
    PRIMARY KEY (endpoint, model)
);

-- Which programs have brought the tables to which version.
CREATE TABLE history (
    version bigint PRIMARY KEY,
    since   timestamptz NOT NULL,
    program text NOT NULL
);
