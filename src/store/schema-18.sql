-- Sources that move to a server are recorded before anything is done, so that what is interrupted can be
-- completed or undone.
ALTER TABLE account_moved ADD COLUMN id TEXT;     -- in sources.toml; NULL: that of the source
ALTER TABLE account_moved ADD COLUMN stream TEXT; -- its name on the server, once it leaves sources.toml
