package io.interlock.spi.run;

/** All that a store of runs keeps beside its steps. */
public interface RunBooks extends DeadLetters, AuditLog, RunNotes, RunViews, RunHistory, WorkFeed, AccessKeys {}
