// Locks, runs and records of the audit log as rows.
import { button, html, keyLink, leaseLeft, lockPill, mono, muted, quoted, runLink, runPill, short, stage, table } from './bits.js';
import { cancel } from './dialogs.js';
import { moment, since, span, tick } from './time.js';

const ORDER = ['OVERDUE', 'WAITING', 'PAUSED', 'HELD', 'FREE'];
const held = lock => lock.since ? since(lock.since) : lock.waitingSince ? 0 : -1;
const BY = {
  need: lock => ORDER.indexOf(lock.state) * 1e15 - held(lock), key: lock => lock.key, state: lock => ORDER.indexOf(lock.state),
  holder: lock => lock.holder?.holder || '', held, lease: lock => leaseLeft(lock) ?? -1, waiting: lock => lock.waiting, token: lock => lock.token || 0,
};
/** Sorts by a column; a '-' before its name reverses the order. */
export function sortLocks(locks, order) {
  const value = BY[order.replace('-', '')] || BY.need;
  const turn = order.startsWith('-') ? -1 : 1;
  return [...locks].sort((a, b) => turn * (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0));
}

/** A page of locks with its load time; paused keys without activity are added. */
export function complete(page, idle = true) {
  page.items.forEach(lock => { lock.seen = tick(); });
  for (const pause of idle && page.pauses || []) {
    if (pause.key && !page.items.some(lock => lock.key === pause.key)) page.items.push({ key: pause.key, state: 'PAUSED', pause, waiting: 0 });
  }
  return page;
}

const who = ({ state, pause, holder, reason }) => state === 'PAUSED' && pause ? html`by ${pause.pausedBy}<span class="sub">${quoted(pause.reason)}</span>`
  : holder ? html`${holder.holder || 'waits for a worker'}${holder.runId && html` · ${runLink(holder.runId)}`}<span class="sub">${quoted(reason)}</span>` : '';
export const LOCKS = [['Key', lock => keyLink(lock.key), 'first', 'key'], ['State', lock => lockPill(lock.state), 'nw', 'state'], ['Holder', who, 'big', 'holder'],
  ['Stage', stage], ['Held for', lock => span(since(lock.since || (lock.state === 'PAUSED' && lock.pause?.since))), 'num tn age', 'held'],
  ['Lease left', lock => span(leaseLeft(lock)), 'num tn age', 'lease'],
  ['Waiting', lock => lock.waiting > 0 && html`${lock.waiting}${lock.next && html`<span class="sub">next ${runLink(lock.next)}</span>`}`, 'num tn', 'waiting'],
  ['Token', 'token', 'num mono', 'token']];

/** The columns of runs. */
export const C = {
  run: ['Run', run => runLink(run.id), 'first'],
  key: ['Key', run => keyLink(run.key)],
  state: ['State', runPill, 'nw'],
  job: ['Job', 'job'],
  by: ['By', 'submittedBy'],
  place: ['#', 'position', 'pick'],
  priority: ['Prio', 'priority', 'num'],
  reason: ['Reason', run => quoted(run.reason)],
  stage: ['Stage', run => run.state === 'RUNNING' ? stage(run) : run.error && mono(run.error.code)],
  waiting: ['Waiting', run => span(since(run.submittedAt)), 'num tn age'],
  waited: ['Waited', run => span(since(run.submittedAt, run.startedAt || run.endedAt)), 'num tn'],
  took: ['Took', run => span(since(run.startedAt, run.endedAt)), 'num tn age'],
  token: ['Token', 'token', 'num mono'],
  submitted: ['Submitted', run => moment(run.submittedAt)],
  attempts: ['Attempts', run => run.attempt + ' of ' + run.maxAttempts, 'num tn'],
  cancel: ['Action', run => button('Cancel…', () => cancel(run), 'small', 'Cancel run ' + short(run.id)), 'num'],
};

/** The columns of the audit log. */
const A = {
  when: ['When', each => moment(each.at), 'first'],
  who: ['Who', 'actor', 'wide'],
  what: ['What', each => html`${each.action} ${muted([each.before, each.after].filter(word => word).join(' → '))}`, 'nw'],
  key: ['Key', each => keyLink(each.key)],
  run: ['Run', each => runLink(each.run)],
  token: ['Token', 'token', 'num mono'],
  why: ['Why', 'reason'],
};
export const auditColumns = (...also) => ['when', 'who', 'what', ...also, 'token', 'why'].map(name => A[name]);
export const runTable = (name, columns, runs) => table(name, columns, runs, run => run.id);
export const auditTable = (records, ...also) => records.length ? table('Audit', auditColumns(...also), records, each => each.sequence) : html`<p class="muted pad0">No records.</p>`;
