// Small components of all pages.
import { html as lit, nothing, svg as litSvg } from '../lit/lit-html.js';
import { repeat } from '../lit/directives/repeat.js';
import { href, session } from './api.js';
import { millis, moment, now, span, zone } from './time.js';

/** Templates that render false as nothing, also in a list, so that 'condition && html`…`' works. */
const spared = value => value === false ? nothing : Array.isArray(value) ? value.map(spared) : value;
const sparing = tag => (parts, ...values) => tag(parts, ...values.map(spared));
export const html = sparing(lit);
export const svg = sparing(litSvg);

const ICONS = {
  held: 'M6 1.5a4.5 4.5 0 1 0 .01 0M6 3.2V6l2 1.3',
  waiting: 'M3 1.5h6M3 10.5h6M3.5 1.5c0 3 5 3 5 4.5s-5 1.5-5 4.5M8.5 1.5c0 1.5-1 2.3-2 3',
  overdue: 'M6 1.2 11.2 10.5H.8ZM6 4.5v2.8M6 8.6v.6',
  ok: 'm2 6.5 2.6 2.6L10 3.2',
  fail: 'm2.5 2.5 7 7m0-7-7 7',
  fenced: 'M6 1 10.5 2.6v3.2c0 2.6-2 4.4-4.5 5.2C3.5 10.2 1.5 8.4 1.5 5.8V2.6ZM4.2 4.2l3.6 3.6',
  idle: 'M6 2a4 4 0 1 0 .01 0',
  paused: 'M4 2.5v7M8 2.5v7',
};
const LOCKS = { HELD: 'held', OVERDUE: 'overdue', WAITING: 'waiting', PAUSED: 'paused' };
const RUNS = { QUEUED: 'waiting', PENDING: 'waiting', RUNNING: 'held', SUCCEEDED: 'ok', FAILED: 'fail', DEAD: 'fail', TIMED_OUT: 'fail' };
const LOST = ['WORKER_TIMEOUT', 'LOCK_STATE_LOST', 'OVERLAPPING_GRANTS', 'EVICTED', 'LEASE_LOST', 'WAITER_LOST'];

export const brand = html`<svg class="mark" viewBox="0 0 16 16" aria-hidden="true"><path d="M2 2h12v12H2ZM9 2v12M11 2v12M13 2v12"/></svg>`;
export const mark = kind => html`<svg viewBox="0 0 12 12" aria-hidden="true"><path d=${ICONS[kind]} stroke-dasharray=${kind === 'idle' && '2 2'}/></svg>`;
export const pill = (kind, words) => html`<span class="pill c-${kind}">${mark(kind)}${words}</span>`;
export const banner = (kind, words) => html`<p class="banner c-${kind} mt">${mark(kind)}<span>${words}</span></p>`;
/** TIMED_OUT as 'Timed out'. */
export const said = state => state === 'DEAD' ? 'Dead letter' : state[0] + state.slice(1).toLowerCase().replace('_', ' ');
/** Whether a key was taken from its holder, and stays closed until the lease it had is over. */
export const isClosing = lock => lock.holder?.alive === false && leaseLeft(lock) > 0;
export const lockPill = lock => isClosing(lock) ? pill('overdue', 'Closing') : pill(LOCKS[lock.state] || 'idle', said(lock.state));
export const isLost = error => LOST.includes(error?.code);
export const kindOf = run => isLost(run.error) ? 'fenced' : RUNS[run.state] || 'idle';
export const runPill = run => html`${pill(RUNS[run.state] || 'idle', said(run.state))}${isLost(run.error) && html` ${pill('fenced', 'Lost')}`}`;
export const isOver = run => !['QUEUED', 'PENDING', 'RUNNING'].includes(run.state);

/**
 * The short form of a run id: its end, because its beginning is only the time.
 * @noinline
 */
export const short = id => id.slice(-8);
export const runLink = id => id ? html`<a class="mono" href=${href('runs/' + encodeURIComponent(id))} title=${id}>${short(id)}</a>` : '';
export const lockPath = key => 'lock?key=' + encodeURIComponent(key);
/** A token is long, and its end tells it apart. */
export const token = number => number ? html`<span class="mono" title="token ${number}">…${String(number).slice(-5)}</span>` : '';
/** The last line that says something: programs end with their error. */
export const lastLine = (words = '') => words.trim().split('\n').at(-1).trim();
/** A code, and the last line of the message, at most two lines high. */
export const errorText = (error, code = mono) => error ? html`<span class="bad nw">${code(error.code)}</span> ${error.message && html`<span class="clamp" title=${error.message}>${soft(lastLine(error.message))}</span>`}` : '';
const PARTS = /((?<=\b[rR]un )[0-9a-f]{8}-[0-9a-f-]{27}|(?:since|at) \d{4}-\d\d-\d\dT[\d:.]+Z|(?<=with token )\d+)/;
/**
 * Formats an explanation of the server, optionally about a run: other runs become links (keys that look like run ids do not), times are
 * formatted, and the name of the tenant, which stands in the header, is left out. Of a long error it has the last line.
 */
export const sentence = (words, about = '', error = null) => {
  const brief = error?.message ? words.replace(error.message, lastLine(error.message)) : words;
  return brief.replace(/^run /, 'Run ').replace(session.tenant + ':', '').split(PARTS).map((part, i) => {
    const [word, instant] = part.split(' ');
    if (i % 2 === 0) return soft(part);
    if (part === about) return mono(short(part));
    if (/^\d+$/.test(part)) return token(part);
    if (!instant) return runLink(part);
    return zone() !== 'relative' ? html`${word} ${moment(instant)}` : word === 'at' ? moment(instant) : html`for ${moment(instant, span)}`;
  });
};
const LONG = 28;
/** Text in which only very long words may break, preferably after a punctuation mark. */
export const soft = words => words.length <= LONG ? words : words.split(/(\s+)/).map(word => word.length <= LONG ? word
  : word.split(/(?<=[./:@_=,-])/).flatMap(part => part.match(/[^]{1,28}/gu)).map((part, i) => html`${i > 0 && html`<wbr>`}${part}`));
/** A key preferably breaks after slashes. */
export const slashed = key => key.split('/').map((part, i) => html`${i > 0 && html`/<wbr>`}${soft(part)}`);
export const keyLink = key => key ? html`<a class="mono key" href=${href(lockPath(key))}>${slashed(key)}</a>` : '';
export const mono = words => html`<span class="mono">${words}</span>`;
export const quoted = words => words ? html`<q title=${words}>${soft(words)}</q>` : '';
export const muted = words => html`<span class="muted">${words}</span>`;
/** Label, action, classes, and an accessible name if the label is not enough. */
export const button = (words, click, classes = '', name = '') => html`<button type="button" class=${classes} aria-label=${name || false} @click=${click}>${words}</button>`;

export const leaseLeft = lock => lock.leaseLeft ? Math.max(0, millis(lock.leaseLeft) - (now() - lock.seen)) : null;
export const percent = progress => progress?.total ? Math.min(100, Math.floor(100 * progress.done / progress.total)) : null;
export function stage(thing) {
  const part = percent(thing.progress);
  const words = [thing.stage, part === null ? thing.progress?.done : part + ' %'].filter(word => word || word === 0);
  return words.length > 0 && html`${part !== null && html`<progress class=${thing.state === 'OVERDUE' ? 'warn' : ''} max="100" value=${part} aria-label="progress"></progress> `}<span class="nw">${words.join(' · ')}</span>`;
}

const shown = value => typeof value === 'string' ? soft(value) : value;
/** columns: [title, cell of a row or the name of its field, classes, name to sort by]; on narrow screens every row is a card. An empty cell shows a dash. */
export const table = (name, columns, rows, key, sorted = null) => html`<table aria-label=${name}><thead><tr>${columns.map(([title, , classes = '', sort]) => {
  const by = Boolean(sort) && sorted?.by === sort;
  return html`<th scope="col" class=${classes} aria-sort=${by && (sorted.down ? 'descending' : 'ascending')}>${sorted && sort
    ? button([title, by && (sorted.down ? ' ↓' : ' ↑') || ''], () => sorted.set(sort), 'sort') : title}</th>`;
})}</tr></thead><tbody>${repeat(rows, key, row => html`<tr>${columns.map(([title, cell, classes = '']) =>
  html`<td class=${classes} data-l=${typeof title === 'string' ? title : ''}><div>${shown(cell.call ? cell(row) : row[cell])}</div></td>`)}</tr>`)}</tbody></table>`;

/** A number with commas between thousands: 10,999. */
export const commas = number => String(number).replace(/\B(?=(\d{3})+$)/g, ',');
/** How many runs wait, as a verb: 1 waits, 10,999 wait. */
export const waiting = number => `${commas(number)} ${number === 1 ? 'waits' : 'wait'}`;
/** A number that leads to what it counts. */
export const figure = (number, words, to, kind = '') => html`<a class="card pad kpi ${kind}" href=${href(to)}><b class="tn">${typeof number === 'number' ? commas(number) : number}</b><span>${words}</span></a>`;
export const jobLink = (name, classes = '') => html`<a class=${classes} href=${href('jobs/' + encodeURIComponent(name))}>${soft(name)}</a>`;
export const empty = ([title, words, command]) => html`<div class="empty"><h2>${title}</h2><p>${words}</p>${command && html`<p><code class="mono">${command}</code></p>`}</div>`;
export const section = (name, body, note = '') => html`<section class="card mt" aria-label=${name}><h2 class="pad0">${name} ${muted(note)}</h2>${body}</section>`;
export const box = (name, body) => html`<section class="card pad mt" aria-label=${name}><h2>${name}</h2>${body}</section>`;
export const facts = pairs => html`<dl>${Object.entries(pairs).filter(([, value]) => value || value === 0).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
/** A run's labels, such as team=finance. */
export const labels = run => Object.entries(run.labels || {}).map(pair => pair.join('=')).join(' ');
export const labelTags = run => Object.entries(run.labels || {}).map(pair => html`<span class="tag">${soft(pair.join('='))}</span> `);
/** A duration that keeps counting. */
export const age = ms => html`<span class="tn age">${span(ms)}</span>`;
