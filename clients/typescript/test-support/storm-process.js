// One process of the storm: takes the key again and again, and makes fenced writes under it, until it is told to end.
//
//     node test-support/storm-process.js KEY TARGET

import { Client, LeaseLost } from "../index.js";

const [name, target] = process.argv.slice(2);
const client = new Client();
const say = (...words) => console.log(words.join(" "));
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let over = false;
process.stdin.on("data", () => (over = true));

while (!over) {
  let token;
  try {
    await client.withLease(name, { wait: 20, ttl: 2 }, async (lease) => {
      token = lease.token;
      say("granted", token);
      for (let i = 0; i < 10; i++) {
        const { taken } = await (await fetch(target, { method: "POST", body: String(token) })).json();
        if (!taken) {
          say("refused", token, lease.isLost ? "lost" : "LIVE");
          return;
        }
        await sleep(10);
        lease.check();
      }
    });
  } catch (failure) {
    say(failure instanceof LeaseLost ? "lost" : "error", token, failure.message);
    await sleep(100);
  }
}
process.exit(0);
