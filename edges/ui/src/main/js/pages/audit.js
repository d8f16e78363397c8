// Audit log: who did what, to which key, and why.
import { auditColumns, banner, copy, html, list, may } from '../core/page.js';

const page = list({
  title: 'Audit log', from: 'audit', limit: 100, cli: 'interlock audit ls', fields: [['key', 'key'], ['run', 'run id'], ['since', 'since: 1h, 7d']],
  hears: (type, data, { q }) => !q.cursor && /^(run|lock\.(?!changed)|reset)/.test(type),
  columns: () => auditColumns('key', 'run'), key: each => each.sequence, none: ['Nothing was recorded', 'Whatever changes a lock or a run is written down here.', "interlock locks pause ledger/4711 --reason 'audit freeze'"],
  more: ({ data: { items } }) => items.length > 0 && html`<button @click=${() => copy(items.map(each => JSON.stringify(each)).join('\n'), items.length + ' JSON lines')}>Copy JSON lines</button>`,
});
const refused = () => html`<h1 tabindex="-1">Audit log</h1>${banner('overdue', 'The audit log needs the role operator.')}`;
export default { ...page, load: state => may('operator') ? page.load(state) : {}, view: state => may('operator') ? page.view(state) : refused() };
