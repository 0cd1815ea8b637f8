-- A confirmation that many sources leave a list applies to what was refused, and to nothing else.
-- followed_list.accept is 1 if what is in listed was confirmed.
ALTER TABLE followed_list ADD COLUMN refused BLOB;      -- hash of what was not taken over, because the user is asked
ALTER TABLE followed_list ADD COLUMN confirmed BLOB;    -- the same hash, once the user has confirmed it
UPDATE followed_list SET accept = 0;
-- A list that was damaged is asked for all of it.
UPDATE source SET etag = NULL, last_modified = NULL, validators_of = NULL, body_hash = NULL
    WHERE key IN (SELECT source FROM followed_list WHERE whole = 0);
