// What goes on in the tenant, counted by the server; reloaded after changes, at most every two seconds.
import { look } from './api.js';
import { live } from './live.js';
import { shell } from './shell.js';
import { tick } from './time.js';

/** seen: when it was loaded; null in the other fields means that the store keeps leases only, or that nothing was loaded yet. */
export const summary = { seen: 0, at: null, locks: { HELD: 0, OVERDUE: 0, WAITING: 0, PAUSED: 0 }, runs: { QUEUED: 0, PENDING: 0, RUNNING: 0 }, deadLetters: 0, failed: 0, failuresSince: '', longestWait: null, hotKeys: [], overdue: [], unserved: [], pauses: [], attention: [] };
let due = 0;

export async function refresh() {
  const fresh = await look('summary');
  if (live.paused && summary.seen) return;
  Object.assign(summary, { longestWait: null }, fresh, { seen: tick() });
  [...summary.hotKeys, ...summary.overdue].forEach(lock => { lock.seen = summary.seen; });
  shell.draw();
}

export function stale() {
  due ||= setTimeout(() => { due = 0; refresh().catch(() => {}); }, Math.max(300, 2000 - (tick() - summary.seen)));
}

const sum = counts => Object.values(counts).reduce((total, each) => total + each, 0);
/** Figures of the navigation. */
export const totals = {
  locks: () => sum(summary.locks),
  queue: () => summary.runs.QUEUED + summary.runs.PENDING,
  dead: () => summary.deadLetters,
  failed: () => summary.failed,
  /** What needs attention, as the title of the window counts it: a pause is known to the user who made it. */
  attention: () => summary.attention.filter(each => each.kind !== 'PAUSED').length,
};
