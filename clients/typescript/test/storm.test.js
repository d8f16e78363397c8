import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { once } from "node:events";
import readline from "node:readline";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { key, until } from "../test-support/support.js";

/** What is written to: it refuses tokens smaller than the greatest it has seen. */
async function target(context) {
  const tokens = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (data) => (body += data));
    request.on("end", () => {
      const token = Number(body);
      const taken = token >= Math.max(0, ...tokens.slice(-1));
      if (taken) {
        tokens.push(token);
      }
      response.end(JSON.stringify({ taken }));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => server.close(() => {}) && server.closeAllConnections());
  return { tokens, url: `http://127.0.0.1:${server.address().port}` };
}

test("no writes overlap though one process is killed and one sleeps", async (context) => {
  const { tokens, url } = await target(context);
  const name = key("storm");
  const script = fileURLToPath(new URL("../test-support/storm-process.js", import.meta.url));
  const processes = [1, 2, 3].map(() => {
    const process_ = spawn(process.execPath, [script, name, url], { stdio: ["pipe", "pipe", "inherit"] });
    context.after(() => process_.kill("SIGKILL"));
    const said = [];
    readline.createInterface({ input: process_.stdout }).on("line", (line) => said.push(line));
    return { process: process_, said, is: (...words) => said.filter((line) => words.some((word) => line.startsWith(word))) };
  });
  const [killed, stopped, third] = processes;

  await until(() => processes.every((each) => each.is("granted").length > 0), "a grant of each process");
  const before = stopped.said.length;
  await until(() => stopped.said.length > before && stopped.said.at(-1).startsWith("granted"), "a grant");
  stopped.process.kill("SIGSTOP");
  killed.process.kill("SIGKILL");
  const others = third.said.length;
  await until(() => third.said.length > others + 5, "further grants of the third process");
  stopped.process.kill("SIGCONT");
  await until(() => stopped.is("lost", "refused").length > 0, "the loss noticed by the process that slept");
  for (const each of [stopped, third]) {
    each.process.stdin.write("end\n");
    await once(each.process, "exit");
  }

  assert.deepEqual(tokens, [...tokens].sort((a, b) => a - b));
  const grants = processes.flatMap((each) => each.is("granted")).map((line) => line.split(" ")[1]);
  assert.equal(new Set(grants).size, grants.length, "a token was granted twice");
  assert.deepEqual(
    processes.flatMap((each) => each.said).filter((line) => line.includes("LIVE")),
    [],
    "a refused write under a lease that counted as live",
  );
  context.diagnostic(`storm: ${grants.length} grants, ${tokens.length} writes, 0 overlaps`);
});
