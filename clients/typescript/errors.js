// What can go wrong. A refusal is an answer and names its cause; Unavailable means that there was no clear answer.

export class InterlockError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = new.target.name;
  }
}

export class Unavailable extends InterlockError {}
export class LeaseLost extends InterlockError {}
export class Cancelled extends InterlockError {}

export class PermanentFailure extends InterlockError {
  constructor(message, code = "PERMANENT_FAILURE") {
    super(message);
    this.code = code;
  }
}

export class ApiError extends InterlockError {
  constructor(status, problem) {
    super(problem.detail ?? problem.title ?? `the server answered with status ${status}`);
    this.status = status;
    this.problem = problem;
    this.code = problem.code ?? `http-${status}`;
    this.requestId = problem.instance;
  }
}

export class LockHeld extends ApiError {
  get holder() {
    return this.problem.holder;
  }
}

export class IngestionInProgressError extends LockHeld {}
export class KeyPaused extends ApiError {}
export class QueueFull extends ApiError {}
export class UnknownJob extends ApiError {}
export class NotFound extends ApiError {}
export class RunFinished extends ApiError {}
export class AccessDenied extends ApiError {}

const BY_CODE = {
  "lock-held": LockHeld,
  "lock-delayed": LockHeld,
  "key-paused": KeyPaused,
  "queue-full": QueueFull,
  "tenant-limit": QueueFull,
  "tenant-busy": QueueFull,
  "unknown-job": UnknownJob,
  "not-found": NotFound,
  "run-finished": RunFinished,
  unauthenticated: AccessDenied,
  forbidden: AccessDenied,
};
const FOR_NOW = [429, 500, 502, 503, 504];

/** The error that an answer of the server stands for. */
export function errorOf(status, problem) {
  if (problem.code === "lease-lost") {
    return new LeaseLost(problem.detail ?? "the lease was lost");
  }
  const known = BY_CODE[problem.code];
  if (!known && FOR_NOW.includes(status)) {
    return new Unavailable(problem.detail ?? `the server answered with status ${status}`);
  }
  return new (known ?? ApiError)(status, problem);
}
