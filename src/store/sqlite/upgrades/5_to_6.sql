-- From version 5 to 6: replies say what they answer. Programs of version 5 write verdicts only.
ALTER TABLE replies ADD COLUMN kind TEXT NOT NULL DEFAULT 'verdict';
