// Locks: all keys, filtered by the address.
import { banner, complete, html, list, LOCKS, may, moment, mono, pauseKey, quoted, session, shell, sortLocks, summary } from '../core/page.js';

const order = ({ q, data }) => q.sort || (data.cursor || q.cursor ? '' : 'need');
const page = list({
  renews: 5000,
  title: 'Locks', from: 'locks', limit: 100, cli: 'interlock locks ls', states: ['HELD', 'OVERDUE', 'WAITING', 'PAUSED', 'FREE'], fields: [['key', 'key or prefix*']],
  hears: /^(lock|run|reset)/,
  columns: () => LOCKS, key: lock => lock.key, rows: state => order(state) ? sortLocks(state.data.items, order(state)) : state.data.items,
  sorted: state => ({ by: order(state).replace('-', ''), down: order(state).startsWith('-'),
    set: column => shell.filter({ sort: order(state) === column ? '-' + column : column, cursor: state.q.cursor }) }),
  number: (name, { q }) => !q.key && summary.locks && !summary.locks.cursor && ' ' + summary.locks.items.filter(lock => !name || lock.state === name).length,
  more: () => may('operator') && !session.bare && html`<button @click=${() => pauseKey('')}>Pause keys…</button>`,
  aside: state => html`<span class="grow"></span><span class="muted">Updated ${moment(state.loaded)}</span>`,
  above: ({ data: { pauses = [] } }) => pauses.filter(pause => pause.pattern).map(pause =>
    banner('paused', html`Keys ${mono(pause.pattern)} are paused by ${pause.pausedBy}: ${quoted(pause.reason)}${pause.until && html`, ends ${moment(pause.until)}`}`)),
  hint: html`<span><kbd>j</kbd> <kbd>k</kbd> move · <kbd>Enter</kbd> open · <kbd>/</kbd> search · <kbd>?</kbd> all shortcuts</span>`,
  none: ['No locks', 'A key appears here while something runs or waits under it.', 'interlock run ledger/4711 -n -- sleep 60'],
});
export default { ...page, load: async state => complete(await page.load(state), !state.q.key && ['PAUSED', undefined].includes(state.q.state)) };
