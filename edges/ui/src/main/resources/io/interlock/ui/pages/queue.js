// Queue: everybody who waits, the longest first.
import { empty, html, nothing, span, table } from '../core/bits.js';
import { get, may, path } from '../core/api.js';
import { filters, head, quote } from '../core/shell.js';
import { C, id } from '../core/runs-table.js';
import { since } from '../core/time.js';

export default {
  title: () => 'Queue',
  async load(state) {
    const key = state.q.get('key');
    const pages = await Promise.all(['QUEUED', 'PENDING'].map(which => get(path('runs', { state: which, key, limit: 200 }))));
    state.data = { items: pages.flatMap(page => page.items).sort((a, b) => a.submittedAt < b.submittedAt ? -1 : 1), more: pages.some(page => page.cursor) };
  },
  ignores: type => !type.startsWith('run') && !type.startsWith('lock'),
  view(state) {
    const { items, more } = state.data;
    const key = state.q.get('key') || '';
    return html`${head({ title: 'Queue', json: path('runs', { state: 'QUEUED,PENDING', key }), cli: 'interlock queue ls' + (key ? ' ' + quote(key) : '') })}
    ${filters(state.q, [['key', 'key or prefix*']], html`<span class="muted">${items.length ? html`${items.length}${more ? '+' : ''} wait; the oldest for <b class="tn">${span(since(items[0].submittedAt))}</b>.` : nothing}</span>`)}
    <div class="card mt">${items.length ? table('Queue', [C.run, C.key, C.state, C.job, C.waiting, C.priority, C.reason, ...may('trigger') ? [C.cancel] : []], items.slice(0, 200), id)
      : empty('Nobody waits', 'A run waits here when its key is taken and its job queues, or when no worker has taken it yet.', 'interlock runs submit JOB --key ledger/4711')}</div>`;
  },
};
