// Locks as rows: on Now and on Locks they are the same.
import { html, keyLink, leaseLeft, lockPill, runLink, span, stage, table } from './bits.js';
import { since } from './time.js';

const ORDER = { OVERDUE: 0, WAITING: 1, PAUSED: 2, HELD: 3, FREE: 4 };
const held = lock => lock.since ? since(lock.since) : lock.waitingSince ? 0 : -1;
const by = {
  need: lock => ORDER[lock.state] * 1e15 - held(lock), key: lock => lock.key, state: lock => ORDER[lock.state], holder: lock => lock.holder?.holder || '',
  held, lease: lock => leaseLeft(lock) ?? -1, waiting: lock => lock.waiting, token: lock => lock.token || 0,
};

/** In the order of a column; a '-' before its name turns it round. */
export function sortLocks(locks, order) {
  const value = by[order.replace('-', '')] || by.need;
  const turn = order.startsWith('-') ? -1 : 1;
  return [...locks].sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    return turn * (x < y ? -1 : x > y ? 1 : 0);
  });
}

/** Adds keys that are paused while nothing goes on under them. */
export function paused(page) {
  for (const pause of page.pauses || []) {
    if (pause.key && !page.items.some(lock => lock.key === pause.key)) page.items.push({ key: pause.key, state: 'PAUSED', pause, waiting: 0 });
  }
}

export const who = lock => lock.state === 'PAUSED' && lock.pause ? html`by ${lock.pause.pausedBy} · <q>${lock.pause.reason}</q>`
  : lock.holder ? html`${lock.holder.holder || 'waits for a worker'}${lock.holder.runId ? html` · run ${runLink(lock.holder.runId)}` : ''}${lock.reason ? html`<span class="sub"><q>${lock.reason}</q></span>` : ''}` : '—';

const COLUMNS = [['Key', lock => keyLink(lock.key), 'first', 'key'], ['State', lock => lockPill(lock.state), '', 'state'], ['Holder', who, '', 'holder'],
  ['Stage', lock => stage(lock, lock.state === 'OVERDUE')],
  ['Held for', lock => span(since(lock.since || (lock.state === 'PAUSED' ? lock.pause?.since : null))), 'num tn age', 'held'],
  ['Lease left', lock => span(leaseLeft(lock)), 'num tn age', 'lease'], ['Waiting', lock => html`${lock.waiting || '—'}${lock.next ? html`<span class="sub">next ${runLink(lock.next)}</span>` : ''}`, 'num tn', 'waiting'],
  ['Token', lock => lock.token ?? '—', 'num mono', 'token']];

export const locksTable = (name, locks, sorted) => table(name, COLUMNS, locks, lock => lock.key, sorted);
