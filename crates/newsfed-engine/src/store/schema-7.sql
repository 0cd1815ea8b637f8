-- Sources and hosts are paused, not held.
ALTER TABLE source RENAME COLUMN hold_until TO paused_until;
ALTER TABLE source RENAME COLUMN hold_reason TO pause_reason;
