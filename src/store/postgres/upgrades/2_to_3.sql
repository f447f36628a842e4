-- From version 2 to 3: several runs share a rate limit by reserving parts of it.
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
