-- From version 3 to 4: the file says which programs have brought it to its version.
CREATE TABLE history (
    version INTEGER NOT NULL UNIQUE,
    since   TEXT,  -- null where no program wrote it down
    program TEXT
) STRICT;
INSERT INTO history (version) VALUES (3);
