// Run: its explanation, its timeline and its output.
import {
  age, at, auditTable, banner, box, button, cancel, errorText, evict, facts, get, head, href, html, isOver, jobLink, jobOf, keep, kept, keyLink, labels, leaseLeft, lockPath, may, millis,
  moment, mono, muted, now, pages, path, quoted, rerunAll, retry, runLink, runPill, section, sentence, settle, shell, short, since, slashed, span, tick, token,
} from '../core/page.js';
import { repeat } from '../lit/directives/repeat.js';
import { timeline } from '../core/timeline.js';

/** What happens next without action, and when. */
function next(run, lock, late) {
  const wait = millis(run.expectedWait);
  if (late) {
    return ['overdue', `Last heartbeat ${span(since(run.heartbeatAt))} ago, due every ${span(millis(run.heartbeatEvery))}. The lease ends in ${span(leaseLeft(lock))}; then the next run gets the key, and this run is fenced off.`];
  }
  if (lock?.state === 'OVERDUE') return ['overdue', 'It has exceeded its max runtime, or its lease has expired. The janitor ends it at its next sweep.'];
  if (run.state === 'QUEUED' && wait >= 1000) return ['waiting', `Place ${run.position} in the queue; starts in about ${span(wait)}.`];
  if (run.state === 'PENDING') return ['waiting', html`It has the key and waits for a worker for <b>${run.job}</b>.`];
  const { kind, actor, at: when, newRun } = run.settled || {};
  return kind && ['idle', html`This dead letter was ${kind} by ${actor} ${moment(when)}${newRun && html`, as run ${runLink(newRun)}`}.`];
}

const json = value => value && Object.keys(value).length > 0 && html`<code class="mono">${JSON.stringify(value)}</code>`;
const about = (run, left, known) => facts({
  Key: keyLink(run.key),
  Job: known ? jobLink(run.job) : run.job,
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

/** The end stays in view while the text grows, unless the reader has scrolled up. */
const scrolled = event => { event.target.dataset.follow = event.target.scrollHeight - event.target.scrollTop - event.target.clientHeight > 24 ? '' : 'yes'; };
function save(name, text) {
  const link = Object.assign(document.createElement('a'), { download: name, href: URL.createObjectURL(new Blob([text], { type: 'text/plain' })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
const wraps = () => kept('wrap', 'on') === 'on';

/** What the chosen attempt wrote, the last one unless the reader chooses; without output, its error message. */
function output(run, state) {
  const attempts = run.attempts || [];
  if (!attempts.some(each => each.output || each.error?.message)) return '';
  const chosen = Math.min(state.attempt || attempts.length, attempts.length);
  const { output: written, error, endedAt } = attempts[chosen - 1];
  const text = written || error?.message || '';
  const what = written ? endedAt || isOver(run) ? 'the end of it' : 'live' : text ? 'no output was kept; its error message' : 'it has written nothing yet';
  return html`<section class="card mt" aria-label="Output"><div class="row bar-top"><h2>Output ${muted(what)}</h2><span class="grow"></span>
    ${attempts.length > 1 && html`<div class="switch" role="group" aria-label="Attempt">${attempts.map((each, i) => html`<button aria-pressed=${String(i + 1 === chosen)} @click=${() => { state.attempt = i + 1 === attempts.length ? 0 : i + 1; shell.draw(); }}>attempt ${each.attempt}</button>`)}</div>`}
    <label class="small-label"><input type="checkbox" .checked=${wraps()} @change=${event => { keep('wrap', event.target.checked ? 'on' : 'off'); shell.draw(); }}> Wrap lines</label>
    ${button('Download', () => save(`run-${short(run.id)}-${chosen}.txt`, text), 'small')}</div>
    ${repeat([chosen], each => each, () => html`<pre class="mono ${wraps() ? '' : 'as-is'}" tabindex="0" aria-label="Attempt ${chosen}" data-follow="yes" @scroll=${scrolled}>${text}</pre>`)}</section>`;
}

pages.run = {
  renews: 2000,
  title: ({ id }) => 'Run ' + short(id),
  async load(state) {
    const run = await get('runs/' + state.id + '?output=true');
    const [{ items: [lock] }, job, audit] = await Promise.all([
      get(path('locks', { key: run.key })),
      run.execution === 'caller' ? {} : jobOf(run.job),
      may('operator') && get(path('audit', { run: run.id, limit: 100 })),
    ]);
    const mine = lock?.holder?.runId === run.id ? { ...lock, seen: tick() } : null;
    // The server returns the last heartbeat only; earlier ones are those this page has seen.
    state.beats = new Set(state.beats).add(run.heartbeatAt);
    return { run, lock: mine, audit, job };
  },
  hears: (type, data, state) => !type.startsWith('worker') && (!data.key || data.key === state.data?.run.key),
  view(state) {
    const { data: { run, lock, audit, job }, beats } = state;
    const left = lock && leaseLeft(lock);
    const late = lock && since(run.heartbeatAt) > 1.5 * millis(run.heartbeatEvery) + 1000;
    const strip = [...beats].filter(beat => beat).map(beat => ({ at: at(beat) }));
    const what = next(run, lock, late);
    return html`${head({
      crumb: html`<a class="mono" href=${href(lockPath(run.key))}>${slashed(run.key)}</a> /`,
      title: html`Run <span class="mono" title=${run.id}>${short(run.id)}</span>`,
      state: runPill(run),
      json: 'runs/' + run.id,
      cli: 'interlock runs show ' + run.id,
      more: html`${!isOver(run) && may('trigger') && button('Cancel run…', () => cancel(run))}
        ${['FAILED', 'TIMED_OUT'].includes(run.state) && run.execution === 'worker' && may('trigger') && button('Retry…', () => rerunAll([run], ''))}
        ${run.state === 'DEAD' && may('operator') && !run.settled && [button('Retry', () => retry(run)), button('Discard…', () => settle([run], false, ''), 'danger')]}
        ${lock?.token && may('operator') && button('Force release…', () => evict(run.key), 'danger')}`,
    })}
    <div class="lead"><p class=${run.error?.message ? 'clamp' : ''}>${sentence(run.explanation, run.id, run.error)}.</p><p class="muted">${run.attempt ? 'Attempt ' + run.attempt : 'Not started, attempt 1'} of ${run.maxAttempts}${run.token && html` · token ${token(run.token)}`}${run.holder && ' · ' + run.holder}${run.startedAt
      && html` · started ${moment(run.startedAt)}${run.attempt === 1 && `, waited ${span(since(run.submittedAt, run.startedAt))}`}`}</p></div>
    ${what && banner(...what)}${run.error && !isOver(run) && banner('fail', html`The last attempt failed: ${errorText(run.error)}`)}
    ${box('Timeline', timeline(run, job.stages || [], [...strip, ...late ? [{ at: now(), late }] : []], shell.width - 34))}
    ${output(run, state)}
    <div class="grid k2">${section('Events', audit ? auditTable(audit.items) : html`<p class="muted pad0">Events need the role operator.</p>`)}${box('Facts', about(run, left, Boolean(job.name)))}</div>`;
  },
};
