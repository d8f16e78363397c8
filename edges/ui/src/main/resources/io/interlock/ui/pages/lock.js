// Lock: why it is as it is, who has it, who waits, and what went on.
import { empty, facts, html, isOver, leaseLeft, lockPill, nothing, pill, quoted, runLink, section, slashed, span, stage, table } from '../core/bits.js';
import { get, href, may, path, post } from '../core/api.js';
import { act, head, quote, shell } from '../core/shell.js';
import { evict, pauseKey, trigger } from '../core/dialogs.js';
import { auditTable, C, id } from '../core/runs-table.js';
import { lanes } from '../core/lanes.js';
import { millis, moment, since } from '../core/time.js';

const details = new Map();

/** A run with its attempts; one that is over never changes again. */
async function detailed(run) {
  const known = details.get(run.id);
  if (known && isOver(known) && known.state === run.state) return known;
  const whole = run.attempt > 1 || run.state === 'QUEUED' ? await get('runs/' + run.id).catch(() => run) : run;
  details.set(run.id, whole);
  return whole;
}

export default {
  renews: 4000,
  title: state => state.q.get('key') || 'Lock',
  async load(state) {
    const key = state.q.get('key');
    const [locks, runs, audit, all] = await Promise.all([get(path('locks', { key })), get(path('runs', { key, limit: 30 })),
      may('operator') ? get(path('audit', { key, limit: 10 })) : null, get('locks?limit=1')]);
    const queue = await Promise.all(runs.items.filter(run => run.state === 'QUEUED').slice(0, 20).map(detailed));
    const lanesOf = await Promise.all(runs.items.slice(0, 14).map(detailed));
    const pause = locks.items[0].pause || (all.pauses || []).find(each => each.key === key || (each.pattern && key.startsWith(each.pattern.slice(0, -1))));
    state.data = { lock: { ...locks.items[0], seen: Date.now() }, runs: runs.items, more: runs.cursor, lanes: lanesOf, audit, pause,
      queue: queue.sort((a, b) => (a.position || 1e9) - (b.position || 1e9)) };
  },
  ignores: (type, data, state) => type.startsWith('worker') || (data.key !== undefined && data.key !== state.q.get('key')),
  view(state) {
    const { lock, runs, queue, audit, pause, more } = state.data;
    const key = lock.key;
    const holder = lock.holder;
    const run = runs.find(each => each.id === holder?.runId);
    const resume = () => act((pause.key || pause.pattern) + ' is resumed', () => post('locks/resume', pause.key ? { key: pause.key } : { pattern: pause.pattern }));
    return html`${head({ crumb: html`<a href=${href('locks')}>Locks</a> /`, title: html`<span class="mono key">${slashed(key)}</span>`, state: html`${lockPill(lock.state)}${pause && lock.state !== 'PAUSED' ? pill('paused', 'Paused') : nothing}`,
      json: path('locks', { key }), cli: 'interlock locks show ' + quote(key),
      more: html`${may('trigger') ? html`<button @click=${() => trigger(key)}>Start a run…</button>` : nothing}${may('operator') ? html`${pause ? html`<button @click=${resume}>Resume</button>` : html`<button @click=${() => pauseKey(key)}>Pause…</button>`}
        ${lock.token && lock.since ? html`<button class="danger" @click=${() => evict(key)}>Force release…</button>` : nothing}` : nothing}` })}
    <div class="lead"><p>${lock.explanation}.</p>${queue.length ? html`<p>Next: run ${runLink(queue[0].id)}${queue[0].submittedBy ? ' of ' + queue[0].submittedBy : ''}, waiting ${span(since(queue[0].submittedAt))}${millis(queue[0].expectedWait) >= 1000 ? ', about ' + span(millis(queue[0].expectedWait)) + ' more (estimate)' : ''}.
      ${queue.length > 1 ? (queue.length - 1) + ' behind it.' : ''}</p>` : html`<p class="muted">${holder ? 'Nobody waits.' : 'Whoever asks next gets it' + (pause ? ' when the pause ends.' : '.')}</p>`}</div>
    <section class="card pad mt" aria-label="History"><h2>History</h2>${state.data.lanes.length || lock.token ? lanes(state.data.lanes, lock, lock.refusals, Math.floor(shell.width - 34)) : html`<p class="muted">Nothing has run under this key yet. Try <code class="mono">interlock run ${quote(key)} -n -- sleep 60</code></p>`}</section>
    <div class="grid k2e mt"><section class="card pad" aria-label="Holder"><h2>Holder</h2>${holder ? facts([['Holder', html`<b>${holder.holder || 'waits for a worker'}</b>`], ['Run', holder.runId ? html`${runLink(holder.runId)}${run ? ` · attempt ${run.attempt} of ${run.maxAttempts}` : ''}` : null],
        ['Token', html`<span class="mono">${lock.token ?? '—'}</span>`], ['Held for', lock.since ? html`<span class="tn age">${span(since(lock.since))}</span> since ${moment(lock.since)}` : null],
        ['Lease', lock.leaseLeft ? html`<span class="tn age">${span(leaseLeft(lock))}</span> left unless renewed` : null], ['Alive', holder.alive ? 'yes, its lease is renewed' : 'no, its lease has ended'], ['Stage', lock.stage ? stage(lock, lock.state === 'OVERDUE') : null],
        ['Job', lock.job], ['Reason', run?.reason ? quoted(run.reason) : null]]) : html`<p class="muted">Nobody has it.</p>`}</section>
    <section class="card" aria-label="Queue"><h2 class="pad0">Queue <span class="muted">${lock.waiting || ''}</span></h2>${queue.length
      ? table('Queue', [C.place, C.run, C.by, C.waiting, C.priority, C.reason, ...may('trigger') ? [C.cancel] : []], queue, id) : html`<p class="muted pad0">Nobody waits in line.</p>`}</section></div>
    ${section('Runs', html`${runs.length ? table('Runs', [C.run, C.state, C.job, C.waited, C.took, C.token, C.submitted], runs.slice(0, 10), id)
      : empty('No runs', 'Leases taken without a run leave none.', 'interlock runs submit JOB --key ' + quote(key))}${runs.length > 10 || more ? html`<p class="pad0"><a href=${href(path('runs', { key }))}>All runs of this key</a></p>` : nothing}`, 'newest first')}
    ${audit ? section('Audit', auditTable(audit.items, 'run')) : nothing}`;
  },
};
