// Run: why it is where it is, what it did when, and what it said.
import { facts, html, isLost, isOver, keyLink, leaseLeft, lockPath, mark, nothing, quoted, runLink, runPill, section, short, slashed, span } from '../core/bits.js';
import { get, href, may, path, post } from '../core/api.js';
import { act, head, shell } from '../core/shell.js';
import { ask, cancel, evict } from '../core/dialogs.js';
import { auditTable } from '../core/runs-table.js';
import { timeline } from '../core/timeline.js';
import { millis, moment, since } from '../core/time.js';

/** Each renewal moves the end of the lease: seen twice with different ends, there was one in between. */
function watch(state, lock) {
  const left = lock.leaseLeft ? millis(lock.leaseLeft) : null;
  if (left === null) return;
  const end = Date.now() + left;
  state.beats ||= [];
  state.length = Math.max(state.length || 0, left);
  if (state.end && end - state.end > 700) state.beats.push({ at: Math.max(Date.now() - state.length + left, state.beats[state.beats.length - 1]?.at || 0), late: false });
  state.end = end;
}

export default {
  renews: 2000,
  title: state => 'Run ' + short(state.id),
  async load(state) {
    const run = await get('runs/' + encodeURIComponent(state.id) + '?output=true');
    const [locks, jobs, audit] = await Promise.all([get(path('locks', { key: run.key })), state.jobs || get('jobs'), may('operator') ? get(path('audit', { run: run.id, limit: 100 })) : null]);
    const lock = locks.items[0];
    state.jobs = jobs;
    const mine = lock?.holder?.runId === run.id ? { ...lock, seen: Date.now() } : null;
    if (mine) watch(state, mine);
    state.data = { run, lock: mine, audit };
  },
  ignores: (type, data, state) => type.startsWith('worker') || (data.key !== undefined && data.key !== state.data?.run.key),
  view(state) {
    const { run, lock, audit } = state.data;
    const over = isOver(run);
    const left = lock ? leaseLeft(lock) : null;
    const declared = state.jobs.items.find(job => job.name === run.job)?.stages || [];
    const late = lock && run.state === 'RUNNING' && state.length && left < state.length * 0.45;
    const beats = [...state.beats || [], ...late ? [{ at: Date.now(), late: true }] : []];
    const banner = late ? html`No heartbeat for a while. The lease ends in ${span(left)}; then the key goes to the next in line and this run is fenced off.`
      : lock?.state === 'OVERDUE' ? html`It has the key for longer than it may, or its lease has ended. The janitor deals with it at its next sweep.`
      : run.state === 'QUEUED' && millis(run.expectedWait) >= 1000 ? html`Place ${run.position} in line; by past runs about ${span(millis(run.expectedWait))} more (estimate).`
      : run.state === 'PENDING' ? html`It has the key and waits for a worker that does <b>${run.job}</b>.`
      : run.settled ? html`This dead letter was ${run.settled.kind.toLowerCase()} by ${run.settled.actor}.` : null;
    const again = () => act('Run ' + short(run.id) + ' is tried again', () => post('runs/' + run.id + '/redrive', {}));
    const discard = () => ask({ title: 'Discard run ' + short(run.id) + '?', confirm: 'Discard', danger: true, fields: [{ name: 'reason', label: 'Reason', required: true }], send: ({ reason }) => post('runs/' + run.id + '/discard', { reason }), done: () => 'Discarded' });
    return html`${head({ crumb: html`<a href=${href('locks')}>Locks</a> / <a class="mono" href=${href(lockPath(run.key))}>${slashed(run.key)}</a> / Runs`, title: html`Run <span class="mono" title=${run.id}>${short(run.id)}</span>`, state: runPill(run), json: 'runs/' + run.id, cli: 'interlock runs show ' + run.id,
      more: html`${!over && may('trigger') ? html`<button @click=${() => cancel(run)}>Cancel run…</button>` : nothing}${run.state === 'DEAD' && may('operator') && !run.settled ? html`<button @click=${again}>Retry</button><button class="danger" @click=${discard}>Discard…</button>` : nothing}
        ${lock?.token && may('operator') ? html`<button class="danger" @click=${() => evict(run.key)}>Force release…</button>` : nothing}` })}
    <div class="lead"><p>${run.explanation}.</p><p class="muted">${run.attempt ? 'Attempt ' + run.attempt : 'Not begun, attempt 1'} of ${run.maxAttempts}${run.token ? html` · token <span class="mono">${run.token}</span>` : ''}${run.holder ? ' · ' + run.holder : ''}${run.startedAt ? html` · started ${moment(run.startedAt)}, waited ${span(since(run.submittedAt, run.startedAt))}` : ''}</p></div>
    ${banner ? html`<p class="banner c-${late || lock?.state === 'OVERDUE' ? 'overdue' : 'waiting'} mt">${mark(late ? 'overdue' : 'waiting')}<span>${banner}</span></p>` : nothing}
    ${run.error ? html`<p class="banner c-${isLost(run.error) ? 'fenced' : 'fail'} mt">${mark(isLost(run.error) ? 'fenced' : 'fail')}<span><b>${run.error.code}</b> ${run.error.message}</span></p>` : nothing}
    <section class="card pad mt" aria-label="Timeline"><h2>Timeline</h2>${timeline(run, declared, beats, Math.floor(shell.width - 34))}</section>
    <div class="grid k2">${section('Events', audit ? auditTable(audit.items) : html`<p class="muted pad0">Events need the role operator.</p>`)}
    <section class="card pad mt" aria-label="Facts"><h2>Facts</h2>${facts([['Key', keyLink(run.key)], ['Job', run.job], ['Reason', run.reason ? quoted(run.reason) : null], ['By', run.submittedBy], ['On conflict', run.onConflict], ['Work done by', run.execution],
      ['Lease', left === null ? null : html`<span class="tn age">${span(left)}</span> left`], ['Priority', run.priority || null], ['Labels', Object.keys(run.labels).length ? html`<span class="mono">${Object.entries(run.labels).map(([k, v]) => k + '=' + v).join(' ')}</span>` : null],
      ['Waits for', run.waitingFor?.runId ? runLink(run.waitingFor.runId) : null], ['Submitted', moment(run.submittedAt)], ['Ended', run.endedAt ? moment(run.endedAt) : null], ['Trace', run.traceparent ? html`<span class="mono">${run.traceparent}</span>` : null],
      ['Id', html`<span class="mono">${run.id}</span>`], ['Parameters', Object.keys(run.parameters || {}).length ? html`<code class="mono">${JSON.stringify(run.parameters)}</code>` : null], ['Result', run.result !== undefined ? html`<code class="mono">${JSON.stringify(run.result)}</code>` : null]])}</section></div>
    ${run.output ? section('Output', html`<pre class="mono" tabindex="0">${run.output}</pre>`, 'the end of it') : nothing}`;
  },
};
