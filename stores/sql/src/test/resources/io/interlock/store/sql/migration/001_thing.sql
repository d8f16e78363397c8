-- The first step of a made-up store.
CREATE TABLE ${schema}.${prefix}thing (id integer PRIMARY KEY);
