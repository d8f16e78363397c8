// Small parts that all pages are made of.
import { html, svg, nothing } from '../lit/lit-html.js';
import { repeat } from '../lit/directives/repeat.js';
import { href } from './api.js';
import { span, now, millis } from './time.js';

const icon = path => svg`<svg viewBox="0 0 12 12" aria-hidden="true">${path}</svg>`;
const ICONS = {
  held: icon(svg`<circle cx="6" cy="6" r="4.5"/><path d="M6 3.2V6l2 1.3"/>`),
  waiting: icon(svg`<path d="M3 1.5h6M3 10.5h6M3.5 1.5c0 3 5 3 5 4.5s-5 1.5-5 4.5M8.5 1.5c0 1.500-1 2.300-2 3"/>`),
  overdue: icon(svg`<path d="M6 1.200 11.200 10.500H.8ZM6 4.500v2.800M6 8.600v.6"/>`),
  ok: icon(svg`<path d="m2 6.500 2.600 2.600L10 3.200"/>`),
  fail: icon(svg`<path d="m2.500 2.500 7 7m0-7-7 7"/>`),
  fenced: icon(svg`<path d="M6 1 10.500 2.600v3.200c0 2.600-2 4.400-4.500 5.200C3.500 10.200 1.500 8.400 1.500 5.800V2.600ZM4.200 4.200l3.600 3.600"/>`),
  idle: icon(svg`<circle cx="6" cy="6" r="4" stroke-dasharray="2 2"/>`),
  paused: icon(svg`<path d="M4 2.500v7M8 2.500v7"/>`),
};
const LOCKS = { HELD: 'held', OVERDUE: 'overdue', WAITING: 'waiting', PAUSED: 'paused', FREE: 'idle' };
const RUNS = { QUEUED: ['waiting', 'Queued'], PENDING: ['waiting', 'Pending'], RUNNING: ['held', 'Running'], SUCCEEDED: ['ok', 'Succeeded'],
  FAILED: ['fail', 'Failed'], DEAD: ['fail', 'Dead letter'], TIMED_OUT: ['fail', 'Timed out'], ABORTED: ['idle', 'Aborted'] };
const LOST = ['WORKER_TIMEOUT', 'LOCK_STATE_LOST', 'OVERLAPPING_GRANTS', 'EVICTED', 'LEASE_LOST', 'WAITER_LOST'];

export const mark = kind => ICONS[kind];
export const pill = (kind, words) => html`<span class="pill c-${kind}">${ICONS[kind]}${words}</span>`;
export const lockPill = state => pill(LOCKS[state] || 'idle', state[0] + state.slice(1).toLowerCase());
export const isLost = error => !!error && LOST.includes(error.code);
export const kindOf = run => isLost(run.error) ? 'fenced' : (RUNS[run.state] || ['idle'])[0];
export const runPill = run => {
  const [kind, words] = RUNS[run.state] || ['idle', run.state];
  return html`${pill(kind, words)}${isLost(run.error) ? html` ${pill('fenced', 'Lost')}` : nothing}`;
};
export const isOver = run => !['QUEUED', 'PENDING', 'RUNNING'].includes(run.state);

/** A run's id as people say it: its end, which differs where the beginning is only the time. */
export const short = id => id.length > 12 ? id.slice(-8) : id;
export const runLink = id => id ? html`<a class="mono" href=${href('runs/' + encodeURIComponent(id))} title=${id}>${short(id)}</a>` : '—';
export const lockPath = key => 'lock?key=' + encodeURIComponent(key);
/** A key may break after each slash, and nowhere else if it can. */
export const slashed = key => key.split('/').map((part, i) => html`${i ? html`/<wbr>` : nothing}${part}`);
export const keyLink = key => html`<a class="mono key" href=${href(lockPath(key))}>${slashed(key)}</a>`;

export const leaseLeft = lock => lock.leaseLeft ? Math.max(0, millis(lock.leaseLeft) - (now() - lock.seen)) : null;
export const percent = progress => progress && progress.total ? Math.min(100, Math.floor(100 * progress.done / progress.total)) : null;
export function stage(thing, warn) {
  const part = percent(thing.progress);
  const words = [thing.stage, part !== null ? part + ' %' : thing.progress ? thing.progress.done : null].filter(word => word !== null && word !== undefined);
  return html`${part === null ? nothing : html`<progress class=${warn ? 'warn' : ''} max="100" value=${part} aria-label="progress"></progress> `}<span class="nw">${words.join(' · ') || '—'}</span>`;
}

/** columns: [title, cell of a row, classes, name to sort by]; on narrow screens every row is a card. */
export function table(name, columns, rows, key, sorted) {
  return html`<table aria-label=${name}><thead><tr>${columns.map(([title, , classes = '', sort]) => html`<th scope="col" class=${classes}
    aria-sort=${sort && sorted?.by === sort ? (sorted.down ? 'descending' : 'ascending') : nothing}>${sorted && sort
      ? html`<button class="sort" @click=${() => sorted.set(sort)}>${title}${sorted.by === sort ? (sorted.down ? ' ↓' : ' ↑') : ''}</button>` : title}</th>`)}</tr></thead>
  <tbody>${repeat(rows, key, row => html`<tr>${columns.map(([title, cell, classes = '']) => html`<td class=${classes} data-l=${title}><div>${cell(row)}</div></td>`)}</tr>`)}</tbody></table>`;
}

export const empty = (title, words, command) => html`<div class="empty"><h2>${title}</h2><p>${words}</p>${command
  ? html`<p><code class="mono">${command}</code></p>` : nothing}</div>`;
export const figure = (number, words, where, bad) => html`<a class="card pad kpi ${bad ? 'bad' : ''}" href=${href(where)}><b class="tn">${number}</b><span>${words}</span></a>`;
export const section = (name, body, note) => html`<section class="card mt" aria-label=${name}><h2 class="pad0">${name} <span class="muted">${note || ''}</span></h2>${body}</section>`;
export const count = page => page ? page.items.length + (page.cursor ? '+' : '') : '';
export const facts = pairs => html`<dl>${pairs.filter(([, value]) => value !== undefined && value !== null && value !== '').map(([name, value]) =>
  html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
export const quoted = words => words ? html`<q>${words}</q>` : '—';
export { html, svg, nothing, repeat, span };
