// The figures every page shows beside its name, read again when something changed, at most every two seconds.
import { get } from './api.js';
import { paused } from './locks-table.js';
import { shell } from './shell.js';

export const summary = { locks: null, queue: null, dead: null, workers: null, at: 0 };
let due = 0;

/** Dead letters nobody has dealt with. */
const open = page => ({ ...page, items: page.items.filter(run => !run.settled) });

export async function refresh() {
  const [locks, queue, dead, workers] = await Promise.all([
    get('locks?limit=200'), get('runs?state=QUEUED&limit=200'), get('runs?state=DEAD&limit=200'), get('workers')]);
  const seen = Date.now();
  locks.items.forEach(lock => { lock.seen = seen; });
  paused(locks);
  Object.assign(summary, { locks, queue, dead: open(dead), workers, at: seen });
  shell.draw();
}

export function stale() {
  if (!due) due = setTimeout(() => { due = 0; refresh().catch(() => {}); }, Math.max(300, 2000 - (Date.now() - summary.at)));
}
