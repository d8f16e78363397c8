-- API keys, without their secrets.
CREATE TABLE ${schema}.${prefix}access_key (
  number     INTEGER PRIMARY KEY AUTOINCREMENT,    -- the order in which they were made, which the clock is too coarse to tell
  id         TEXT    NOT NULL UNIQUE,
  tenant     TEXT    NOT NULL,
  role       TEXT    NOT NULL,
  label      TEXT    NOT NULL,
  hash       TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;
