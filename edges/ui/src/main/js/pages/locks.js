// Locks: all keys, filtered by the URL.
import {
  banner, button, complete, html, keyed, labels, list, LOCKS, look, may, millis, moment, mono, pages, path, pauseKey, quoted, resume, session,
  shell, sift, since, sortLocks, summary, totals,
} from '../core/page.js';

const order = ({ q, data }) => q.sort || (data.cursor || q.cursor ? '' : 'need');
/** Filters that the server does not have: holder, label of the run, and hold time. */
async function wanted({ holder, label, held }) {
  const least = held ? millis('P' + held) : -1;
  const runs = label && await sift(q => look(path('runs', { state: 'RUNNING,PENDING', limit: 200, ...q })), {}, run => (' ' + labels(run)).includes(' ' + label), Infinity);
  return ({ holder: who = {}, since: from }) => since(from) > least && (!holder || [who.holder, who.runId].join(' ').includes(holder)) && (!runs || runs.items.some(run => run.id === who.runId));
}

const HERE = [['holder', 'holder', true], ['label', 'label: team=ops', true], ['held', 'held for: 5m, 2h', true]];
const sifted = q => HERE.some(([name]) => q[name]);
pages.locks = list({
  renews: 5000,
  title: 'Locks', from: 'locks', limit: 100, cli: keyed('locks'), states: ['HELD', 'OVERDUE', 'WAITING', 'PAUSED', 'FREE'], fields: [['key', 'key or prefix*'], ...HERE],
  hears: /^(lock|run|reset)/,
  columns: () => LOCKS, key: lock => lock.key, rows: state => order(state) ? sortLocks(state.data.items, order(state)) : state.data.items,
  sorted: state => ({ by: order(state).replace('-', ''), down: order(state).startsWith('-'),
    set: column => shell.filter({ sort: order(state) === column ? '-' + column : column, cursor: state.q.cursor }) }),
  number: (name, { q }) => !q.key && !sifted(q) && summary.at && name !== 'FREE' && ' ' + (name ? summary.locks[name] || 0 : totals.locks()),
  more: () => may('operator') && !session.bare && button('Pause keys…', () => pauseKey('')),
  aside: state => [state.q.sort && (state.data.cursor || state.q.cursor) ? 'sorted within this page · ' : '', 'updated ', moment(state.loaded)],
  above: ({ q: { held }, data: { pauses = [] } }) => html`${held && !millis('P' + held) && banner('fail', `“${held}” is not a duration: write 90s, 5m, 2h or 1d.`)}${pauses.filter(pause => pause.pattern).map(pause =>
    banner('paused', html`Keys ${mono(pause.pattern)} are paused by ${pause.pausedBy}: ${quoted(pause.reason)}${pause.until && html`, ends ${moment(pause.until)}`} ${may('operator') && button('Resume', () => resume(pause), 'small')}`))}`,
  hint: html`<span class="shortcuts"><kbd>j</kbd> <kbd>k</kbd> move · <kbd>Enter</kbd> open · <kbd>/</kbd> search · <kbd>?</kbd> all shortcuts</span>`,
  none: ['No locks', 'A key appears here while something runs or waits under it.', 'interlock run ledger/4711 -n -- sleep 60'],
  load: async ({ q }, ask) => sifted(q) ? complete(await sift(more => ask(more, 200), q, await wanted(q), 100), false)
    : complete(await ask(q), !q.key && ['PAUSED', undefined].includes(q.state)),
});
