-- From version 1 to 2: several runs share a limit on cost.
-- What runs that share a limit on cost have taken of it, in whole millionths of a millionth of a US dollar.
CREATE TABLE purses (
    purse text NOT NULL,   -- the name that they share
    run   text NOT NULL,   -- empty: all that have ended in peace
    taken bigint NOT NULL, -- what a run that died has taken counts as spent
    spent bigint NOT NULL, -- of that, as far as the run has said
    PRIMARY KEY (purse, run)
);
