-- For SQLite and PostgreSQL alike. No semicolon but at the end of a statement.

CREATE TABLE IF NOT EXISTS page (
  path VARCHAR(200) NOT NULL PRIMARY KEY,
  version VARCHAR(100) NOT NULL,
  body TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS event (
  id VARCHAR(100) NOT NULL PRIMARY KEY,
  source_event_id VARCHAR(100) NOT NULL UNIQUE,
  track_id VARCHAR(100) NOT NULL,
  name VARCHAR(200) NOT NULL,
  ingest_depth VARCHAR(20) NOT NULL DEFAULT 'none' CHECK (ingest_depth IN ('none', 'laps_full')),
  last_ingested_at VARCHAR(40)
);

CREATE TABLE IF NOT EXISTS entry (
  event_id VARCHAR(100) NOT NULL REFERENCES event,
  car INTEGER NOT NULL,
  driver VARCHAR(200) NOT NULL,
  transponder BIGINT NOT NULL,
  PRIMARY KEY (event_id, car)
);

CREATE TABLE IF NOT EXISTS race (
  event_id VARCHAR(100) NOT NULL REFERENCES event,
  race INTEGER NOT NULL,
  name VARCHAR(200) NOT NULL,
  PRIMARY KEY (event_id, race)
);

CREATE TABLE IF NOT EXISTS result (
  event_id VARCHAR(100) NOT NULL,
  race INTEGER NOT NULL,
  position INTEGER NOT NULL,
  car INTEGER NOT NULL,
  laps INTEGER NOT NULL,
  millis BIGINT NOT NULL,
  PRIMARY KEY (event_id, race, position),
  FOREIGN KEY (event_id, race) REFERENCES race ON DELETE CASCADE
);

CREATE TABLE IF NOT EXISTS lap (
  event_id VARCHAR(100) NOT NULL,
  race INTEGER NOT NULL,
  car INTEGER NOT NULL,
  lap INTEGER NOT NULL,
  millis BIGINT NOT NULL,
  PRIMARY KEY (event_id, race, car, lap),
  FOREIGN KEY (event_id, race) REFERENCES race ON DELETE CASCADE
);

CREATE TABLE IF NOT EXISTS driver (
  transponder BIGINT NOT NULL PRIMARY KEY,
  name VARCHAR(200) NOT NULL
);

CREATE TABLE IF NOT EXISTS driver_match (
  event_id VARCHAR(100) NOT NULL REFERENCES event,
  car INTEGER NOT NULL,
  transponder BIGINT NOT NULL REFERENCES driver,
  status VARCHAR(20) NOT NULL CHECK (status IN ('suggested', 'confirmed')),
  PRIMARY KEY (event_id, car)
)
