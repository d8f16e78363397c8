// What the tests share. They need a server: INTERLOCK_SERVER, INTERLOCK_API_KEY (an admin's), with the jobs of interlock.yaml.

import http from "node:http";
import net from "node:net";
import { randomUUID } from "node:crypto";

const SOON = 30_000;

/** A key that no other test uses. */
export const key = (name = "test") => `typescript/${name}/${randomUUID().slice(0, 8)}`;

/** Waits for an event, with a limit that is only reached by a failure. */
export async function until(condition, what) {
  const limit = performance.now() + SOON;
  while (!(await condition())) {
    if (performance.now() > limit) {
      throw new Error(`${what} did not come about in ${SOON} ms`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function api(method, path, body) {
  const response = await fetch(`${process.env.INTERLOCK_SERVER}/api/v1${path}`, {
    method,
    headers: { "x-api-key": process.env.INTERLOCK_API_KEY, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  return response.status === 204 ? {} : response.json();
}

/** Answers every request with a page, as a proxy in front of a server that is away may do. */
export async function otherProgram(page, status = 200, headers = {}) {
  let asked;
  const first = new Promise((resolve) => (asked = resolve));
  const server = http.createServer((request, response) =>
    request.resume().on("end", () => response.writeHead(status, headers).end(page, asked)),
  );
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    asked: first,
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Between client and server; after `cut` nothing gets through, and neither side is told. */
export async function proxy() {
  const { hostname, port } = new URL(process.env.INTERLOCK_SERVER);
  let cut = false;
  const sockets = [];
  const server = net.createServer((here) => {
    const there = net.connect(Number(port), hostname);
    sockets.push(here, there);
    for (const [source, target] of [
      [here, there],
      [there, here],
    ]) {
      source.on("data", (data) => cut || target.write(data));
      source.on("close", () => target.destroy());
      source.on("error", () => {});
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    cut: () => (cut = true),
    close: () => {
      sockets.forEach((socket) => socket.destroy());
      server.close();
    },
  };
}
