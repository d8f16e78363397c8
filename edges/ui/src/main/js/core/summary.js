// The totals in the navigation, reloaded after changes, at most every two seconds.
import { look } from './api.js';
import { live } from './live.js';
import { complete } from './rows.js';
import { shell } from './shell.js';
import { tick } from './time.js';

export const summary = { at: 0, locks: null, queue: null, dead: null, workers: null };
let due = 0;

export async function refresh() {
  const [locks, queue, dead, workers] = await Promise.all(['locks?limit=200', 'runs?state=QUEUED&limit=200', 'runs?state=DEAD&limit=200', 'workers'].map(look));
  if (live.paused && summary.at) return;
  const open = dead.items.filter(run => !run.settled);
  Object.assign(summary, { locks: complete(locks), queue, dead: { ...dead, items: open }, workers, at: tick() });
  shell.draw();
}

export function stale() {
  due ||= setTimeout(() => { due = 0; refresh().catch(() => {}); }, Math.max(300, 2000 - (tick() - summary.at)));
}
