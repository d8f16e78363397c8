// One event stream per browser: the tab that gets the Web Lock reads it and notifies the others by a BroadcastChannel.
import { request, root } from './api.js';
import { standStill, tick } from './time.js';

const AMBER_AFTER = 5000;
const AGAIN_AFTER = 2000;
const NAME = 'interlock ' + root.pathname;

/** status: connecting, live, offline, expired; at: the time of the last event; waiting: changes not shown while paused. */
export const live = { status: 'connecting', at: tick(), paused: false, waiting: 0 };
/** Set by app.js: called for an event, a changed status, and a sign-in in another tab. */
export const listener = { event() {}, status() {}, again() {} };
const channel = new BroadcastChannel(NAME);
let leading = false;
let place = '';
let lost = 0;
let turn = 0;
let stop = new AbortController();

function status(next) {
  if (next === 'live') [live.at, lost] = [tick(), 0];
  if (live.status === next) return;
  live.status = next;
  standStill(next === 'offline' || next === 'expired');
  if (leading) channel.postMessage({ status: next });
  listener.status();
  // Events between the page's first load and the start of the stream are lost.
  if (next === 'live') heard('reset', {});
}

function heard(type, data) {
  live.at = tick();
  if (live.paused) hold(); else listener.event(type, data);
}

/** Counts a change that is not shown. */
export function hold() {
  live.waiting++;
  listener.status();
}

/** Reads until the stream ends: lines 'id: …', 'event: …', 'data: …', and an empty one after each event. */
async function read() {
  const answer = await request('stream', { headers: place ? { 'Last-Event-ID': place } : {}, signal: stop.signal });
  // A store that keeps leases only has no stream: pages reload periodically.
  if (answer.ok || answer.status === 501) status('live');
  if (!answer.ok) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (text + value).split('\n\n');
    text = blocks.pop();
    for (const block of blocks) {
      const { id, event: type, data = '{}' } = Object.fromEntries(block.split('\n').map(line => line.split(/: (.*)/)));
      place = id || place;
      if (type) {
        channel.postMessage({ type, data: JSON.parse(data) });
        heard(type, JSON.parse(data));
      }
    }
  }
}

async function follow() {
  const mine = ++turn;
  while (mine === turn) {
    await read().catch(() => {});
    if (mine !== turn) return;
    lost ||= tick();
    setTimeout(() => { if (mine === turn && lost && tick() - lost >= AMBER_AFTER) status('offline'); }, AMBER_AFTER);
    await new Promise(done => { setTimeout(done, AGAIN_AFTER); });
  }
}

/** Starts listening; ends with the session. */
export function start() {
  live.status = 'connecting';
  standStill(false);
  stop.abort();
  stop = new AbortController();
  channel.postMessage({ hello: true });
  if (leading) return follow();
  if (channel.onmessage) return undefined;
  channel.onmessage = ({ data: said }) => {
    if (said.hello) {
      listener.again();
      if (leading && live.status !== 'expired') channel.postMessage({ status: live.status });
    } else if (!leading && said.status) status(said.status);
    else if (!leading && said.type) heard(said.type, said.data);
  };
  if (!navigator.locks) return lead();
  return navigator.locks.request(NAME, lead);
}

/** From now on this tab reads, until it is closed. */
function lead() {
  leading = true;
  if (live.status !== 'expired') follow();
  return new Promise(() => {});
}

/** The session has ended: no more events until the next sign-in. */
export function expire() {
  turn++;
  stop.abort();
  status('expired');
}

export function pause(on) {
  const missed = live.waiting;
  Object.assign(live, { paused: on, waiting: 0 });
  listener.status();
  if (!on && missed) heard('reset', {});
}
