// Now: totals, charts over time, what needs attention, and who holds which key.
import {
  banner, button, cancel, cancelAll, commas, complete, empty, figure, get, head, href, html, isClosing, keptFor, keyLink, leaseLeft, lockPath, LOCKS, look, mark, may, moment, mono, MOST_RETRIED, muted, overTime, pages, path, pauseKey, percent,
  quoted, refresh, rerunAll, resume, session, settle, shell, since, soft, sortLocks, span, startButton, summary, table, toast, totals, waiting, windowOf,
} from '../core/page.js';

const MOST = 12;
/** How many keys of a kind have rows of their own, and how many of a kind the server names. */
const MOST_OF_A_KIND = 4;
const LISTED = 10;
const link = (words, to) => html`<a class="button small" href=${href(to)}>${words}</a>`;
const times = ({ count }) => count > 1 && html`<b>${commas(count)} ×</b> `;

/** Who has a key and how it fares. */
const held = lock => !lock?.holder ? '' : !lock.holder.holder ? html`, ${keptFor(lock)}` : html`, held by <b>${soft(lock.holder.holder)}</b>${lock.stage && html` at ${lock.stage}${percent(lock.progress) !== null && ` ${percent(lock.progress)} %`}`}${lock.renewedAt && html`, last renewed ${moment(lock.renewedAt)}`}`;

/** What a button does with a group: 'Retry 24…', 'Retry 200 of 600…', or 'Retry…' if there is one only. */
const bulk = (what, count) => what + (count === 1 ? '' : ' ' + (count > MOST_RETRIED ? MOST_RETRIED + ' of ' : '') + commas(count)) + '…';
/** Which runs of a group a dialog is about. */
const which = (runs, count, words) => count > runs.length ? `The newest ${runs.length} of ${commas(count)} ${words}.` : runs.length > 1 ? `All ${runs.length} ${words}.` : '';
/** Loads the runs of a group, at most as many as one action takes, and asks what to do with them. */
const withRuns = (query, then) => async () => {
  const { items } = await get(path('runs', { ...query, limit: MOST_RETRIED }));
  // The row may be a minute old.
  if (items.length) then(items); else toast('There is nothing left to do: these runs have gone on.', true);
};

/** The failures of the last hour with the job, outcome and error code of a group. */
const failures = ({ job, outcome, code }) => ({ job, state: outcome, error: code, failedSince: summary.failuresSince });
/** Retries the runs of a group of failures. */
const again = each => each.outcome !== 'DEAD' && may('trigger') && [bulk('Retry', each.count), withRuns(failures(each), runs =>
  rerunAll(runs, html`${each.count > runs.length ? `The newest ${runs.length} of ${commas(each.count)} runs` : runs.length === 1 ? 'The run' : `All ${runs.length} runs`} of job <b>${each.job}</b> that ended in the last hour with ${mono(each.code)}.`))];

const overdue = lock => ({
  id: 'overdue ' + lock.key, kind: 'overdue', words: html`${keyLink(lock.key)} ${isClosing(lock) ? html`was taken away, opens within <b class="tn age">${span(leaseLeft(lock))}</b>` : lock.holder?.alive ? 'exceeds its max runtime' : 'overdue: its lease has expired'}${held(lock)}`,
  next: lock.waiting ? waiting(lock.waiting) : 'no run waits', open: lockPath(lock.key), act: lock.holder?.runId && !isClosing(lock) && may('trigger') && ['Cancel run…', () => cancel({ id: lock.holder.runId, state: 'RUNNING' })],
});

/** What each kind of entry of the summary says, where it leads, and what can be done about it. */
const ROWS = {
  LOST: each => ({ kind: 'fenced', words: html`${times(each)}${keyLink(each.key)} ${each.count > 1 ? 'and others' : ''} lost the lease, job <b>${each.job}</b>, ${mono(each.code)}`, next: html`last ${moment(each.lastAt)}`, open: 'runs/' + each.run, act: again(each) }),
  HOT: each => {
    const lock = summary.hotKeys.find(other => other.key === each.key);
    return { kind: 'waiting', words: html`${keyLink(each.key)} <b>${waiting(each.count)}</b>${held(lock)}`, next: html`the longest for <span class="tn age">${span(since(each.since))}</span>`, open: lockPath(each.key), act: may('operator') && ['Pause…', () => pauseKey(each.key)] };
  },
  NO_WORKER: each => ({ kind: 'fail', words: html`no worker takes job <b>${each.job}</b>: <b>${commas(each.count)} ${each.count === 1 ? 'run waits' : 'runs wait'}</b>`, next: html`the longest for <span class="tn age">${span(since(each.since))}</span>`, open: path('runs', { job: each.job, state: 'PENDING' }),
    act: may('trigger') && [bulk('Cancel', each.count), withRuns({ job: each.job, state: 'PENDING' }, runs => cancelAll(runs, null, which(runs, each.count, `runs of job ${each.job} that no worker takes`)))] }),
  FAILED: each => ({ kind: 'fail', words: html`${times(each)}${each.count === 1 && each.key ? keyLink(each.key) : html`job <b>${each.job}</b>`} ${each.outcome === 'TIMED_OUT' ? 'timed out' : 'failed'}, ${mono(each.code)}`, next: html`last ${moment(each.lastAt)}`,
    open: each.count === 1 ? 'runs/' + each.run : path('runs', { ...failures(each), failedSince: '1h' }), act: again(each) }),
  RESTARTED: each => ({ kind: 'fail', words: html`${times(each)}${keyLink(each.key)} ${each.count > 1 ? 'and others were' : 'was'} killed when a server stopped, job <b>${each.job}</b>`, next: html`${moment(each.lastAt)}, not retried`, open: 'runs/' + each.run, act: again(each) }),
  DEAD: each => ({ kind: 'fail', words: html`${times(each)}dead ${each.count === 1 ? 'letter' : 'letters'} of job <b>${each.job}</b>`, next: html`the oldest ${moment(each.since)}`, open: path('dead-letters', { job: each.job }),
    act: may('operator') && [bulk('Retry', each.count), withRuns({ job: each.job, state: 'DEAD', unsettled: true }, runs => settle(runs, true, which(runs, each.count, `dead letters of job ${each.job}`)))] }),
};
const paused = pause => ({ id: 'paused ' + (pause.key || pause.pattern), kind: 'paused', words: html`${pause.key ? keyLink(pause.key) : mono(pause.pattern)} paused ${moment(pause.since)} by ${pause.pausedBy} ${quoted(pause.reason)}`, next: pause.until ? html`ends ${moment(pause.until)}` : 'until resumed',
  open: pause.key ? lockPath(pause.key) : path('locks', { key: pause.pattern }), act: may('operator') && ['Resume', () => resume(pause)] });

function attention() {
  const of = kind => summary.attention.filter(each => each.kind === kind).map(each => ({ id: [kind, each.key, each.job, each.code].join(' '), ...ROWS[kind](each) }));
  const late = summary.overdue.slice(0, MOST_OF_A_KIND);
  const later = (summary.locks.OVERDUE || 0) - late.length;
  const hot = of('HOT');
  const hotter = hot.length - MOST_OF_A_KIND;
  return [...of('LOST'), ...late.map(overdue), ...later > 0 ? [{ id: 'overdue', kind: 'overdue', words: html`<b>${commas(later)} more</b> ${later === 1 ? 'key is' : 'keys are'} overdue`, next: '', open: 'locks?state=OVERDUE' }] : [],
    ...hot.slice(0, MOST_OF_A_KIND), ...hotter > 0 ? [{ id: 'hot', kind: 'waiting', words: html`<b>${hotter}${hot.length >= LISTED && ' or more'}</b> other ${hotter === 1 ? 'key has' : 'keys have'} many waiting runs`, next: '', open: 'queue' }] : [], ...of('NO_WORKER'), ...of('FAILED'), ...of('RESTARTED'), ...of('DEAD'), ...summary.pauses.map(paused)];
}

const row = ({ kind, words, next, open, act, gone = false }) => html`<li class=${gone ? 'gone' : ''}><span class="sign c-${kind}">${mark(kind)}</span><span class="what">${words}${muted([' · ', gone ? 'settled' : next])}</span>
  <span class="row end">${link('Open', open)}${act && !gone && button(...act, 'small')}</span></li>`;

/** Rows stay where they are while the pointer or the focus is among them: settled ones stay, new ones wait. */
function list(state) {
  const fresh = attention();
  // A button that vanishes with the focus on it, and a pointer over a dialog, leave without an event.
  const here = document.querySelector('section[aria-label="Needs attention"]');
  if (here && !here.matches(':hover') && !here.contains(document.activeElement)) state.kept = null;
  const rows = state.kept ? state.kept.map(old => fresh.find(each => each.id === old.id) || { ...old, gone: true }) : fresh;
  const news = state.kept ? fresh.filter(each => !state.kept.some(old => old.id === each.id)).length : 0;
  const keep = () => { state.kept ||= fresh; };
  // Later, because a focus is also lost while a page that removes its element is being drawn.
  const release = () => { state.kept = null; Promise.resolve().then(() => shell.draw()); };
  const left = event => { if (!event.currentTarget.contains(document.activeElement)) release(); };
  const blurred = event => { if (!event.currentTarget.contains(event.relatedTarget) && !event.currentTarget.matches(':hover')) release(); };
  return rows.length > 0 && html`<section class="mt" aria-label="Needs attention" @pointerenter=${keep} @focusin=${keep} @pointerleave=${left} @focusout=${blurred}><div class="row"><h2>Needs attention ${!state.all && rows.length > MOST && muted(`the first ${MOST} of ${rows.length}`)}</h2>
    ${!state.all && rows.length > MOST && button(`Show all ${rows.length}`, () => { state.all = true; shell.draw(); }, 'small')}
    ${news > 0 && button(news + ' new · show', release, 'news small')}</div><ul class="card list attention">${rows.slice(0, state.all ? rows.length : MOST).map(row)}</ul></section>`;
}

const figures = () => {
  const { locks, longestWait } = summary;
  return html`<div class="grid k6">${figure(locks.HELD || 0, 'held', 'locks?state=HELD')}${figure(locks.OVERDUE || 0, 'overdue', 'locks?state=OVERDUE', locks.OVERDUE > 0 ? 'late' : '')}${!session.bare && html`${figure(totals.queue(), 'waiting', 'queue')}
    ${figure(longestWait ? span(since(longestWait.since)) : '—', 'longest wait', longestWait ? lockPath(longestWait.lock.key) : 'queue')}${figure(totals.failed(), 'failed, last hour', 'runs?failedSince=1h', totals.failed() ? 'bad' : '')}${figure(totals.dead(), 'dead letters', 'dead-letters', totals.dead() ? 'bad' : '')}`}</div>`;
};

const WINDOW = '1h';

/** Keys that need attention first: the server names them at any number of locks. */
function active({ page }) {
  const first = [...summary.overdue, ...summary.hotKeys.filter(lock => lock.waiting)];
  const others = sortLocks(page.items.filter(lock => lock.state !== 'FREE'), 'need');
  return [...first, ...others].filter((lock, i, all) => all.findIndex(other => other.key === lock.key) === i).slice(0, 50);
}

pages.now = {
  renews: 5000,
  title: () => 'Now',
  async load({ q }) {
    const [page, history] = await Promise.all([look('locks?limit=50'), look(path('history', { window: windowOf(q, WINDOW) })), refresh()]);
    if (session.bare) Object.assign(summary.locks, { HELD: page.items.filter(lock => lock.state === 'HELD').length, OVERDUE: page.items.filter(lock => lock.state === 'OVERDUE').length });
    return { page: complete(page), history };
  },
  view(state) {
    const locks = active(state.data);
    const total = session.bare ? locks.length : totals.locks();
    // On a phone what needs attention comes first: the charts would fill the screen.
    const narrow = shell.width < 760;
    const charts = overTime(state.data.history, totals.queue(), WINDOW);
    return html`${head({ title: 'Now', json: 'summary', cli: 'interlock top', more: startButton() })}${figures()}${session.bare && banner('idle', session.bare)}${!narrow && charts}
    <div class="cols"><div>${list(state)}</div>${narrow && charts}
    <section class="mt" aria-label="Active locks"><div class="row"><h2>Active locks ${muted(total > locks.length ? `${locks.length} of ${commas(total)}, those that need attention first` : total)}</h2><span class="grow"></span>${muted(['Updated ', moment(summary.seen || state.loaded)])}</div>
    <div class="card">${locks.length ? table('Active locks', LOCKS, locks, lock => lock.key)
      : empty(['No active locks', 'A key appears here while a run or a lease holds it.', 'interlock run ledger/4711 -n -- sleep 60'])}</div>
    ${total > locks.length && html`<p class="muted"><a href=${href('locks')}>All locks</a></p>`}</section></div>`;
  },
};
