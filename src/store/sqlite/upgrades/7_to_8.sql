-- From version 7 to 8: several runs share a rate limit by reserving parts of it.
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
