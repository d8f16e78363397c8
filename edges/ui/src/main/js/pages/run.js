// Run: its explanation, its timeline and its output.
import {
  age, at, auditTable, banner, box, button, cancel, evict, facts, get, head, href, html, isOver, keyLink, labels, leaseLeft, lockPath, may, millis,
  moment, mono, now, pages, path, quoted, retry, runLink, runPill, section, sentence, settle, shell, short, since, slashed, span, tick,
} from '../core/page.js';
import { timeline } from '../core/timeline.js';

/** What happens next without action, and when. */
function next(run, lock, late) {
  const wait = millis(run.expectedWait);
  if (late) {
    return ['overdue', `Last heartbeat ${span(since(run.heartbeatAt))} ago, due every ${span(millis(run.heartbeatEvery))}. The lease ends in ${span(leaseLeft(lock))}; then the next run gets the key, and this run is fenced off.`];
  }
  if (lock?.state === 'OVERDUE') return ['overdue', 'It has exceeded its max runtime, or its lease has expired. The janitor ends it at its next sweep.'];
  if (run.state === 'QUEUED' && wait >= 1000) return ['waiting', `Place ${run.position} in the queue; about ${span(wait)} more, estimated from past runs.`];
  if (run.state === 'PENDING') return ['waiting', html`It has the key and waits for a worker for <b>${run.job}</b>.`];
  const { kind, actor, at: when, newRun } = run.settled || {};
  return kind && ['idle', html`This dead letter was ${kind} by ${actor} ${moment(when)}${newRun && html`, as run ${runLink(newRun)}`}.`];
}

const json = value => value && Object.keys(value).length > 0 && html`<code class="mono">${JSON.stringify(value)}</code>`;
const about = (run, left) => facts({
  Key: keyLink(run.key),
  Job: run.job,
  Reason: quoted(run.reason),
  By: run.submittedBy,
  'On conflict': run.onConflict,
  'Executed by': run.execution,
  Lease: left !== null && html`${age(left)} left`,
  Priority: run.priority || null,
  Labels: labels(run),
  'Waits for': runLink(run.waitingFor?.runId),
  Submitted: moment(run.submittedAt),
  Ended: moment(run.endedAt),
  Trace: run.traceparent && mono(run.traceparent),
  Id: mono(run.id),
  Parameters: json(run.parameters),
  Result: json(run.result),
});

pages.run = {
  renews: 2000,
  title: ({ id }) => 'Run ' + short(id),
  async load(state) {
    const run = await get('runs/' + state.id + '?output=true');
    const [{ items: [lock] }, jobs, audit] = await Promise.all([
      get(path('locks', { key: run.key })),
      state.jobs || get('jobs'),
      may('operator') && get(path('audit', { run: run.id, limit: 100 })),
    ]);
    state.jobs = jobs;
    const mine = lock?.holder?.runId === run.id ? { ...lock, seen: tick() } : null;
    // The server returns the last heartbeat only; earlier ones are those this page has seen.
    state.beats = new Set(state.beats).add(run.heartbeatAt);
    return { run, lock: mine, audit, declared: jobs.items.find(job => job.name === run.job)?.stages || [] };
  },
  hears: (type, data, state) => !type.startsWith('worker') && (!data.key || data.key === state.data?.run.key),
  view({ data: { run, lock, audit, declared }, beats }) {
    const left = lock && leaseLeft(lock);
    const late = lock && since(run.heartbeatAt) > 1.5 * millis(run.heartbeatEvery) + 1000;
    const strip = [...beats].filter(beat => beat).map(beat => ({ at: at(beat) }));
    const what = next(run, lock, late);
    return html`${head({
      crumb: html`<a href=${href('locks')}>Locks</a> / <a class="mono" href=${href(lockPath(run.key))}>${slashed(run.key)}</a> / Runs`,
      title: html`Run <span class="mono" title=${run.id}>${short(run.id)}</span>`,
      state: runPill(run),
      json: 'runs/' + run.id,
      cli: 'interlock runs show ' + run.id,
      more: html`${!isOver(run) && may('trigger') && button('Cancel run…', () => cancel(run))}
        ${run.state === 'DEAD' && may('operator') && !run.settled && [button('Retry', () => retry(run)), button('Discard…', () => settle([run], false, 'This one.'), 'danger')]}
        ${lock?.token && may('operator') && button('Force release…', () => evict(run.key), 'danger')}`,
    })}
    <div class="lead"><p>${sentence(run.explanation, run.id)}.</p><p class="muted">${run.attempt ? 'Attempt ' + run.attempt : 'Not started, attempt 1'} of ${run.maxAttempts}${run.token && html` · token ${mono(run.token)}`}${run.holder && ' · ' + run.holder}${run.startedAt
      && html` · started ${moment(run.startedAt)}, waited ${span(since(run.submittedAt, run.startedAt))}`}</p></div>
    ${what && banner(...what)}${run.error && !isOver(run) && banner('fail', html`${run.error.code}: ${run.error.message}`)}
    ${box('Timeline', timeline(run, declared, [...strip, ...late ? [{ at: now(), late }] : []], shell.width - 34))}
    ${run.output && section('Output', html`<pre class="mono" tabindex="0">${run.output}</pre>`, isOver(run) ? 'last part' : 'live')}
    <div class="grid k2">${section('Events', audit ? auditTable(audit.items) : html`<p class="muted pad0">Events need the role operator.</p>`)}${box('Facts', about(run, left))}</div>`;
  },
};
