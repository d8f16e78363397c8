// Lock: who has the key, who is next, and all holds one after the other.
import {
  about, age, at, auditTable, banner, button, C, cancel, commas, empty, evict, facts, get, head, href, html, isClosing, isOver, jobOf, kindOf, labelTags, leaseLeft, LINE, lockPill, look, may, millis, moment,
  muted, now, pages, path, pauseKey, percent, pill, placed, quote, quoted, resume, runLink, runTable, section, session, shell, short, since, slashed, soft, span, startButton, svg, table,
  tick, token,
} from '../core/page.js';
import { lanes, spark } from '../core/lanes.js';

const SHOWN = 10;
const TABS = [['', 'Now'], ['history', 'History'], ['runs', 'Runs'], ['audit', 'Audit']];

const capital = words => words[0].toUpperCase() + words.slice(1);
const ENDS = { SUCCEEDED: 'ok', ABORTED: 'idle', RUNNING: 'held' };
/** The holds as the picture draws them, the oldest first. */
const holdsOf = items => items.map(hold => ({ from: at(hold.from), to: hold.to ? at(hold.to) : now(), open: !hold.to, kind: hold.lost ? 'fenced' : ENDS[hold.state] || 'fail', run: hold.run, who: hold.holder, token: hold.token,
  waitedSince: hold.waitingSince ? at(hold.waitingSince) : null, why: hold.to && (hold.state === 'QUEUED' ? 'tried again: ' : '') + hold.why }));

/** What the holder still needs, counted down; null if there is no estimate. */
const left = ({ line }) => line.holderLeft ? Math.max(0, millis(line.holderLeft) - (now() - line.seen)) : null;
const done = data => left(data) === null ? '' : left(data) > 0 ? `done ${about(now() + left(data))}` : 'done any moment';

/** The page in one sentence. */
function lead(data) {
  const { lock, line, pause } = data;
  const [first] = line.items;
  const who = lock.holder;
  const part = percent(lock.progress);
  const waits = line.total === 0 ? '' : html`; <b>${commas(line.total)}</b> ${line.total === 1 ? 'waits' : 'wait'}${first && html`, next is run ${runLink(first.id)} of ${first.submittedBy}`}`;
  const closed = pause ? html` Paused by ${pause.pausedBy}: ${quoted(pause.reason)}${pause.until ? html`, ends ${moment(pause.until)}` : ', until resumed'}.` : '';
  if (!who) return html`<p>The key is free${lock.waiting ? waits : pause ? '; the next request gets it when the pause ends' : '; the next request gets it'}.${closed}</p>`;
  if (isClosing(lock)) return html`<p>The key was taken from <b>${who.holder}</b>${lock.evicted && html` by ${lock.evicted.by}: ${quoted(lock.evicted.reason)}`}. It is closing: it opens when the holder has stopped, within ${age(leaseLeft(lock))}${waits}.${closed}</p>`;
  if (!who.holder) return html`<p>The key is kept for run ${runLink(who.runId)}, which no worker has claimed yet${waits}.${closed}</p>`;
  return html`<p><b>${soft(who.holder)}</b> has held this key for ${age(since(lock.since))}${lock.stage && html` and is at ${lock.stage}${part !== null && ` ${part} %`}`}${done(data) && ', ' + done(data)}${!who.alive && ', but its lease has expired'}${waits}.${closed}</p>`;
}

const R = 39;
/** The lease as a ring that empties until the next renewal. */
function ring(lock) {
  const rest = leaseLeft(lock);
  const whole = lock.renewedAt && lock.observedAt ? millis(lock.leaseLeft) + at(lock.observedAt) - at(lock.renewedAt) : null;
  if (rest === null) return '';
  const round = 2 * Math.PI * R;
  return svg`<svg class="ring" width="88" height="88" role="img" aria-label="${span(rest)} left of the lease"><circle class="r0" cx="44" cy="44" r=${R}/>
    ${whole && svg`<circle class="r1" cx="44" cy="44" r=${R} stroke-dasharray="${round * Math.min(1, rest / whole)} ${round}" transform="rotate(-90 44 44)"/>`}
    <text class=${span(rest).length > 5 ? 'rn long' : 'rn'} x="44" y=${whole ? 47 : 49} text-anchor="middle">${span(rest)}</text>${whole && svg`<text class="rl" x="44" y="61" text-anchor="middle">of ${span(Math.round(whole / 1000) * 1000).replace(/ 00 [hm]$/, '')}</text>`}</svg>`;
}

const stages = (lock, declared) => {
  const here = declared.indexOf(lock.stage);
  const part = percent(lock.progress);
  return html`<div class="row"><span>Stage <b>${lock.stage}</b>${here >= 0 && muted(` · ${here + 1} of ${declared.length}`)}</span><span class="grow"></span><b>${part !== null && part + ' %'}</b></div>
    ${here >= 0 ? html`<div class="stages">${declared.map((name, i) => html`<div class=${i === here ? 'here' : ''}><progress max="100" value=${i < here ? 100 : i === here ? part ?? 0 : 0} aria-label=${name}></progress><span>${name}</span></div>`)}</div>`
      : part !== null && html`<progress class="full" max="100" value=${part} aria-label="progress"></progress>`}`;
};

/** Who has the key: the last renewal tells whether it is alive. */
function holder(data) {
  const { lock, run, job } = data;
  const who = lock.holder;
  if (!who) return html`<section class="card pad" aria-label="Holder"><h2>Holder</h2><p class="muted">The key is free.</p></section>`;
  const most = millis(job?.maxRuntime);
  const held = since(lock.since);
  const renewed = run?.heartbeatAt || lock.renewedAt;
  const every = millis(run?.heartbeatEvery || lock.renewedEvery);
  const late = renewed && every && since(renewed) > 1.5 * every + 1000;
  return html`<section class="card pad holder ${lock.state === 'OVERDUE' || late ? 'c-overdue' : 'c-held'}" aria-label="Holder"><div class="row top"><div class="grow"><h2 class="muted">Holder</h2>
    <p class="name">${who.holder ? soft(who.holder) : 'waits for a worker'}</p>
    ${who.runId && html`<p>run ${runLink(who.runId)}${run && muted(` · attempt ${run.attempt} of ${run.maxAttempts}`)}</p>`}
    ${renewed ? html`<p class=${late ? 'late' : ''}><span class="dot"></span>renewed <b class="tn age">${span(since(renewed))}</b> ago ${every && muted(html`<span class="nw">· every ${span(every)}</span>`)}</p>`
      : html`<p class="muted">${who.alive ? 'not renewed yet' : isClosing(lock) ? 'taken away' : 'its lease has expired'}</p>`}</div>${who.holder && ring(lock)}</div>
    ${lock.stage && stages(lock, job.stages || [])}
    ${lock.since && html`<div class="row"><span>Held <b class="tn age">${span(held)}</b>${most && muted(` of ${span(most)} at most`)}</span><span class="grow"></span>${muted(done(data))}</div>
      ${most && html`<progress class="full ${held > most ? 'warn' : ''}" max=${most} value=${Math.min(most, held)} aria-label="held"></progress>`}`}
    ${facts({ Job: lock.job && html`<a href=${href(path('runs', { job: lock.job }))}>${lock.job}</a>`, By: run?.submittedBy, Labels: run && Object.keys(run.labels).length > 0 && labelTags(run), Token: token(lock.token),
      Waited: run?.startedAt && run.attempt < 2 && span(since(run.submittedAt, run.startedAt)), Reason: quoted(run?.reason || who.reason) })}</section>`;
}

const act = ['Action', each => button('Cancel…', () => cancel({ id: each.id, state: 'QUEUED' }), 'small', 'Cancel run ' + short(each.id)), 'num act'];

function line(data) {
  const { line: { items, total, samples, usualHold }, lock } = data;
  if (!total) return html`<section class="card pad" aria-label="In line"><h2>In line</h2><p class="muted">No run is waiting.</p></section>`;
  const rows = items.slice(0, SHOWN);
  const last = lastStart(data);
  return html`<section class="card" aria-label="In line"><div class="row bar-top"><h2>In line ${muted(commas(total))}</h2><span class="grow"></span>${muted(samples ? `estimates: median hold of the last ${samples === 1 ? 'run' : samples + ' runs'}, ${span(millis(usualHold))}` : data.line.holderLeft ? 'estimate: from the progress of the holder' : 'no estimates: no run of this key has succeeded yet')}</div>
    ${table('In line', [...LINE.filter(([title]) => title !== 'Waiting since'), ...may('trigger') ? [act] : []], rows, each => each.id)}
    ${total > rows.length && html`<p class="row foot"><b>+${commas(total - rows.length)} more</b>${last && muted(`the last starts ${about(last)}`)}<span class="grow"></span><a href=${href(path('queue', { key: lock.key }))}>Show all ${commas(total)} in the queue</a></p>`}</section>`;
}

/** About when the last in line starts: each run before it takes the usual time. */
function lastStart({ line: { items, total, usualHold } }) {
  const known = items.at(-1);
  return known?.startsAt && usualHold ? at(known.startsAt) + (total - known.place) * millis(usualHold) : null;
}

function picture(data, width) {
  const { lock, line: { items, total, usualHold }, holds, pauses } = data;
  const live = holds.map(hold => hold.open ? { ...hold, to: now(), kind: lock.state === 'OVERDUE' ? 'overdue' : hold.kind } : hold);
  return lanes({ holds: live, line: items, total, usual: millis(usualHold) || 0, left: left(data), pauses, unknown: data.unknown,
    joined: items.map(each => at(each.waitingSince)), lastStart: lastStart(data), refusals: data.refusals }, width)
    || html`<p class="muted">Nothing has run under this key yet. Try <code class="mono">interlock run ${quote(lock.key)} -n -- sleep 60</code></p>`;
}

const tabs = (chosen, key) => html`<div class="tabs mt" role="navigation" aria-label="About this key">${TABS.filter(([name]) => name !== 'audit' || may('operator')).map(([name, words]) =>
  html`<a href=${href(path('lock', { key, tab: name }))} aria-current=${chosen === name && 'page'}>${words}</a>`)}</div>`;

const BODY = {
  '': data => html`<div class="grid k2l mt">${holder(data)}${session.bare ? banner('idle', session.bare) : line(data)}</div>
    <section class="card pad mt one" aria-label="One at a time"><h2>One at a time ${muted(subtitle(data))}</h2>${picture(data, shell.width - 34)}</section>`,
  history: data => section('Holds', html`<div class="pad">${spark(data.holds)}${table('Holds', [['Run', hold => hold.run ? runLink(hold.run) : '', 'first'], ['Worker', 'who'], ['Waited', hold => hold.waitedSince && span(hold.from - hold.waitedSince), 'num tn'], ['From', hold => moment(hold.from, undefined, true)],
    ['To', hold => hold.open ? 'now' : moment(hold.to, undefined, true)], ['Had the key', hold => span(hold.to - hold.from), 'num tn'], ['Token', hold => token(hold.token), 'num'], ['Ended', hold => pill(hold.kind, hold.open ? 'Holding' : capital(hold.why || 'released'))]], [...data.holds].reverse(), hold => hold.token)}</div>`, 'newest first' + (data.unknown.some(gap => gap.why === UNKNOWN.NOT_READ) ? `: the last ${data.holds.length}; the audit log has older ones` : '')),
  runs: ({ runs, cursor, lock }) => section('Runs', html`${runs.length ? runTable('Runs', [C.run, C.state, C.job, C.waited, C.took, C.token, C.submitted], runs)
    : empty(['No runs', 'Leases without a run are not listed here.', 'interlock runs submit JOB --key ' + quote(lock.key)])}${cursor && html`<p class="pad0"><a href=${href(path('runs', { key: lock.key }))}>All runs of this key</a></p>`}`, 'newest first'),
  audit: ({ audit, lock }) => audit && section('Audit', html`${auditTable(audit.items, 'run')}${audit.cursor && html`<p class="pad0"><a href=${href(path('audit', { key: lock.key }))}>All records of this key</a></p>`}`, 'newest first'),
};
const past = holds => Math.min(8, holds.filter(hold => !hold.open).length);
const subtitle = ({ holds, line }) => [past(holds) > 0 && (past(holds) === 1 ? 'the last hold' : `the last ${past(holds)} holds`), holds.some(hold => hold.open) && 'the holder', line.total > 0 && `the next ${Math.min(5, line.total)} of ${commas(line.total)}`].filter(word => word).join(', ');

/** Why it is not known who had the key. */
const UNKNOWN = { NOT_READ: 'older holds are not loaded', FORGOTTEN: 'records of that time may be deleted', LEASES: 'leases without a run leave no record' };
pages.lock = {
  renews: 4000,
  title: ({ q }) => q.key || 'Lock',
  async load({ q: { key, tab } }) {
    const [found, past, runs, records] = await Promise.all([look(path('locks/line', { key, limit: 50 })), look(path('locks/holds', { key, limit: tab === 'history' ? 200 : 50 })), tab === 'runs' ? look(path('runs', { key, limit: 30 })) : { items: [] }, tab === 'audit' && may('operator') ? get(path('audit', { key, limit: 100 })) : null]);
    // A store that keeps leases only has no line, and no record of past holds.
    const line = found.lock ? found : { lock: (await get(path('locks', { key }))).items[0], total: 0, samples: 0, items: [] };
    const { lock } = line;
    const id = lock.holder?.runId;
    const [run, job] = await Promise.all([id ? get('runs/' + id).catch(() => null) : null, lock.job ? jobOf(lock.job) : {}]);
    const bare = session.bare && lock.token && lock.since ? [{ from: lock.since, holder: lock.holder?.holder || '', token: lock.token, state: 'RUNNING', lost: false }] : [];
    return {
      lock: { ...lock, seen: tick() }, line: { ...placed(line), seen: tick() }, run, holds: holdsOf([...past.items, ...bare]), runs: runs.items, cursor: runs.cursor, audit: records, job, pause: lock.pause, refusals: past.refusals || [],
      unknown: (past.unknown || []).map(gap => ({ from: gap.from ? at(gap.from) : 0, to: at(gap.to), why: UNKNOWN[gap.why] })), pauses: (past.pauses || []).map(pause => ({ from: at(pause.from), to: pause.to ? at(pause.to) : Infinity, who: pause.by })),
    };
  },
  hears: (type, data, { q }) => !type.startsWith('worker') && (!data.key || data.key === q.key),
  view({ data, q }) {
    const { lock, pause } = data;
    const key = lock.key;
    return html`${head({
      crumb: html`<a href=${href('locks')}>Locks</a> /`,
      title: html`<span class="mono key">${slashed(key)}</span>`,
      state: html`${lockPill(lock)}${pause && lock.state !== 'PAUSED' && pill('paused', 'Paused')}`,
      json: path('locks', { key }),
      cli: 'interlock locks show ' + quote(key),
      more: html`${may('operator') && html`${pause ? button('Resume', () => resume(pause)) : !session.bare && button('Pause…', () => pauseKey(key))}${lock.token && lock.since && !isClosing(lock) && button('Force release…', () => evict(key), 'danger')}`}${startButton(key)}`,
    })}<div class="lead">${lead(data)}</div>
    ${!session.bare && tabs(q.tab || '', key)}${(BODY[q.tab || ''] || BODY[''])(data)}`;
  },
};
