// One event stream per browser: the tab that gets the Web Lock reads it and tells the others by a BroadcastChannel.
import { apiHref, get, root } from './api.js';
import { standStill } from './time.js';

const TYPES = ['queued', 'pending', 'running', 'succeeded', 'failed', 'aborted', 'timed-out', 'dead', 'submitted', 'stop-requested',
  'redriven', 'discarded'].map(type => 'run.' + type)
  .concat('resource.changed', 'lock.changed', 'lock.evicted', 'lock.paused', 'lock.resumed', 'worker.changed', 'janitor.swept', 'reset');
const AMBER_AFTER = 5000;

/** status: connecting, live, offline, expired; at: when we last heard of the server; waiting: changes not shown while paused. */
export const live = { status: 'connecting', at: Date.now(), paused: false, waiting: 0 };
const listeners = [];
const watchers = [];
const channel = 'BroadcastChannel' in window ? new BroadcastChannel('interlock ' + root.pathname) : null;
let leading = false;
let source = null;
let lost = 0;

export const onEvent = listener => listeners.push(listener);
export const onStatus = watcher => watchers.push(watcher);

function status(next, told) {
  if (next === 'live') live.at = Date.now();
  if (live.status === next) return;
  live.status = next;
  standStill(next === 'offline' || next === 'expired');
  if (leading && !told) channel?.postMessage({ status: next });
  watchers.forEach(watcher => watcher());
  // What happened between the page's first look and the stream's is told by nobody.
  if (next === 'live') heard('reset', {});
}

function heard(type, data) {
  live.at = Date.now();
  if (live.paused) {
    live.waiting++;
    watchers.forEach(watcher => watcher());
  } else {
    listeners.forEach(listener => listener(type, data));
  }
}

function open() {
  source?.close();
  source = new EventSource(apiHref('stream'));
  source.onopen = () => { lost = 0; status('live'); };
  source.onerror = () => {
    lost ||= Date.now();
    setTimeout(() => { if (lost && Date.now() - lost >= AMBER_AFTER) status('offline'); }, AMBER_AFTER + 10);
    // A stream that was refused does not try again by itself.
    if (source.readyState === EventSource.CLOSED) setTimeout(retry, 2000);
  };
  for (const type of TYPES) {
    source.addEventListener(type, event => {
      const data = event.data ? JSON.parse(event.data) : {};
      channel?.postMessage({ type, data });
      heard(type, data);
    });
  }
}

async function retry() {
  if (live.status === 'expired') return;
  try {
    await get('session');
    open();
  } catch (problem) {
    if (problem.status !== 401) setTimeout(retry, 2000);
  }
}

/** Begins to listen; ends when the session does. */
export function start() {
  live.status = 'connecting';
  if (leading) return open();
  if (!channel || !navigator.locks) {
    leading = true;
    return open();
  }
  channel.onmessage = ({ data: said }) => {
    if (said.hello) { if (leading) channel.postMessage({ status: live.status }); }
    else if (said.status) { if (!leading) status(said.status, true); }
    else if (!leading) heard(said.type, said.data);
  };
  channel.postMessage({ hello: true });
  navigator.locks.request('interlock ' + root.pathname, () => {
    leading = true;
    if (live.status !== 'expired') open();
    return new Promise(() => {});
  });
}

/** The session is over: nothing more is heard until somebody signs in. */
export function expire() {
  source?.close();
  status('expired');
}

export function pause(on) {
  live.paused = on;
  const missed = live.waiting;
  live.waiting = 0;
  watchers.forEach(watcher => watcher());
  if (!on && missed) heard('reset', {});
}
