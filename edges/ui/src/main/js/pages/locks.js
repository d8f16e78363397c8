// Locks: all keys, filtered by the URL.
import {
  banner, button, commas, complete, html, keyed, list, LOCKS, may, moment, mono, pages, pauseKey, quoted, resume, session, shell, sortLocks, summary, totals,
} from '../core/page.js';

const order = ({ q, data }) => q.sort || (data.cursor || q.cursor ? '' : 'need');
const isFiltered = q => ['key', 'holder', 'label', 'heldFor'].some(each => q[each]);
const counted = items => items.reduce((sum, { state }) => ({ ...sum, [state]: (sum[state] || 0) + 1 }), {});
/** How many there are of a kind: counted in the rows if they are all, so that the figures and the rows are of one moment; else as the server counted them. */
const count = (name, q, { counts, cursor, items }) => {
  if (counts) return name ? counts[name] || 0 : Object.values(counts).reduce((sum, each) => sum + each, 0);
  return !name ? totals.locks() : name === q.state && !cursor && !q.cursor ? items.length : summary.locks[name] || 0;
};

pages.locks = list({
  renews: 5000,
  title: 'Locks', from: 'locks', limit: 100, cli: keyed('locks'), states: ['HELD', 'OVERDUE', 'WAITING', 'PAUSED'], fields: [['key', 'key or prefix*'], ['holder', 'holder'], ['label', 'label: team=ops'], ['heldFor', 'held for: 5m, 2h']],
  hears: /^(lock|run|reset)/,
  columns: () => LOCKS, key: lock => lock.key, rows: state => order(state) ? sortLocks(state.data.items, order(state)) : state.data.items,
  sorted: state => ({ by: order(state).replace('-', ''), down: order(state).startsWith('-'),
    set: column => shell.filter({ sort: order(state) === column ? '-' + column : column, cursor: state.q.cursor }) }),
  number: (name, { q, data }) => !isFiltered(q) && (data.counts || summary.at) && ' ' + commas(count(name, q, data)),
  more: () => may('operator') && !session.bare && button('Pause keys…', () => pauseKey('')),
  aside: state => [state.q.sort && (state.data.cursor || state.q.cursor) ? 'sorted within this page · ' : '', 'updated ', moment(state.loaded)],
  above: ({ data: { pauses = [] } }) => html`${pauses.filter(pause => pause.pattern).map(pause =>
    banner('paused', html`Keys ${mono(pause.pattern)} are paused by ${pause.pausedBy}: ${quoted(pause.reason)}${pause.until && html`, ends ${moment(pause.until)}`} ${may('operator') && button('Resume', () => resume(pause), 'small')}`))}`,
  hint: html`<span class="shortcuts"><kbd>j</kbd> <kbd>k</kbd> move · <kbd>Enter</kbd> open · <kbd>/</kbd> search · <kbd>?</kbd> all shortcuts</span>`,
  none: ['No locks', 'A key appears here while something runs or waits under it.', 'interlock run ledger/4711 -n -- sleep 60'],
  async load({ q }, ask) {
    if (!isFiltered(q) && !q.cursor) {
      const all = complete(await ask({ ...q, state: '' }));
      if (!all.cursor) return { ...all, counts: counted(all.items), items: all.items.filter(lock => !q.state || lock.state === q.state) };
      if (!q.state) return all;
    }
    return complete(await ask(q), !isFiltered(q) && q.state === 'PAUSED');
  },
});
