// Audit log: all recorded changes with actor, key and reason, made to be read at 3 a.m.: from–to, absolute times, people apart from rules and workers.
import { act, auditColumns, banner, button, clock, copy, day, get, html, list, mono, pages, shell, soft, stamp, tick, zoneName } from '../core/page.js';

const KINDS = [['', 'All'], ['people', 'People'], ['rules', 'Rules'], ['workers', 'Workers']];
const kinds = ({ q }) => html`<div class="chips mt" role="group" aria-label="Who">${KINDS.map(([actor, words]) => html`<button class="chip" aria-pressed=${String((q.actor || '') === actor)} @click=${() => shell.filter({ actor })}>${words}</button>`)}</div>`;

/** Checks the whole chain of hashes; the result stays on the page. */
const verify = state => act('The audit log was verified', async () => {
  state.report = null;
  shell.draw();
  state.report = { ...await get('audit/verify'), seen: tick() };
});
const report = ({ clean, findings, head, sentence, seen }) => banner(clean ? 'ok' : 'fail', html`${clean ? 'The chain is intact' : 'The chain is broken'}: ${sentence}. ${findings.map(words => html`<br>${soft(words)}`)}
  <span class="sub">hash ${mono(head.split(':')[1]?.slice(0, 16) + '…')}, verified ${stamp(seen)} ${zoneName()} ${button('Copy as witness', () => copy(head, 'Witness'), 'small')}</span>`);

/** The first record of each day has its date. */
const when = items => ['When', (each, i = items.indexOf(each)) => html`${i === 0 || day(items[i - 1].at) !== day(each.at) ? html`<b class="day">${day(each.at)}</b>` : ''}<time datetime=${each.at} title="${each.at}">${clock(each.at)}</time>`, 'first nw tn'];

pages.audit = list({
  role: 'operator', title: 'Audit log', from: 'audit', limit: 100, cli: 'interlock audit ls', flags: ['key', 'run', 'action', 'since', 'until'], also: ['actor'],
  fields: [['key', 'key or prefix*'], ['run', 'run id'], ['since', 'from: 02:30, 1h, 7d'], ['until', 'to: 04:00'], ['who', 'who'], ['action', 'action']],
  hears: (type, data, { q }) => !q.cursor && !q.until && /^(run|lock\.(?!changed)|reset)/.test(type),
  columns: ({ data }) => [when(data.items), ...auditColumns('key', 'run').slice(1)], key: each => each.sequence, none: ['No records', 'Every change of a lock or a run is recorded here.', "interlock locks pause ledger/4711 --reason 'audit freeze'"],
  aside: () => 'times in ' + zoneName(),
  above: state => html`${kinds(state)}${state.report && report(state.report)}`,
  more: state => html`${state.data.items.length > 0 && button('Copy JSON lines', () => copy(state.data.items.map(each => JSON.stringify(each)).join('\n'), state.data.items.length + ' JSON lines'))}${button('Verify chain', () => verify(state), 'primary')}`,
});
