-- API keys, without their secrets.
CREATE TABLE ${schema}.${prefix}access_key (
  id         TEXT    PRIMARY KEY,
  tenant     TEXT    NOT NULL,
  role       TEXT    NOT NULL,
  label      TEXT    NOT NULL,
  hash       TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;
