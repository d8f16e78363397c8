// Audit log: all recorded changes with actor, key and reason.
import { auditColumns, button, copy, list, pages, sift } from '../core/page.js';

pages.audit = list({
  role: 'operator', title: 'Audit log', from: 'audit', limit: 100, cli: 'interlock audit ls', flags: ['key', 'run'], fields: [['key', 'key'], ['run', 'run id'], ['since', 'since: 1h, 7d'], ['actor', 'who', true], ['action', 'what', true]],
  load: ({ q }, ask) => sift(ask, q, each => ['actor', 'action'].every(name => (each[name] || '').includes(q[name] || '')), 100),
  hears: (type, data, { q }) => !q.cursor && /^(run|lock\.(?!changed)|reset)/.test(type),
  columns: () => auditColumns('key', 'run'), key: each => each.sequence, none: ['No records', 'Every change of a lock or a run is recorded here.', "interlock locks pause ledger/4711 --reason 'audit freeze'"],
  more: ({ data: { items } }) => items.length > 0 && button('Copy JSON lines', () => copy(items.map(each => JSON.stringify(each)).join('\n'), items.length + ' JSON lines')),
});
