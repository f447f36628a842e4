-- From version 6 to 7: several runs share a limit on cost.
-- What runs that share a limit on cost have taken of it, in whole millionths of a millionth of a US dollar.
CREATE TABLE purses (
    purse TEXT NOT NULL,    -- the name that they share
    run   TEXT NOT NULL,    -- empty: all that have ended in peace
    taken INTEGER NOT NULL, -- what a run that died has taken counts as spent
    spent INTEGER NOT NULL, -- of that, as far as the run has said
    PRIMARY KEY (purse, run)
) STRICT, WITHOUT ROWID;
