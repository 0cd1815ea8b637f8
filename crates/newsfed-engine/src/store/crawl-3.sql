-- 1: there was no connection. Such rows at the end are no answers: the host may be back.
ALTER TABLE request ADD COLUMN lost INTEGER NOT NULL DEFAULT 0;
