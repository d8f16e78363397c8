/**
 * @externs
 * @fileoverview The fields of the API's answers, so that the compiler finds a misspelt one. Nothing of this is served.
 */

/** @record */ function Holder() {}
Holder.prototype.runId; Holder.prototype.holder; Holder.prototype.since; Holder.prototype.alive; Holder.prototype.reason;

/** @record */ function RunView() {}
RunView.prototype.id; RunView.prototype.key; RunView.prototype.job; RunView.prototype.state; RunView.prototype.stage; RunView.prototype.progress;
RunView.prototype.attempt; RunView.prototype.maxAttempts; RunView.prototype.priority; RunView.prototype.position; RunView.prototype.expectedWait;
RunView.prototype.waitingFor; RunView.prototype.token; RunView.prototype.submittedAt; RunView.prototype.startedAt; RunView.prototype.endedAt;
RunView.prototype.error; RunView.prototype.labels; RunView.prototype.explanation; RunView.prototype.heartbeatEvery; RunView.prototype.settled;
RunView.prototype.attempts; RunView.prototype.stages; RunView.prototype.execution; RunView.prototype.onConflict; RunView.prototype.submittedBy;
RunView.prototype.heartbeatAt; RunView.prototype.parameters; RunView.prototype.result; RunView.prototype.traceparent; RunView.prototype.output;
RunView.prototype.newRun;

/** @record */ function LockView() {}
LockView.prototype.leaseLeft; LockView.prototype.waiting; LockView.prototype.waitingSince; LockView.prototype.observedAt; LockView.prototype.pause;
LockView.prototype.pauses; LockView.prototype.refusals; LockView.prototype.minute; LockView.prototype.outcomes; LockView.prototype.releasedToken;
LockView.prototype.counts; LockView.prototype.opensAt; LockView.prototype.renewedAt; LockView.prototype.renewedEvery; LockView.prototype.evicted; LockView.prototype.by; LockView.prototype.nextRun;

/** @record */ function Line() {}
Line.prototype.lock; Line.prototype.total; Line.prototype.samples; Line.prototype.usualHold; Line.prototype.holderLeft;
Line.prototype.place; Line.prototype.restsUntil; Line.prototype.startsAt;

/** @record */ function Past() {}
Past.prototype.window; Past.prototype.step; Past.prototype.succeeded; Past.prototype.failed; Past.prototype.stopped; Past.prototype.holdP50; Past.prototype.holdP95; Past.prototype.counted;

/** @record */ function Hold() {}
Hold.prototype.from; Hold.prototype.to; Hold.prototype.lost; Hold.prototype.unknown;

/** @record */ function Pause() {}
Pause.prototype.pattern; Pause.prototype.pausedBy; Pause.prototype.until;

/** @record */ function AuditRecord() {}
AuditRecord.prototype.sequence; AuditRecord.prototype.actor; AuditRecord.prototype.before; AuditRecord.prototype.after;
AuditRecord.prototype.clean; AuditRecord.prototype.records; AuditRecord.prototype.findings; AuditRecord.prototype.sentence;

/** @record */ function WorkerView() {}
WorkerView.prototype.worker; WorkerView.prototype.remote; WorkerView.prototype.jobs; WorkerView.prototype.slots; WorkerView.prototype.busy;
WorkerView.prototype.runs; WorkerView.prototype.seenAt; WorkerView.prototype.version;

/** @record */ function Sweep() {}
Sweep.prototype.sweeps; Sweep.prototype.sweep; Sweep.prototype.skipped; Sweep.prototype.actions; Sweep.prototype.why; Sweep.prototype.nextAt; Sweep.prototype.every;

/** @record */ function JobView() {}
JobView.prototype.api; JobView.prototype.maxRuntime; JobView.prototype.lease; JobView.prototype.schedules; JobView.prototype.cron; JobView.prototype.zone; JobView.prototype.nextStart;
JobView.prototype.workers; JobView.prototype.last; JobView.prototype.week; JobView.prototype.days; JobView.prototype.maxWait;

/** @record */ function KeyView() {}
KeyView.prototype.createdAt; KeyView.prototype.expiresAt; KeyView.prototype.revokedAt; KeyView.prototype.active; KeyView.prototype.apiKey;

/** @record */ function Session() {}
Session.prototype.anyTenant; Session.prototype.csrfToken; Session.prototype.tenant; Session.prototype.tenants;
Session.prototype.provider;

/** The inputs of our forms, by name. @record */ function Fields() {}
Fields.prototype.proof; Fields.prototype.key;

/** @record */ function Summary() {}
Summary.prototype.count; Summary.prototype.lastAt; Summary.prototype.outcome; Summary.prototype.code; Summary.prototype.run; Summary.prototype.job;
Summary.prototype.gone;

/** @record */ function Found() {}
Found.prototype.keys; Found.prototype.runs; Found.prototype.holders; Found.prototype.more;

/** @record */ function FieldError() {}
FieldError.prototype.pointer; FieldError.prototype.detail;

/** Web Locks, which the compiler does not know yet. */
Navigator.prototype.locks;
