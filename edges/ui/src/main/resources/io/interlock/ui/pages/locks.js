// Locks: all keys, filtered by the address.
import { empty, html, nothing } from '../core/bits.js';
import { get, may, path } from '../core/api.js';
import { chips, filters, head, listing, pager, shell } from '../core/shell.js';
import { pauseKey } from '../core/dialogs.js';
import { locksTable, paused, sortLocks } from '../core/locks-table.js';
import { summary } from '../core/summary.js';
import { moment } from '../core/time.js';

const STATES = ['HELD', 'OVERDUE', 'WAITING', 'PAUSED', 'FREE'];
const LIMIT = 100;
const asked = state => ({ key: state.q.get('key'), state: state.q.get('state'), cursor: state.q.get('cursor'), limit: LIMIT });

export default {
  renews: 5000,
  title: () => 'Locks',
  async load(state) {
    const page = await get(path('locks', asked(state)));
    const seen = Date.now();
    page.items.forEach(lock => { lock.seen = seen; });
    if (!state.q.get('key') && ['PAUSED', null].includes(state.q.get('state'))) paused(page);
    state.data = page;
  },
  /** An event about a lock carries the lock: no need to ask, unless it is new here or has left the filter. */
  ignores(type, data, state) {
    if (type.startsWith('worker') || type.startsWith('janitor')) return true;
    const at = type === 'lock.changed' ? state.data?.items.findIndex(lock => lock.key === data.key) ?? -1 : -1;
    if (at < 0 || (state.q.get('state') && state.q.get('state') !== data.state) || data.state === 'FREE') return false;
    state.data.items[at] = { ...data, seen: Date.now() };
    shell.draw();
    return true;
  },
  view(state) {
    const { items, cursor, pauses = [] } = state.data;
    const chosen = state.q.get('state') || '';
    const key = state.q.get('key') || '';
    const order = state.q.get('sort') || (cursor || state.q.get('cursor') ? '' : 'need');
    const sorted = { by: order.replace('-', ''), down: order.startsWith('-'), set: column => shell.filter({ sort: order === column ? '-' + column : column, cursor: state.q.get('cursor') }) };
    const whole = summary.locks && !summary.locks.cursor ? summary.locks.items : null;
    const number = which => whole && !key ? ' ' + (which ? whole.filter(lock => lock.state === which).length : whole.length) : '';
    return html`${head({ title: 'Locks', json: path('locks', asked(state)), cli: listing('interlock locks ls', state.q, ['key', 'state']), more: may('operator') ? html`<button @click=${() => pauseKey('')}>Pause keys…</button>` : nothing })}
    ${chips(chosen, STATES, number)}${filters(state.q, [['key', 'key or prefix*']], html`<span class="grow"></span><span class="muted">Updated ${moment(new Date(state.loaded || Date.now()).toISOString())}</span>`)}
    ${pauses.filter(pause => pause.pattern).map(pause => html`<p class="banner c-paused mt"><span>Keys <span class="mono">${pause.pattern}</span> are paused by ${pause.pausedBy}: <q>${pause.reason}</q>${pause.until ? html`, until ${moment(pause.until)}` : ''}</span></p>`)}
    <div class="card mt">${items.length ? locksTable('Locks', order ? sortLocks(items, order) : items, sorted)
      : empty(chosen || key ? 'No lock matches' : 'No locks', chosen || key ? 'Take a filter away, or wait: the list is live.' : 'A key appears here while something runs or waits under it.', chosen || key ? '' : 'interlock run ledger/4711 -n -- sleep 60')}</div>
    ${pager(state.data, state.q, html`<span><kbd>j</kbd> <kbd>k</kbd> move · <kbd>Enter</kbd> open · <kbd>/</kbd> search · <kbd>?</kbd> all shortcuts</span>`)}`;
  },
};
