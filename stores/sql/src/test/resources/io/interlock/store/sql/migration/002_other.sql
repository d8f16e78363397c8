CREATE TABLE ${schema}.${prefix}other (
@sqlite id ${number} ${default 7}
@mysql id for another database
);
INSERT INTO ${prefix}other DEFAULT VALUES;
