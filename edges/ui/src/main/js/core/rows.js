// Locks, runs and records of the audit log as rows.
import { href, path } from './api.js';
import { commas, html, isClosing, keyLink, labels, labelTags, leaseLeft, lockPill, mono, muted, quoted, runLink, runPill, slashed, soft, stage, table, token } from './bits.js';
import { about, moment, since, span, tick } from './time.js';

const ORDER = ['OVERDUE', 'WAITING', 'PAUSED', 'HELD', 'FREE'];
const held = lock => lock.since ? since(lock.since) : lock.waitingSince ? 0 : -1;
const BY = {
  need: lock => ORDER.indexOf(lock.state) * 1e15 - held(lock), key: lock => lock.key, state: lock => ORDER.indexOf(lock.state),
  holder: lock => lock.holder?.holder || '', held, lease: lock => leaseLeft(lock) ?? -1, waiting: lock => lock.waiting, 
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

const who = ({ state, pause, holder }) => state === 'PAUSED' && pause ? html`by ${pause.pausedBy}<span class="sub">${quoted(pause.reason)}</span>`
  : holder ? html`${holder.holder || 'waits for a worker'}${holder.runId && html` · ${runLink(holder.runId)}`}<span class="sub">${quoted(holder.reason)}</span>` : '';
export const LOCKS = [['Key', lock => keyLink(lock.key), 'first', 'key'], ['State', lockPill, 'nw state', 'state'], ['Holder', who, 'big', 'holder'],
  ['Stage', stage], ['Held for', lock => span(since(lock.since || (lock.state === 'PAUSED' && lock.pause?.since))), 'num tn age', 'held'],
  ['Lease left', lock => html`${isClosing(lock) && 'opens within '}${span(leaseLeft(lock))}`, 'num tn age', 'lease'],
  ['Waiting', lock => lock.waiting > 0 && html`${commas(lock.waiting)}${lock.next && html`<span class="sub">next ${runLink(lock.next)}</span>`}`, 'num tn', 'waiting']];

/** The columns of runs. */
export const C = {
  run: ['Run', run => runLink(run.id), 'first'],
  key: ['Key', run => keyLink(run.key)],
  state: ['State', runPill, 'nw state'],
  job: ['Job', 'job'],
  reason: ['Reason', run => quoted(run.reason)],
  stage: ['Stage or error', run => run.state === 'RUNNING' ? stage(run) : run.error && html`<span class="nw">${mono(run.error.code)}</span>`],
  waiting: ['Waiting', run => span(since(run.submittedAt)), 'num tn age'],
  // Of several attempts a row knows only when the last one began.
  waited: ['Waited', run => run.attempt > 1 ? '' : span(since(run.submittedAt, run.startedAt || run.endedAt)), 'num tn'],
  took: ['Took', run => html`${span(since(run.startedAt, run.endedAt))}${run.attempt > 1 && run.startedAt && html`<span class="sub">attempt ${run.attempt}</span>`}`, 'num tn age'],
  token: ['Token', run => token(run.token), 'num'],
  submitted: ['Submitted', run => moment(run.submittedAt)],
  attempts: ['Attempts', run => run.attempt + ' of ' + run.maxAttempts, 'num tn'],
};

const starts = each => each.startsAt ? html`<b>${about(each.startsAt)}</b>` : each.restsUntil ? html`after ${moment(each.restsUntil)}` : muted(each.soon ? 'any moment' : 'no estimate');
/** The front of a line starts at any moment if the key is free, or if the holder takes longer than usual; without past runs nothing is known. */
export function placed(line) {
  const { lock, items, holderLeft } = line;
  items.forEach(each => { each.soon = each.place === 1 && !lock.pause && (!lock.holder || Boolean(holderLeft)); });
  return line;
}
/** Who has a key: its holder and for how long, or the run for which it is kept. */
export const heldBy = lock => lock.holder?.holder ? html`held by <b>${soft(lock.holder.holder)}</b> for <span class="tn age">${span(since(lock.since))}</span>` : keptFor(lock);
export const keptFor = lock => lock.holder ? html`kept for run ${runLink(lock.holder.runId)}, which waits for a worker` : '';

/** The columns of the line of a key. */
export const LINE = [['#', 'place', 'place tn'], ['Run', each => runLink(each.id), 'first'], ['By', 'submittedBy'], ['Labels', each => labels(each) && html`<span title=${labels(each)}>${labelTags(each)}</span>`, 'labels'], ['Waiting since', each => moment(each.waitingSince, undefined, true), 'num tn'],
  ['For', each => span(since(each.waitingSince)), 'num tn age'], ['Starts', starts, 'num tn']];

/** What a record is about: a key, all keys with a prefix, or an API key, which has no lock. */
const subject = ({ key }) => key.startsWith('access-key/') ? mono(soft(key)) : key.endsWith('*') ? html`<a class="mono key" href=${href(path('locks', { key }))}>${slashed(key)}</a>` : keyLink(key);
/** What a user did by hand stands out among what workers and rules do all the time. */
const ACTS = /^(evicted|paused|resumed|redriven|discarded|moved-to-front|stop-requested|key-.*|refused|sign-in-refused)$/;
/** The columns of the audit log. Its times are absolute: they are compared with other logs. */
const A = {
  when: ['When', each => moment(each.at, undefined, true), 'first nw'],
  who: ['Who', 'actor', 'wide'],
  what: ['What', each => html`${ACTS.test(each.action) ? html`<b>${each.action}</b>` : each.action} ${muted([each.before, each.after].filter(word => word).join(' → '))}`, 'nw'],
  key: ['Key', subject],
  run: ['Run', each => runLink(each.run)],
  token: ['Token', each => token(each.token), 'num'],
  why: ['Why', each => html`<span class="clamp" title=${each.reason}>${soft(each.reason || '')}</span>`],
};
export const auditColumns = (...also) => ['when', 'who', 'what', ...also, 'token', 'why'].map(name => A[name]);
export const runTable = (name, columns, runs) => table(name, columns, runs, run => run.id);
export const auditTable = (records, ...also) => records.length ? table('Audit', auditColumns(...also), records, each => each.sequence) : html`<p class="muted pad0">No records.</p>`;
