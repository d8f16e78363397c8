// Audit log: who did what, to which key, and why.
import { html, nothing } from '../core/bits.js';
import { get, may, path } from '../core/api.js';
import { copy, filters, head, listing, pager } from '../core/shell.js';
import { auditTable } from '../core/runs-table.js';

const FIELDS = [['key', 'key'], ['run', 'run id'], ['since', 'since: 1h, 7d']];
const asked = q => ({ key: q.get('key'), run: q.get('run'), since: q.get('since'), cursor: q.get('cursor'), limit: 100 });

export default {
  title: () => 'Audit log',
  async load(state) { state.data = may('operator') ? await get(path('audit', asked(state.q))) : { items: [], refused: true }; },
  ignores: (type, data, state) => !!state.q.get('cursor') || type === 'worker.changed' || type === 'lock.changed',
  view({ q, data }) {
    const { items, refused } = data;
    return html`${head({ title: 'Audit log', json: path('audit', asked(q)), cli: listing('interlock audit ls', q, ['key', 'run', 'since']),
      more: items.length ? html`<button @click=${() => copy(items.map(each => JSON.stringify(each)).join('\n'), items.length + ' JSON lines')}>Copy JSON lines</button>` : nothing })}
    ${refused ? html`<p class="banner c-overdue mt"><span>The audit log needs the role operator.</span></p>` : html`${filters(q, FIELDS)}<div class="card mt">${auditTable(items, 'key', 'run')}</div>${pager(data, q)}`}`;
  },
};
