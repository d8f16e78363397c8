/** One execution per key at a time, across processes and machines. All durations are seconds. */

export class InterlockError extends Error {}
/** The server could not be reached, or could not answer now. Every request may be repeated. */
export class Unavailable extends InterlockError {}
/** The lease has ended or could not be confirmed in time. Another holder may work now: stop, and do not write any more. */
export class LeaseLost extends InterlockError {}
/** An operator or a newer run asked this run to stop. */
export class Cancelled extends InterlockError {}
/** Throw this in a handler if another attempt would fail as well: the run is not tried again. */
export class PermanentFailure extends InterlockError {
  constructor(message: string, code?: string);
  readonly code: string;
}
/** The server refused a request; `code` is the problem code of its documentation. */
export class ApiError extends InterlockError {
  constructor(status: number, problem: Record<string, unknown>);
  readonly status: number;
  readonly code: string;
  readonly problem: Record<string, unknown>;
  /** By what the server's log and audit log know the request. */
  readonly requestId?: string;
}
export interface Holder {
  runId: string | null;
  holder: string | null;
  since: string | null;
  stage: string | null;
  alive: boolean;
}
/** Another holder has the key. */
export class LockHeld extends ApiError {
  readonly holder?: Holder;
}
/** The event is being ingested: the error that ingestion code expects instead of LockHeld. */
export class IngestionInProgressError extends LockHeld {}
/** An operator paused the key. */
export class KeyPaused extends ApiError {}
/** As many runs wait for the key, or of the tenant, as may. */
export class QueueFull extends ApiError {}
/** The server has no job of this name. */
export class UnknownJob extends ApiError {}
/** There is no such run, or it belongs to another tenant. */
export class NotFound extends ApiError {}
/** The run has ended already. */
export class RunFinished extends ApiError {}
/** The API key is wrong, has expired, or its role does not allow this. */
export class AccessDenied extends ApiError {}

/** What a lease and a run have in common while this process holds them: it is renewed in the background. */
interface Held {
  readonly key: string;
  /** The fencing token: it grows with every grant of the key. Write with it, and let the target refuse smaller ones. */
  readonly token: number;
  /** Aborted when the lease is lost, with a LeaseLost as reason; that of a run also when it is to stop, with a Cancelled. */
  readonly signal: AbortSignal;
  /** For how many seconds the lease may be relied on without another renewal; 0 once it is lost. */
  readonly remaining: number;
  readonly isLost: boolean;
  /** Throws LeaseLost once the lease is lost, and Cancelled once the run is to stop. Call it before each write. */
  check(): void;
}

/** A key that this process holds: `await using lease = await client.lease("ledger/4711")`. */
export interface Lease extends Held, AsyncDisposable {
  /** Gives the key back. Throws LeaseLost if it was lost before: then the work was not protected to its end. */
  release(): Promise<void>;
}

export type ConflictPolicy = "REJECT" | "SKIP" | "JOIN" | "QUEUE" | "QUEUE_LATEST" | "REPLACE";
export type RunState =
  "QUEUED" | "PENDING" | "RUNNING" | "SUCCEEDED" | "FAILED" | "ABORTED" | "TIMED_OUT" | "DEAD" | "SKIPPED";

export interface RunOptions {
  onConflict?: ConflictPolicy;
  parameters?: Record<string, unknown>;
  priority?: number;
  labels?: Record<string, string>;
  reason?: string;
  maxWait?: number;
  lease?: number;
  maxRuntime?: number;
}

/** A run as the server last described it. */
export interface Run {
  readonly id: string;
  readonly state: RunState;
  readonly hasEnded: boolean;
  readonly result: unknown;
  readonly error?: { code: string; message?: string };
  /** All that the server said. */
  readonly facts: Record<string, unknown>;
  /** Waits until the run has ended, or the time is over; `hasEnded` says which. */
  wait(timeout?: number): Promise<this>;
  refresh(): Promise<this>;
  /** Asks the run to stop. Throws RunFinished if it has ended. */
  cancel(reason: string): Promise<void>;
}

/** A run that this process does. */
export interface Work extends Held {
  readonly runId: string;
  readonly attempt: number;
  readonly parameters: Record<string, unknown>;
  readonly traceparent?: string;
  readonly isCancelled: boolean;
  /** Names the stage that the work is at, for the callers that wait. Throws like check. */
  stage(name: string): Promise<void>;
  /** Says how far the work is; it is told with the next renewal. Throws like check. */
  progress(done: number, total?: number): void;
}

export interface Worker {
  /** Works until stop is called. Rejects if the server refuses to hand out work, as after the API key was revoked. */
  run(): Promise<void>;
  /** Takes no more work, and waits for what is under way. A claim may take 20 s to return. */
  stop(): Promise<void>;
}

export interface ClientOptions {
  /** As https://interlock.example:8080; by default from INTERLOCK_SERVER. */
  server?: string;
  /** By default from INTERLOCK_API_KEY. */
  apiKey?: string;
  /** What others see as the holder of a key; by default host and process. */
  holder?: string;
}

export interface LeaseOptions {
  /** How long to wait for the key; 0 by default. */
  wait?: number;
  /** After how long without renewal the key is free again; 30 by default. */
  ttl?: number;
  /** The subclass of LockHeld to throw. */
  held?: typeof LockHeld;
}

/** Leases and runs of one tenant on an Interlock server. */
export class Client {
  constructor(options?: ClientOptions);
  /** Takes a key. Throws LockHeld if another holder still has it after `wait`. */
  lease(key: string, options?: LeaseOptions): Promise<Lease>;
  /** Does `work` while it holds a key. Throws LeaseLost if the lease was lost meanwhile. */
  withLease<T>(key: string, options: LeaseOptions, work: (lease: Lease) => Promise<T> | T): Promise<T>;
  /** Starts a run for a worker. It starts at most one, however often the request has to be repeated. */
  submit(key: string, job: string, options?: RunOptions & { idempotencyKey?: string }): Promise<Run>;
  /** As submit, but attaches to the run under way if there is one. */
  join(key: string, job: string, options?: RunOptions): Promise<Run>;
  /** Starts a run that this process does itself; what `work` returns is its result. With `wait` it queues for its turn. */
  execute<T>(
    key: string,
    options: RunOptions & { job?: string; wait?: number },
    work: (work: Work) => Promise<T> | T,
  ): Promise<T>;
  run(id: string): Promise<Run>;
  /** Whether `token` is the one of the lease that the key has now. */
  isValid(key: string, token: number): Promise<boolean>;
  /** A worker for the jobs that `handlers` names. */
  worker(
    handlers: Record<string, (work: Work) => Promise<unknown> | unknown>,
    options?: { slots?: number; name?: string },
  ): Worker;
}
