// One execution per key at a time, across processes and machines. Needs nothing but fetch. Types and documentation: index.d.ts.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import {
  ApiError,
  Cancelled,
  errorOf,
  InterlockError,
  LeaseLost,
  LockHeld,
  PermanentFailure,
  RunFinished,
  Unavailable,
} from "./errors.js";

export * from "./errors.js";

const LONGEST_WAIT = 30;
const LONGEST_REQUEST = 5;
/** A proxy may want clients to wait for longer than the server is away. */
const LONGEST_PAUSE = 5;
const NO_CONTENT = 204;
/** Timers stand still while the machine sleeps, so a deadline is looked at this often, in seconds. */
const LOOK_EVERY = 0.5;
/** A request that is refused so will be refused again. */
const REFUSED_FOR_GOOD = [400, 413, 422];
const ENDED = ["SUCCEEDED", "FAILED", "ABORTED", "TIMED_OUT", "DEAD", "SKIPPED"];

/** A moment to count from. A monotonic clock stands still while the machine sleeps, so the wall clock counts where it is ahead. */
const moment = () => ({ steady: performance.now(), wall: Date.now() });
const secondsSince = (then) => Math.max(performance.now() - then.steady, Date.now() - then.wall) / 1000;
const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** PT1M40S is 100. */
function seconds(duration, otherwise) {
  const parts = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/.exec(duration ?? "");
  if (!parts) {
    return otherwise;
  }
  const [, days, hours, minutes, rest] = parts.map((part) => Number(part ?? 0));
  return ((days * 24 + hours) * 60 + minutes) * 60 + rest;
}

const text = (duration) => `PT${Math.max(0.001, Number(duration.toFixed(3)))}S`;

class Transport {
  constructor(server, apiKey) {
    let url;
    try {
      url = new URL(server);
    } catch {
      url = undefined;
    }
    if (!url || !["http:", "https:"].includes(url.protocol)) {
      throw new InterlockError(`server '${server}' is not an address like https://interlock.example:8080`);
    }
    const key = apiKey?.trim();
    if (!key) {
      throw new InterlockError("no API key: pass apiKey, or set INTERLOCK_API_KEY");
    }
    if (!/^[ -~]+$/.test(key)) {
      throw new InterlockError("the API key has characters that no API key has");
    }
    this.base = `${url.origin}${url.pathname.replace(/\/+$/, "")}/api/v1`;
    this.headers = { "x-api-key": key, accept: "application/json" };
  }

  /**
   * One request. Throws Unavailable if no answer came: it may or may not have been carried out. `expects` is a member that each success
   * of the server has.
   */
  async send(method, path, { body, timeout = 10, headers = {}, expects } = {}) {
    const request = {
      method,
      // The API key belongs to this server alone.
      redirect: "manual",
      headers: { ...this.headers, ...headers, ...(body && { "content-type": "application/json" }) },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(Math.ceil(timeout * 1000)),
    };
    try {
      const response = await fetch(this.base + path, request);
      const answer = await response.text();
      const body = response.status === NO_CONTENT ? {} : objectOf(answer);
      // A refusal counts in any words. But a success that is not the server's, such as a page of a proxy, proves nothing.
      if (response.ok && (!body || (expects && !(expects in body)))) {
        throw new Error("another program answered");
      }
      return {
        status: response.status,
        isGood: response.ok,
        body: body ?? { detail: answer.slice(0, 200) || undefined },
        retryAfter: Math.min(LONGEST_PAUSE, Number(response.headers.get("retry-after"))) || undefined,
        // Why a lease that was given back was over before.
        lapsed: response.headers.get("x-lease-lapsed") ?? undefined,
      };
    } catch (cause) {
      throw new Unavailable(`no answer from ${this.base}: ${cause.cause?.message ?? cause.message}`, { cause });
    }
  }

  /** Repeats a request without an answer a few times: each may be repeated. */
  async insist(path, body) {
    for (let attempt = 0; ; attempt++) {
      let failure;
      try {
        const answer = await this.send("POST", path, { body, timeout: 40, expects: "state" });
        if (answer.isGood) {
          return answer;
        }
        failure = errorOf(answer.status, answer.body);
      } catch (unclear) {
        failure = unclear;
      }
      if (attempt === 3 || !(failure instanceof Unavailable)) {
        throw failure;
      }
      await sleep(0.25 * 2 ** attempt);
    }
  }
}

/** The JSON object that it is, if it is one. */
function objectOf(answer) {
  try {
    const body = JSON.parse(answer);
    return typeof body === "object" && body !== null && !Array.isArray(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

/** What a lease and a run have in common while this process holds them. */
class Held {
  #transport;
  #leaseId;
  #every;
  #reliance;
  #confirmed;
  #ended = false;
  #lost;
  #timers = [];
  #renewing;
  #abort = new AbortController();

  constructor(transport, grant, ttl, sentAt) {
    this.#transport = transport;
    this.#leaseId = grant.leaseId;
    this.token = grant.token;
    this.#every = seconds(grant.heartbeatEvery, 10);
    const lasts = ttl ?? 3 * this.#every;
    // One hundredth less for clocks of different speed, a sixth less so that the work has time to stop.
    this.#reliance = lasts * 0.99 - lasts / 6;
    this.#confirmed = sentAt;
  }

  /** Begins to renew. A grant that was waited for may be as old as the wait: it is relied on from a renewal on. */
  async _begin() {
    for (let i = 0; i < 3 && !this.#lost && secondsSince(this.#confirmed) > this.#reliance / 10; i++) {
      await this._renew();
    }
    this.#checkLease();
    this.#renewLater(this.#every);
    this.#watch();
    return this;
  }

  get signal() {
    return this.#abort.signal;
  }

  get remaining() {
    return this.#lost ? 0 : Math.max(0, this.#reliance - secondsSince(this.#confirmed));
  }

  get isLost() {
    if (this.remaining <= 0) {
      this._lose("no renewal was confirmed in time");
    }
    return this.#lost !== undefined;
  }

  check() {
    this.#checkLease();
  }

  #checkLease() {
    if (this.isLost) {
      throw this.#lost;
    }
  }

  get _confirmed() {
    return this.#confirmed;
  }

  _proof() {
    return { leaseId: this.#leaseId, token: this.token };
  }

  _lose(reason) {
    if (!this.#lost && !this.#ended) {
      this.#lost = new LeaseLost(reason);
      this.#abort.abort(this.#lost);
    }
  }

  _stop(reason) {
    if (!this.#abort.signal.aborted) {
      this.#abort.abort(reason);
    }
  }

  #later(delay, task) {
    const timer = setTimeout(() => {
      this.#timers = this.#timers.filter((each) => each !== timer);
      task();
    }, Math.max(1, delay * 1000));
    this.#timers.push(timer);
  }

  #renewLater(delay) {
    this.#later(delay, async () => {
      this.#renewing = this._renew();
      const answered = await this.#renewing;
      if (!this.#ended && !this.isLost) {
        this.#renewLater(answered ? this.#every : this.#every / 4);
      }
    });
  }

  #watch() {
    if (!this.isLost) {
      this.#later(Math.min(LOOK_EVERY, this.remaining), () => this.#ended || this.#watch());
    }
  }

  /** Whether the server answered. */
  async _renew() {
    const sentAt = moment();
    let answer;
    try {
      const timeout = Math.min(LONGEST_REQUEST, Math.max(1, this.remaining));
      const [path, body] = this._renewal();
      const request = { body: { ...this._proof(), ...body }, timeout, expects: "expiresAt" };
      answer = await this.#transport.send("POST", path, request);
    } catch {
      return false;
    }
    if (answer.isGood) {
      if (!this.#lost) {
        this.#confirmed = sentAt;
      }
      this._heard(answer.body);
      return true;
    }
    const failure = errorOf(answer.status, answer.body);
    if (failure instanceof LeaseLost) {
      this._lose(failure.message);
      return true;
    }
    if (REFUSED_FOR_GOOD.includes(answer.status) && this._dropReport()) {
      return false;
    }
    // Unless it was refused for what it carried, it ends in time, as after the API key was revoked.
    return !(failure instanceof Unavailable);
  }

  /** Forgets what the work has reported. Whether there was anything. */
  _dropReport() {
    return false;
  }

  _heard() {}

  /** Renews no more. */
  async _end() {
    this.#ended = true;
    this.#timers.forEach(clearTimeout);
    await this.#renewing;
  }

  /** Sends the end until the server answers or the lease is over. The same words get the same answer. */
  async _insist(path, body, expects) {
    for (let repeated = false; ; repeated = true) {
      let failure;
      try {
        const answer = await this.#transport.send("POST", path, { body, timeout: LONGEST_REQUEST, expects });
        if (answer.isGood) {
          // Whether the request was sent before, and may have been carried out then.
          return { ...answer, repeated };
        }
        failure = errorOf(answer.status, answer.body);
      } catch (unclear) {
        failure = unclear;
      }
      if (!(failure instanceof Unavailable) || this.remaining <= 0) {
        throw failure;
      }
      await sleep(Math.min(1, this.#every / 4));
    }
  }
}

class Lease extends Held {
  #ttl;

  constructor(transport, grant, ttl, sentAt) {
    super(transport, grant, ttl, sentAt);
    this.key = grant.key;
    this.#ttl = ttl;
  }

  async release() {
    this.check();
    await this._end();
    let answer;
    try {
      answer = await this._insist("/locks/release", { key: this.key, ...this._proof() });
    } catch (failure) {
      if (!(failure instanceof Unavailable)) {
        throw failure;
      }
      // It was held to the end of the work; the key is free when the lease expires.
      return;
    }
    const { lapsed, repeated } = answer;
    // Gone at a second try, it was most likely given back by the first, whose answer was lost.
    if (lapsed && !(lapsed === "GONE" && repeated)) {
      throw new LeaseLost(`the lease was ${lapsed.toLowerCase()} before it was given back`);
    }
  }

  async [Symbol.asyncDispose]() {
    try {
      await this.release();
    } finally {
      await this._end();
    }
  }

  _renewal() {
    return ["/locks/renew", { key: this.key, ttl: text(this.#ttl) }];
  }
}

class Run {
  #transport;

  constructor(transport, facts) {
    this.#transport = transport;
    this.facts = facts;
  }

  get id() {
    return this.facts.id;
  }

  get state() {
    return this.facts.state;
  }

  get hasEnded() {
    return ENDED.includes(this.state);
  }

  get result() {
    return this.facts.result;
  }

  get error() {
    return this.facts.error;
  }

  async wait(timeout = Infinity) {
    const began = moment();
    while (!this.hasEnded) {
      const left = Math.min(20, timeout - secondsSince(began));
      if (left <= 0) {
        break;
      }
      const headers = { prefer: `wait=${Math.max(1, Math.floor(left))}` };
      try {
        await this.#take("GET", "", { headers, timeout: left + 10 });
      } catch (failure) {
        if (!(failure instanceof Unavailable)) {
          throw failure;
        }
        await sleep(Math.min(1, left));
      }
    }
    return this;
  }

  async refresh() {
    await this.#take("GET", "");
    return this;
  }

  async cancel(reason) {
    const answer = await this.#transport.send("POST", `/runs/${this.id}/cancel`, { body: { reason }, expects: "state" });
    if (!answer.isGood) {
      throw errorOf(answer.status, answer.body);
    }
  }

  async #take(method, path, options) {
    const answer = await this.#transport.send(method, `/runs/${this.id}${path}`, { ...options, expects: "state" });
    if (!answer.isGood) {
      throw errorOf(answer.status, answer.body);
    }
    this.facts = answer.body;
  }
}

class Work extends Held {
  #report = {};
  #cancelled;

  constructor(transport, run, grant, lease, sentAt) {
    super(transport, grant, lease, sentAt);
    this.runId = run.id;
    this.key = run.key;
    this.attempt = run.attempt ?? 1;
    this.parameters = grant.parameters ?? run.parameters ?? {};
    this.traceparent = grant.traceparent;
    this.result = undefined;
  }

  get isCancelled() {
    return this.#cancelled !== undefined;
  }

  check() {
    super.check();
    if (this.#cancelled) {
      throw this.#cancelled;
    }
  }

  async stage(name) {
    this.#report.stage = String(name);
    await this._renew();
    this.check();
  }

  progress(done, total) {
    this.#report.progress = { done: Number(done), ...(total !== undefined && { total: Number(total) }) };
    this.check();
  }

  _renewal() {
    return [`/runs/${this.runId}/heartbeat`, this.#report];
  }

  _dropReport() {
    const dropped = Object.keys(this.#report).length > 0;
    this.#report = {};
    return dropped;
  }

  _heard(body) {
    if (body.cancelRequested && !this.#cancelled) {
      this.#cancelled = new Cancelled(body.cancelReason ?? "no reason given");
      this._stop(this.#cancelled);
    }
  }

  /** Tells the server how the work ended. */
  async finish(error) {
    if (Object.keys(this.#report).length > 0 && !this.isLost) {
      await this._renew();
    }
    super.check();
    await this._end();
    const body = { ...this._proof(), outcome: "SUCCEEDED", result: this.result };
    if (error !== undefined) {
      const cancelled = error instanceof Cancelled || error === this.#cancelled;
      body.outcome = cancelled ? "ABORTED" : "FAILED";
      delete body.result;
      if (!cancelled) {
        body.retryable = !(error instanceof PermanentFailure);
      }
      const code = error instanceof PermanentFailure ? error.code : (error?.name ?? "Error");
      body.error = { code: String(code).slice(0, 100), message: String(error?.message ?? error).slice(0, 4000) };
    }
    try {
      await this.#tell(body);
    } catch (refused) {
      if (!(refused instanceof TypeError) && !(refused instanceof ApiError && REFUSED_FOR_GOOD.includes(refused.status))) {
        throw refused;
      }
      // It can never be told as it is, such as a result that is no JSON. That the work has ended still counts.
      const message = `how it ended cannot be told: ${refused.message}`.slice(0, 4000);
      await this.#tell({ ...this._proof(), outcome: "FAILED", retryable: false, error: { code: "UNTELLABLE", message } });
      throw refused;
    }
  }

  async #tell(body) {
    try {
      await this._insist(`/runs/${this.runId}/finish`, body, "state");
    } catch (failure) {
      if (!(failure instanceof RunFinished)) {
        throw failure;
      }
    }
  }
}

class Worker {
  #transport;
  #handlers;
  #slots;
  #name;
  #running = new Set();
  #stopping = false;
  #loop;

  constructor(transport, handlers, slots, name) {
    if (Object.keys(handlers).length === 0 || !(slots >= 1)) {
      throw new InterlockError("a worker needs at least one handler and one slot");
    }
    this.#transport = transport;
    this.#handlers = handlers;
    this.#slots = slots;
    this.#name = name;
  }

  run() {
    return (this.#loop ??= this.#claimUntilStopped());
  }

  async stop() {
    this.#stopping = true;
    await Promise.allSettled([this.#loop, ...this.#running]);
    await Promise.allSettled(this.#running);
  }

  async #claimUntilStopped() {
    while (!this.#stopping) {
      if (this.#running.size >= this.#slots) {
        await Promise.race(this.#running);
        continue;
      }
      // The same id until there is an answer: what an unclear request took comes with the next one.
      await this.#claim({
        claimId: randomUUID(),
        worker: this.#name,
        jobs: Object.keys(this.#handlers),
        max: Math.min(100, this.#slots - this.#running.size),
        wait: "PT20S",
      });
    }
  }

  async #claim(body) {
    // What a request without an answer took comes with the next one, and its time has begun with the first.
    const sentAt = moment();
    // What an unclear claim took when the worker stops is given to others once its lease has ended.
    while (!this.#stopping) {
      let pause = 1;
      try {
        const answer = await this.#transport.send("POST", "/claims", { body, timeout: 40, expects: "items" });
        if (answer.isGood) {
          answer.body.items.forEach((item) => this.#begin(item, sentAt));
          return;
        }
        const failure = errorOf(answer.status, answer.body);
        if (!(failure instanceof Unavailable)) {
          throw failure;
        }
        pause = answer.retryAfter ?? 1;
      } catch (failure) {
        if (!(failure instanceof Unavailable)) {
          throw failure;
        }
      }
      await sleep(pause);
    }
  }

  #begin(item, sentAt) {
    const lease = seconds(item.lease, 3 * seconds(item.heartbeatEvery, 10));
    const task = perform(new Work(this.#transport, item.run, item, lease, sentAt), this.#handlers[item.run.job])
      // Told to the server already, or lost: the worker goes on.
      .catch(() => {})
      .finally(() => this.#running.delete(task));
    this.#running.add(task);
  }
}

/** Does the work of a run, and tells its end. */
async function perform(work, task) {
  await work._begin();
  try {
    work.result = (await task(work)) ?? work.result;
  } catch (failure) {
    await work.finish(failure ?? new Error("failed")).catch(() => {});
    throw failure;
  }
  await work.finish();
  return work.result;
}

const DURATIONS = ["maxWait", "lease", "maxRuntime"];
const PLAIN = ["onConflict", "parameters", "priority", "labels", "reason", "idempotencyKey"];

function optionsOf(options) {
  const body = {};
  for (const [name, value] of Object.entries(options)) {
    if (DURATIONS.includes(name)) {
      body[name] = text(value);
    } else if (PLAIN.includes(name)) {
      body[name] = value;
    } else {
      throw new TypeError(`unknown option '${name}'; there are ${[...PLAIN, ...DURATIONS].join(", ")}`);
    }
  }
  return body;
}

export class Client {
  #transport;
  #holder;

  constructor({
    server = process.env.INTERLOCK_SERVER,
    apiKey = process.env.INTERLOCK_API_KEY,
    holder = `${hostname()}/${process.pid}`,
  } = {}) {
    if (!server) {
      throw new InterlockError("no server: pass its address, or set INTERLOCK_SERVER");
    }
    this.#transport = new Transport(server, apiKey);
    this.#holder = holder;
  }

  async lease(key, { wait = 0, ttl = 30, held = LockHeld } = {}) {
    const leaseId = randomUUID();
    const began = moment();
    let unclearSince;
    for (;;) {
      const left = Math.max(0, wait - secondsSince(began));
      const waits = Math.min(left, LONGEST_WAIT);
      const body = { key, leaseId, ttl: text(ttl), holder: this.#holder, ...(waits > 0 && { wait: text(waits) }) };
      // What an earlier request without an answer was granted is told again, and its time has begun then.
      const sentAt = unclearSince ?? moment();
      let failure;
      let pause = 0.5;
      try {
        const answer = await this.#transport.send("POST", "/locks/acquire", { body, timeout: waits + 10, expects: "token" });
        if (answer.isGood) {
          return await new Lease(this.#transport, answer.body, ttl, sentAt)._begin();
        }
        failure = errorOf(answer.status, answer.body);
        pause = answer.retryAfter ?? pause;
      } catch (unclear) {
        failure = unclear;
      }
      const over = secondsSince(began) >= wait;
      if (over || !(failure instanceof LockHeld || failure instanceof Unavailable)) {
        throw failure instanceof LockHeld ? new held(failure.status, failure.problem) : failure;
      }
      if (failure instanceof Unavailable) {
        unclearSince = sentAt;
        await sleep(Math.min(pause, Math.max(0, wait - secondsSince(began))));
      }
    }
  }

  async withLease(key, options, work) {
    const lease = await this.lease(key, options);
    let result;
    try {
      result = await work(lease);
    } catch (failure) {
      await lease[Symbol.asyncDispose]().catch(() => {});
      throw failure;
    }
    await lease[Symbol.asyncDispose]();
    return result;
  }

  async submit(key, job, options = {}) {
    const body = { key, job, idempotencyKey: randomUUID(), ...optionsOf(options) };
    return new Run(this.#transport, (await this.#transport.insist("/runs", body)).body);
  }

  join(key, job, options = {}) {
    return this.submit(key, job, { ...options, onConflict: "JOIN" });
  }

  async execute(key, { job, wait, ...options }, work) {
    const leaseId = randomUUID();
    const body = {
      key,
      job,
      execution: "caller",
      leaseId,
      idempotencyKey: randomUUID(),
      onConflict: wait === undefined ? "REJECT" : "QUEUE",
      ...(wait !== undefined && { maxWait: text(wait) }),
      ...optionsOf(options),
    };
    let sentAt = moment();
    const answer = await this.#transport.insist("/runs", body);
    let run = answer.body;
    if (answer.status === 202 && wait !== undefined) {
      [sentAt, run] = await this.#awaitTurn(run, leaseId, wait);
    }
    if (!run.leaseId) {
      throw new LockHeld(409, { code: "lock-held", detail: run.explanation, holder: run.waitingFor });
    }
    const grant = { ...run, parameters: options.parameters };
    return perform(new Work(this.#transport, run, grant, options.lease, sentAt), work);
  }

  async run(id) {
    return new Run(this.#transport, { id, state: "PENDING" }).refresh();
  }

  async isValid(key, token) {
    const query = new URLSearchParams({ key, token: String(token) });
    const answer = await this.#transport.send("GET", `/locks/validate?${query}`, { expects: "valid" });
    if (!answer.isGood) {
      throw errorOf(answer.status, answer.body);
    }
    return answer.body.valid;
  }

  worker(handlers, { slots = 1, name = this.#holder } = {}) {
    return new Worker(this.#transport, handlers, slots, name);
  }

  async #awaitTurn(run, leaseId, wait) {
    const began = moment();
    for (;;) {
      const sentAt = moment();
      const left = Math.min(20, Math.max(0.001, wait - secondsSince(began)));
      const answer = await this.#transport.insist(`/runs/${run.id}/claim`, { leaseId, wait: text(left) });
      if (answer.status === 200) {
        return [sentAt, { ...run, ...answer.body }];
      }
      if (secondsSince(began) >= wait) {
        await new Run(this.#transport, run).cancel("its caller no longer waits").catch((failure) => {
          if (!(failure instanceof RunFinished)) {
            throw failure;
          }
        });
        throw new LockHeld(409, { code: "lock-held", detail: answer.body.explanation });
      }
    }
  }
}
