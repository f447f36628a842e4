-- From version 4 to 5: what was paid for answers that were of no use, where the question has no reply that bears it.
CREATE TABLE wasted (
    fingerprint       BLOB NOT NULL,
    run               TEXT NOT NULL, -- the run that paid for it
    prompt_tokens     INTEGER,       -- as the provider counts them; null where it does not say
    completion_tokens INTEGER,
    cost_usd          REAL,          -- at the prices of the day; null where none is known
    paid_at           TEXT NOT NULL
) STRICT;
CREATE INDEX wasted_of ON wasted (fingerprint, run);
