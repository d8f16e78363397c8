-- The state a resource had when no run moved it last, and since when: a run whose failure is "previous" takes it back there.
ALTER TABLE ${schema}.${prefix}lease ADD COLUMN resource_settled text, ADD COLUMN resource_since bigint;
