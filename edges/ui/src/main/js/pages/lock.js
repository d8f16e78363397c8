// Lock: its explanation, its holder, its queue and its history.
import {
  age, auditTable, banner, box, button, C, empty, evict, facts, get, head, href, html, isOver, labels, leaseLeft, lockPill, look, may, millis, moment, mono, pages, path,
  pauseKey, pill, quote, quoted, resume, runLink, runTable, section, sentence, session, shell, since, slashed, span, stage, startButton, tick,
} from '../core/page.js';
import { lanes, spark } from '../core/lanes.js';

const LANES = 14;
const details = new Map();

/** A run with its attempts; an ended run never changes. */
async function detailed(run) {
  const known = details.get(run.id);
  if (known && isOver(known) && known.state === run.state) return known;
  const whole = run.attempt > 1 || run.state === 'QUEUED' ? await get('runs/' + run.id).catch(() => run) : run;
  details.set(run.id, whole);
  return whole;
}

function sentences({ lock, queue: [first, ...others], pause }) {
  const wait = millis(first?.expectedWait);
  return html`<div class="lead"><p>${sentence(lock.explanation)}.</p>${first ? html`<p>Next: run ${runLink(first.id)}${first.submittedBy && ' of ' + first.submittedBy}, waiting ${age(since(first.submittedAt))}${wait >= 1000
    && `, about ${span(wait)} more (estimate)`}. ${others.length > 0 && others.length + ' more behind it.'}</p>` : html`<p class="muted">${lock.holder ? 'No run is waiting.' : 'The next request gets it' + (pause ? ' when the pause ends.' : '.')}</p>`}</div>`;
}

function holder({ lock, runs }) {
  const who = lock.holder;
  if (!who) return html`<p class="muted">The key is free.</p>`;
  const run = runs.find(each => each.id === who.runId);
  return facts({
    Holder: html`<b>${who.holder || 'waits for a worker'}</b>`,
    Run: who.runId && html`${runLink(who.runId)}${run && ` · attempt ${run.attempt} of ${run.maxAttempts}`}`,
    Token: lock.token && mono(lock.token),
    'Held for': lock.since && html`<span class="tn age">${moment(lock.since, span)}</span>`,
    Lease: who.alive && lock.leaseLeft && html`${age(leaseLeft(lock))} left unless renewed`,
    Alive: who.alive ? 'yes, it renews its lease' : 'no, its lease has expired',
    Stage: lock.stage && stage(lock),
    Job: lock.job,
    Labels: run && labels(run),
    Reason: quoted(run?.reason),
  });
}

pages.lock = {
  renews: 4000,
  title: ({ q }) => q.key || 'Lock',
  async load({ q: { key } }) {
    const [{ items: [lock] }, { items: runs, cursor }, all, audit] = await Promise.all([
      path('locks', { key }),
      path('runs', { key, limit: 30 }),
      'locks?limit=1',
      ...may('operator') ? [path('audit', { key, limit: 10 })] : [],
    ].map(look));
    const whole = await Promise.all(runs.map(detailed));
    return {
      lock: { ...lock, seen: tick() }, runs, whole, cursor, audit,
      queue: whole.filter(run => run.state === 'QUEUED').sort((a, b) => (a.position || 1e9) - (b.position || 1e9)),
      pause: lock.pause || (all.pauses || []).find(each => each.key === key || (each.pattern && key.startsWith(each.pattern.slice(0, -1)))),
    };
  },
  hears: (type, data, { q }) => !type.startsWith('worker') && (!data.key || data.key === q.key),
  view({ data }) {
    const { lock, runs, whole, queue, audit, pause, cursor } = data;
    const key = lock.key;
    return html`${head({
      crumb: html`<a href=${href('locks')}>Locks</a> / ${mono(slashed(key))}`,
      title: html`<span class="mono key">${slashed(key)}</span>`,
      state: html`${lockPill(lock)}${pause && lock.state !== 'PAUSED' && pill('paused', 'Paused')}`,
      json: path('locks', { key }),
      cli: 'interlock locks show ' + quote(key),
      more: html`${startButton(key)}${may('operator') && html`${pause ? button('Resume', () => resume(pause)) : !session.bare && button('Pause…', () => pauseKey(key))}${lock.token && lock.since && button('Force release…', () => evict(key), 'danger')}`}`,
    })}${sentences(data)}
    ${box('History', lanes(whole.slice(0, LANES), lock, shell.width - 34) || html`<p class="muted">Nothing has run under this key yet. Try <code class="mono">interlock run ${quote(key)} -n -- sleep 60</code></p>`)}
    ${session.bare ? html`${box('Holder', holder(data))}${banner('idle', session.bare)}` : html`<div class="grid k2e">${box('Holder', holder(data))}
    ${section('Queue', queue.length
      ? runTable('Queue', [C.place, C.run, C.by, C.waiting, C.priority, C.reason, ...may('trigger') ? [C.cancel] : []], queue)
      : html`<p class="muted pad0">The queue is empty.</p>`, lock.waiting || '')}</div>
    ${section('Runs', html`${spark(whole)}${runs.length ? runTable('Runs', [C.run, C.state, C.job, C.waited, C.took, C.token, C.submitted], runs.slice(0, 10))
      : empty(['No runs', 'Leases without a run are not listed here.', 'interlock runs submit JOB --key ' + quote(key)])}${(runs.length > 10 || cursor) && html`<p class="pad0"><a href=${href(path('runs', { key }))}>All runs of this key</a></p>`}`, 'newest first')}
    ${audit && section('Audit', auditTable(audit.items, 'run'))}`}`;
  },
};
