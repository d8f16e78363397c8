import assert from "node:assert/strict";
import test from "node:test";
import {
  AccessDenied,
  ApiError,
  Client,
  IngestionInProgressError,
  InterlockError,
  LeaseLost,
  LockHeld,
  Unavailable,
} from "../index.js";
import { api, key, otherProgram, proxy, until } from "../test-support/support.js";

const client = new Client({ holder: "first" });
const other = new Client({ holder: "second" });

test("a key has one holder, and tokens grow", async () => {
  const name = key();
  const first = await client.lease(name);
  assert.equal(await client.isValid(name, first.token), true);
  await assert.rejects(other.lease(name), (refused) => refused instanceof LockHeld && refused.holder.holder === "first");
  await first.release();
  assert.equal(await client.isValid(name, first.token), false);
  const second = await other.lease(name);
  assert.ok(second.token > first.token);
  await second[Symbol.asyncDispose]();
});

test("the caller's own error class is thrown", async () => {
  const name = key();
  await client.withLease(name, {}, async () => {
    await assert.rejects(other.lease(name, { held: IngestionInProgressError }), IngestionInProgressError);
  });
});

test("a waiter gets the key when it is released", async () => {
  const name = key();
  const first = await client.lease(name);
  const waiting = other.lease(name, { wait: 30 });
  await first.release();
  const second = await waiting;
  assert.ok(second.token > first.token);
  await second.release();
});

test("a lease is renewed while the work lasts", async () => {
  const name = key();
  await client.withLease(name, { ttl: 2 }, async (lease) => {
    for (let i = 0; i < 4; i++) {
      const before = lease._confirmed;
      await until(() => lease._confirmed !== before, "a renewal");
      lease.check();
    }
    await assert.rejects(other.lease(name), LockHeld);
  });
});

test("a grant whose answer was lost counts from its first request", async (context) => {
  const real = globalThis.fetch;
  let lost;
  context.mock.method(globalThis, "fetch", async (url, request) => {
    const response = await real(url, request);
    if (!lost && String(url).endsWith("/locks/acquire")) {
      lost = performance.now();
      throw new TypeError("the answer was lost");
    }
    return response;
  });
  await client.withLease(key(), { wait: 30 }, async (lease) => assert.ok(lease._confirmed.steady <= lost));
});

test("the loss is told soon after the machine slept", async (context) => {
  const lease = await client.lease(key(), { ttl: 300 });
  const now = Date.now;
  context.mock.method(Date, "now", () => now() + 3_600_000);
  await until(() => lease.signal.aborted, "the signal");
});

test("an error of the work comes out, and the key is free", async () => {
  const name = key();
  await assert.rejects(
    client.withLease(name, {}, () => {
      throw new RangeError("mine");
    }),
    RangeError,
  );
  await (await other.lease(name)).release();
});

test("a lease taken away is lost, and its signal is aborted", async () => {
  const name = key();
  await assert.rejects(
    client.withLease(name, { ttl: 3 }, async (lease) => {
      await api("POST", "/locks/evict", { key: name, token: lease.token, reason: "test" });
      await until(() => lease.signal.aborted, "the signal");
      assert.ok(lease.signal.reason instanceof LeaseLost);
      assert.equal(lease.remaining, 0);
      assert.throws(() => lease.check(), LeaseLost);
    }),
    LeaseLost,
  );
});

test("a lease taken away between two renewals was lost", async () => {
  const name = key();
  const lease = await client.lease(name, { ttl: 60 });
  await api("POST", "/locks/evict", { key: name, token: lease.token, reason: "test" });
  await assert.rejects(lease.release(), LeaseLost);
  await (await other.lease(name)).release();
});

test("a lease that was gone when it was given back was lost", async () => {
  const name = key();
  const lease = await client.lease(name, { ttl: 60 });
  await api("POST", "/locks/release", { key: name, ...lease._proof() });
  await assert.rejects(lease.release(), (lost) => lost instanceof LeaseLost && lost.message.includes("gone"));
});

test("a release whose answer was lost is no loss", async (context) => {
  const lease = await client.lease(key());
  const real = globalThis.fetch;
  let asked = 0;
  context.mock.method(globalThis, "fetch", async (url, request) => {
    const response = await real(url, request);
    if (String(url).endsWith("/locks/release") && ++asked === 1) {
      throw new TypeError("the answer was lost");
    }
    return response;
  });
  await lease.release();
  assert.equal(asked, 2);
});

test("a lease is declared lost before the server grants again", async (context) => {
  const between = await proxy();
  context.after(() => between.close());
  const name = key();
  const events = [];
  const lease = await new Client({ server: between.url }).lease(name, { ttl: 4 });
  lease.signal.addEventListener("abort", () => events.push("lost"));
  between.cut();
  const next = await other.lease(name, { wait: 30 });
  events.push("granted");
  assert.deepEqual(events, ["lost", "granted"]);
  assert.ok(next.token > lease.token);
  await next.release();
  await assert.rejects(lease.release(), LeaseLost);
});

test("the success of another program is no answer", async (context) => {
  const pages = ["<html>Back soon</html>", "null", "[]", "", '{"status": "ok"}'].map((page) => [page, 200]);
  for (const [page, status] of [...pages, ["", 204]]) {
    const other = await otherProgram(page, status);
    context.after(other.close);
    await assert.rejects(new Client({ server: other.url }).lease(key()), Unavailable);
    const lease = await client.lease(key());
    const real = globalThis.fetch;
    const path = (url) => new URL(url).pathname;
    const replaced = context.mock.method(globalThis, "fetch", (url, request) => real(other.url + path(url), request));
    const confirmed = lease._confirmed;
    assert.equal(await lease._renew(), false);
    assert.equal(lease._confirmed, confirmed);
    replaced.mock.restore();
    await lease.release();
  }
});

test("a grant that was waited for is relied on from a renewal on", async () => {
  const name = key();
  const first = await client.lease(name, { ttl: 2 });
  const waiting = other.lease(name, { wait: 30, ttl: 2 });
  for (let i = 0; i < 5; i++) {
    const before = first._confirmed;
    await until(() => first._confirmed !== before, "a renewal");
  }
  await first.release();
  const second = await waiting;
  assert.ok(second.remaining > 0.5);
  await second.release();
});

test("wrong settings are named", async () => {
  assert.throws(() => new Client({ server: "localhost" }), /localhost/);
  assert.throws(() => new Client({ apiKey: "" }), InterlockError);
  assert.throws(() => new Client({ apiKey: "ilk\ncanary" }), (refused) => /API key/.test(refused) && !/canary/.test(refused));
  await assert.rejects(new Client({ apiKey: "wrong" }).lease(key()), AccessDenied);
  await assert.rejects(new Client({ server: "http://127.0.0.1:1" }).lease(key()), Unavailable);
  await assert.rejects(client.lease(""), (refused) => refused instanceof ApiError && refused.status === 400);
});
