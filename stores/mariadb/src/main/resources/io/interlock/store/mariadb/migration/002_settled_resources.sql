-- The state a resource had when no run moved it last, and since when: a run whose failure is "previous" takes it back there.
ALTER TABLE ${prefix}lease
  ADD COLUMN IF NOT EXISTS resource_settled varchar(500),
  ADD COLUMN IF NOT EXISTS resource_since bigint;
