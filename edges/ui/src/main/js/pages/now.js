// Now: totals, what needs attention, and who holds which key.
import {
  banner, button, cancel, count, empty, firstOf, head, href, html, isLost, keyLink, lockPath, LOCKS, look, mark, may, moment, mono, muted, pages, quoted, refresh, resume, retry,
  sentence, session, short, since, sortLocks, span, startButton, summary, table,
} from '../core/page.js';

const LONG_WAIT = 5 * 60000;
const HOUR = 3600000;
const FORGIVEN = 5;
const MOST = 12;

const quiet = (worker, next) => ({ kind: 'idle', words: html`worker <b>${worker.worker}</b> was last seen ${moment(worker.seenAt)}`, next });
/** Rows by importance: the fact, what happens next, and a possible action. */
function attention({ lost }) {
  const { locks, queue, dead, workers } = summary;
  const silent = workers.items.filter(worker => !worker.alive);
  const idle = silent.filter(worker => !worker.busy);
  const long = queue.items.filter(run => since(run.submittedAt) > LONG_WAIT);
  return [
    ...lost.map(run => ({ kind: 'fenced', key: run.key, words: html`lost its lease ${moment(run.endedAt || run.startedAt)}`, next: run.error.code, run: run.id })),
    ...locks.items.filter(lock => lock.state === 'OVERDUE').map(({ key, holder, waiting }) => ({ kind: 'overdue', key, run: holder.runId,
      words: holder.alive ? 'exceeds its max runtime' : 'its lease expired without a release', next: waiting ? waiting + ' waiting' : 'none waiting',
      act: holder.runId && may('trigger') && ['Cancel…', () => cancel({ id: holder.runId, state: 'RUNNING' })] })),
    ...(locks.pauses || []).map(pause => ({ kind: 'paused', key: pause.key, next: pause.until ? html`ends ${moment(pause.until)}` : 'until resumed',
      words: html`${!pause.key && mono(pause.pattern)} paused ${moment(pause.since)} by ${pause.pausedBy} ${quoted(pause.reason)}`, act: may('operator') && ['Resume', () => resume(pause)] })),
    ...[...new Set(long.map(run => run.key))].map(key => {
      const line = long.filter(run => run.key === key);
      const first = line.at(-1);
      return { kind: 'waiting', key, words: `${line.length} waiting, the longest for ${span(since(first.submittedAt))}`, next: first.job, run: first.id };
    }),
    ...dead.items.filter(run => !lost.some(other => other.id === run.id)).slice(0, FORGIVEN).map(run => ({ kind: 'fail', key: run.key, run: run.id,
      words: `dead letter after ${run.attempt} attempt${run.attempt === 1 ? '' : 's'}: ${run.error?.code}`, next: moment(run.endedAt), act: may('operator') && ['Retry', () => retry(run)] })),
    ...silent.filter(worker => worker.busy).map(worker => quiet(worker, 'other workers get its runs when their leases end')),
    ...idle.slice(0, 1).map(worker => quiet(worker, idle.length > 1 ? `${idle.length - 1} more are silent; none of them holds a key` : 'it holds no key')),
  ];
}

const row = ({ kind, key, words, next, run, act }) => html`<li><span class="sign c-${kind}">${mark(kind)}</span>${key && keyLink(key)}<span class="what">${words}${muted([' · ', next])}</span>
  <span class="row end">${(run || key) && html`<a class="button small" href=${href(run ? 'runs/' + run : lockPath(key))} aria-label="Open ${run ? 'run ' + short(run) : 'lock ' + key}">Open</a>`}
  ${act && button(...act, 'small')}</span></li>`;
const figure = (number, words, to, kind = '') => html`<a class="card pad kpi ${kind || ''}" href=${href(to)}><b class="tn">${number}</b><span>${words}</span></a>`;

pages.now = {
  renews: 5000,
  title: () => 'Now',
  async load() {
    const [ended, running] = await Promise.all(['runs?state=FAILED,ABORTED,TIMED_OUT&since=1h&limit=50', 'runs?state=RUNNING&limit=200'].map(look).concat(refresh()));
    const dead = summary.dead.items.filter(run => since(run.endedAt) < HOUR);
    return { why: new Map(running.items.map(run => [run.id, run.reason])), lost: [...ended.items, ...dead].filter(run => isLost(run.error)).slice(0, FORGIVEN) };
  },
  view({ data }) {
    const { locks, queue, dead } = summary;
    const busy = locks.items.filter(lock => lock.state !== 'FREE').map(lock => ({
      ...lock,
      reason: data.why.get(lock.holder?.runId),
      next: lock.waiting > 0 && !queue.cursor && firstOf(queue.items.filter(run => run.key === lock.key))?.id,
    }));
    const of = state => busy.filter(lock => lock.state === state).length + (locks.cursor ? '+' : '');
    const longest = Math.max(0, ...queue.items.map(run => since(run.submittedAt)));
    const rows = attention(data);
    return html`${head({ title: 'Now', json: 'locks', cli: 'interlock locks ls', more: startButton() })}
    <div class="grid k5">${figure(of('HELD'), 'held', 'locks?state=HELD')}${figure(of('OVERDUE'), 'overdue', 'locks?state=OVERDUE', parseInt(of('OVERDUE'), 10) > 0 && 'late')}${!session.bare && html`${figure(count(queue), 'waiting', 'queue')}
      ${figure(longest ? span(longest) : '—', 'longest wait', 'queue')}${figure(count(dead), 'dead letters', 'dead-letters', dead.items.length > 0 && 'bad')}`}</div>${session.bare && banner('idle', session.bare)}
    ${rows.length > 0 && html`<section class="mt" aria-label="Needs attention"><h2>Needs attention ${muted(rows.length > MOST ? MOST + ' of ' + rows.length : rows.length)}</h2><ul class="card list attention">${rows.slice(0, MOST).map(row)}</ul></section>`}
    <section class="mt" aria-label="Active locks"><div class="row"><h2>Active locks</h2><span class="grow"></span>${muted(['Updated ', moment(summary.at)])}</div>
    <div class="card">${busy.length ? table('Active locks', LOCKS, sortLocks(busy, 'need').slice(0, 100), lock => lock.key)
      : empty(['No active locks', 'A key appears here while a run or a lease holds it.', 'interlock run ledger/4711 -n -- sleep 60'])}</div>
    ${(locks.cursor || busy.length > 100) && html`<p class="muted"><a href=${href('locks')}>All locks</a></p>`}
    ${busy.filter(lock => lock.waiting).slice(0, 3).map(lock => html`<p class="why">${sentence(lock.explanation)}.</p>`)}</section>`;
  },
};
