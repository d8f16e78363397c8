// Now: figures, what needs somebody, and who holds what.
import { count, empty, figure, html, isLost, keyLink, lockPath, mark, nothing, short, span } from '../core/bits.js';
import { get, href, may, post } from '../core/api.js';
import { act, head } from '../core/shell.js';
import { cancel, trigger } from '../core/dialogs.js';
import { locksTable, sortLocks } from '../core/locks-table.js';
import { refresh, summary } from '../core/summary.js';
import { moment, since } from '../core/time.js';

const LONG_WAIT = 5 * 60000;
const HOUR = 3600000;

/** Rows in the order in which they matter: the fact, what comes next, at most one thing to do. */
function attention(data) {
  const rows = [];
  const row = (kind, key, words, next, run, button) => rows.push({ kind, key, words, next, run, button });
  for (const run of data.lost) row('fenced', run.key, html`lost its lease ${moment(run.endedAt || run.startedAt)}`, run.error.code, run.id);
  for (const lock of summary.locks.items.filter(each => each.state === 'OVERDUE')) {
    row('overdue', lock.key, html`${lock.holder.alive ? 'takes longer than it may' : 'its lease ended without being given back'}`, lock.waiting ? lock.waiting + ' in line' : 'nobody waits', lock.holder.runId,
      lock.holder.runId && may('trigger') ? ['Cancel…', () => cancel({ id: lock.holder.runId, state: 'RUNNING' })] : null);
  }
  for (const pause of summary.locks.pauses || []) {
    const what = pause.key || pause.pattern;
    row('paused', pause.key, html`${pause.key ? '' : html`<span class="mono">${pause.pattern}</span> `}paused ${moment(pause.since)} by ${pause.pausedBy} <q>${pause.reason}</q>`, pause.until ? html`ends ${moment(pause.until)}` : 'until resumed', null,
      may('operator') ? ['Resume', () => act(what + ' is resumed', () => post('locks/resume', pause.key ? { key: what } : { pattern: what }))] : null);
  }
  const long = summary.queue.items.filter(each => since(each.submittedAt) > LONG_WAIT);
  for (const key of new Set(long.map(each => each.key))) {
    const line = long.filter(each => each.key === key);
    const first = line[line.length - 1];
    row('waiting', key, html`${line.length} wait${line.length > 1 ? '' : 's'}, the longest for ${span(since(first.submittedAt))}`, first.job, first.id, null);
  }
  for (const run of summary.dead.items.filter(each => !data.lost.includes(each)).slice(0, 5)) {
    row('fail', run.key, html`dead letter after ${run.attempt} attempt${run.attempt === 1 ? '' : 's'}: ${run.error?.code}`, moment(run.endedAt), run.id,
      may('operator') ? ['Retry', () => act('Run ' + short(run.id) + ' is tried again', () => post('runs/' + run.id + '/redrive', {}))] : null);
  }
  for (const worker of summary.workers.items.filter(each => !each.alive)) row('idle', null, html`worker <b>${worker.worker}</b> is silent since ${moment(worker.seenAt)}`, 'its runs go to others when their leases end', null);
  return rows;
}

export default {
  renews: 5000,
  title: () => 'Now',
  async load(state) {
    const [, ended, running] = await Promise.all([refresh(), get('runs?state=FAILED,ABORTED,TIMED_OUT&since=1h&limit=50'), get('runs?state=RUNNING&limit=200')]);
    state.why = new Map(running.items.map(run => [run.id, run.reason]));
    state.data = { lost: ended.items.concat(summary.dead.items.filter(run => since(run.endedAt) < HOUR)).filter(run => isLost(run.error)).slice(0, 5) };
  },
  view(state) {
    const locks = summary.locks;
    const busy = locks.items.filter(lock => lock.state !== 'FREE').map(lock => ({ ...lock, reason: state.why.get(lock.holder?.runId),
      next: lock.waiting ? summary.queue.items.findLast(run => run.key === lock.key)?.id : null }));
    const of = which => busy.filter(lock => lock.state === which).length + (locks.cursor ? '+' : '');
    const longest = Math.max(0, ...summary.queue.items.map(run => since(run.submittedAt)));
    const rows = attention(state.data);
    return html`${head({ title: 'Now', json: 'locks', cli: 'interlock locks ls', more: may('trigger') ? html`<button class="primary" @click=${() => trigger()}>Start a run…</button>` : nothing })}
    <div class="grid k5">${figure(of('HELD'), 'held', 'locks?state=HELD')}${figure(of('OVERDUE'), 'overdue', 'locks?state=OVERDUE', busy.some(lock => lock.state === 'OVERDUE'))}
      ${figure(count(summary.queue), 'waiting', 'queue')}${figure(longest ? span(longest) : '—', 'longest wait', 'queue')}${figure(count(summary.dead), 'dead letters', 'dead-letters', summary.dead.items.length)}</div>
    ${rows.length ? html`<section class="mt" aria-label="Needs attention"><h2>Needs attention <span class="muted">(${rows.length})</span></h2><ul class="card list attention">${rows.slice(0, 12).map(row => html`<li>
      <span class="sign c-${row.kind}">${mark(row.kind)}</span>${row.key ? keyLink(row.key) : nothing}<span class="what">${row.words}<span class="muted"> · ${row.next}</span></span>
      <span class="row end">${row.run ? html`<a class="button small" href=${href('runs/' + row.run)} aria-label="Open run ${short(row.run)}">Open</a>` : row.key ? html`<a class="button small" href=${href(lockPath(row.key))} aria-label="Open lock ${row.key}">Open</a>` : nothing}
      ${row.button ? html`<button class="small" @click=${row.button[1]}>${row.button[0]}</button>` : nothing}</span></li>`)}</ul></section>` : nothing}
    <section class="mt" aria-label="Active locks"><div class="row"><h2>Active locks</h2><span class="grow"></span><span class="muted">Updated ${moment(new Date(summary.at).toISOString())}</span></div>
    ${busy.length ? html`<div class="card">${locksTable('Active locks', sortLocks(busy, 'need').slice(0, 100))}</div>${locks.cursor || busy.length > 100 ? html`<p class="muted"><a href=${href('locks')}>All locks</a></p>` : nothing}
      ${busy.filter(lock => lock.waiting).slice(0, 3).map(lock => html`<p class="why">${lock.explanation}.</p>`)}`
      : html`<div class="card">${empty('Nobody holds anything', 'A key appears here as soon as something runs under it.', 'interlock run ledger/4711 -n -- sleep 60')}</div>`}</section>`;
  },
};
