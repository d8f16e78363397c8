import assert from "node:assert/strict";
import test from "node:test";
import { AccessDenied, ApiError, Client, LockHeld, NotFound, PermanentFailure, UnknownJob } from "../index.js";
import { api, key, otherProgram, until } from "../test-support/support.js";

const client = new Client();

// No two tests share a job: a claim of an earlier worker may still be under way.
function work(context, handlers) {
  const worker = client.worker(handlers, { slots: 2 });
  void worker.run();
  context.after(() => void worker.stop());
}

const waiting = async (name) => (await api("GET", `/locks?key=${encodeURIComponent(name)}`)).items[0]?.waiting ?? 0;

test("a worker does runs and returns results", async (context) => {
  work(context, { "typescript-double": (run) => ({ doubled: 2 * run.parameters.n }) });
  const runs = await Promise.all(
    [0, 1, 2, 3, 4].map((n) => client.submit(key("double"), "typescript-double", { parameters: { n } })),
  );
  const ended = await Promise.all(runs.map((run) => run.wait(60)));
  assert.deepEqual(
    ended.map((run) => [run.state, run.result.doubled]),
    [0, 2, 4, 6, 8].map((n) => ["SUCCEEDED", n]),
  );
});

test("a failure is tried again, and a permanent one is not", async (context) => {
  const attempts = [];
  work(context, {
    "typescript-fail": (run) => {
      attempts.push(run.key);
      if (run.key.includes("permanent")) {
        throw new PermanentFailure("no such file", "NO_FILE");
      }
      if (run.attempt === 1) {
        throw new RangeError("try again");
      }
    },
  });
  const passing = await (await client.submit(key("passing"), "typescript-fail")).wait(60);
  assert.equal(passing.state, "SUCCEEDED");
  const permanent = await (await client.submit(key("permanent"), "typescript-fail")).wait(60);
  assert.equal(permanent.error.code, "NO_FILE");
  assert.equal(attempts.filter((each) => each.includes("permanent")).length, 1);
});

test("a report that is refused costs no lease", async () => {
  const result = await client.execute(key("own"), { job: "typescript-own" }, async (work) => {
    work.progress(3, 2);
    await work.stage("x".repeat(1000));
    const before = work._confirmed;
    await until(() => work._confirmed !== before, "a renewal");
    work.progress(1n, 2n);
    await work.stage("load");
    assert.equal((await client.run(work.runId)).facts.stage, "load");
    return "done";
  });
  assert.equal(result, "done");
});

test("a result that cannot be kept ends the run", async () => {
  for (const [result, error] of [
    [1n, TypeError],
    ["x".repeat(70_000), ApiError],
  ]) {
    let runId;
    await assert.rejects(
      client.execute(key("own"), { job: "typescript-own" }, (work) => {
        runId = work.runId;
        return result;
      }),
      error,
    );
    const ended = await client.run(runId);
    assert.deepEqual([ended.state, ended.error.code], ["FAILED", "UNTELLABLE"]);
  }
});

test("what a request without an answer took counts from that request", async (context) => {
  const real = globalThis.fetch;
  let lost;
  context.mock.method(globalThis, "fetch", async (url, request) => {
    const response = await real(url, request);
    if (String(url).endsWith("/claims") && String(request.body).includes("typescript-told-again") && !lost) {
      lost = performance.now();
      throw new TypeError("the answer was lost");
    }
    return response;
  });
  const run = await client.submit(key("told-again"), "typescript-told-again");
  let confirmed;
  work(context, {
    "typescript-told-again": (held) => {
      confirmed = held._confirmed;
    },
  });
  assert.equal((await run.wait(60)).state, "SUCCEEDED");
  assert.ok(confirmed.steady <= lost);
});

test("a cancelled run stops its work by the signal", async (context) => {
  let begun;
  const begins = new Promise((resolve) => (begun = resolve));
  work(context, {
    "typescript-slow": (run) => {
      begun();
      return new Promise((_, reject) => run.signal.addEventListener("abort", () => reject(run.signal.reason)));
    },
  });
  const run = await client.submit(key("slow"), "typescript-slow");
  await begins;
  await run.cancel("not needed any more");
  assert.equal((await run.wait(60)).state, "ABORTED");
});

test("own work is on record with its stage and end", async () => {
  const name = key("own");
  let id;
  const result = await client.execute(name, { job: "typescript-own", parameters: { a: 1 } }, async (run) => {
    id = run.runId;
    await run.stage("load");
    run.progress(1, 2);
    const seen = await client.run(id);
    assert.deepEqual([seen.state, seen.facts.stage], ["RUNNING", "load"]);
    await assert.rejects(
      client.execute(name, { job: "typescript-own" }, () => {}),
      LockHeld,
    );
    return { rows: 3 };
  });
  assert.deepEqual(result, { rows: 3 });
  const ended = await client.run(id);
  assert.deepEqual([ended.state, ended.result], ["SUCCEEDED", { rows: 3 }]);
});

test("own work that fails is on record", async () => {
  let id;
  await assert.rejects(
    client.execute(key("own"), { job: "typescript-own" }, (run) => {
      id = run.runId;
      throw new RangeError("mine");
    }),
    RangeError,
  );
  assert.equal((await client.run(id)).error.code, "RangeError");
});

test("own work waits for its turn, and leaves the line if it does not come", async () => {
  const name = key("own");
  const done = [];
  let second;
  await client.execute(name, { job: "typescript-own" }, async () => {
    await assert.rejects(
      client.execute(name, { job: "typescript-own", wait: 0.2 }, () => {}),
      LockHeld,
    );
    await until(async () => (await waiting(name)) === 0, "the empty line");
    second = client.execute(name, { job: "typescript-own", wait: 60 }, () => void done.push("second"));
    await until(async () => (await waiting(name)) === 1, "the second run in line");
    done.push("first");
  });
  await second;
  assert.deepEqual(done, ["first", "second"]);
});

test("join finds the run under way, and a name finds the same run", async () => {
  const name = key("join");
  const first = await client.submit(name, "typescript-join");
  assert.equal((await client.join(name, "typescript-join")).id, first.id);
  const options = { idempotencyKey: name };
  const same = await client.submit(`${name}/2`, "typescript-join", options);
  assert.equal((await client.submit(`${name}/2`, "typescript-join", options)).id, same.id);
  await Promise.all([first.cancel("test is over"), same.cancel("test is over")]);
});

test("the success of another program ends no worker", async (context) => {
  const other = await otherProgram('{"status": "ok"}');
  context.after(other.close);
  const worker = new Client({ server: other.url }).worker({ "typescript-own": () => {} });
  const running = worker.run();
  await other.asked;
  await worker.stop();
  await running;
});

test("a worker stops soon however long a proxy wants it to wait", { timeout: 30_000 }, async (context) => {
  const proxy = await otherProgram("<html>Back soon</html>", 503, { "retry-after": "3600" });
  context.after(proxy.close);
  const worker = new Client({ server: proxy.url }).worker({ "typescript-own": () => {} });
  void worker.run();
  await proxy.asked;
  await worker.stop();
});

test("a worker stops though the server is away, and says when it is refused", async () => {
  const away = new Client({ server: "http://127.0.0.1:1" }).worker({ "typescript-own": () => {} });
  const running = away.run();
  await away.stop();
  await running;
  const refused = new Client({ apiKey: "wrong" }).worker({ "typescript-own": () => {} });
  await assert.rejects(refused.run(), AccessDenied);
});

test("what is not there is named", async () => {
  await assert.rejects(client.submit(key(), "no-such-job"), UnknownJob);
  await assert.rejects(client.run("019a8c1e-0000-7000-8000-000000000001"), NotFound);
  await assert.rejects(client.submit(key(), "typescript-own", { on_conflict: "JOIN" }), /onConflict/);
});
