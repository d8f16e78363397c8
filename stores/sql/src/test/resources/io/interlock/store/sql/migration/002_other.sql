CREATE TABLE ${schema}.${prefix}other (id integer PRIMARY KEY);
INSERT INTO ${prefix}other VALUES (7);
