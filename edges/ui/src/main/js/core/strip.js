// Charts over time: how runs ended, how many waited, how long keys were held. The server has counted every period.
import { href, path } from './api.js';
import { commas, html, muted, svg } from './bits.js';
import { twin } from './chart.js';
import { shell } from './shell.js';
import { at, clock, day, millis, span, stamp, zoneName } from './time.js';

const HIGH = 58;
const TOP = 6;
const LEFT = 44;
/** The windows, each with what its bars are called. */
const WINDOWS = { '1h': ['1 h', 'runs a minute'], '24h': ['24 h', 'runs in ten minutes'], '7d': ['7 d', 'runs an hour'] };
const ENDS = [['failed', 'fail', 'failed'], ['stopped', 'idle', 'stopped'], ['succeeded', 'ok', 'succeeded']];

const total = each => each.succeeded + each.failed + each.stopped;
/** A round number that no value exceeds: 1, 2 or 5 with zeros behind it. */
const round = most => {
  const unit = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return [1, 2, 5, 10].map(step => step * unit).find(top => top >= most);
};
const TIMES = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400, 172800, 604800, 2592000].map(s => s * 1000);

const when = ({ at: from }, step) => `${stamp(from, 5)}–${clock(at(from) + step, 5)}`;
/** The frame of one chart: its figure, an axis of values with three lines, an axis of times, and what was not counted. */
function frame(name, figure, words, legend, { items, step }, width, top, shown, body) {
  const x = i => LEFT + i * (width - LEFT - 4) / items.length;
  const label = i => step < 3600000 ? clock(items[i].at, 5) : day(items[i].at);
  const marks = [0, Math.floor(items.length / 2), items.length - 1];
  return html`<div class="series"><div class="row"><b class="figure tn">${figure}</b>${muted(words)}<span class="grow"></span>${legend}</div>
    <svg class="chart" width=${width} height=${TOP + HIGH + 20} role="group" aria-label=${words}>
    <defs><pattern id="uncounted-${name}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="hatch" d="M0 0v6"/></pattern></defs>
    ${[0, 0.5, 1].map(part => svg`<path class="g" d="M${LEFT} ${TOP + HIGH * (1 - part)}H${width}"/>${(part !== 0.5 || top > 1) && svg`<text class="ax" x=${LEFT - 6} y=${TOP + HIGH * (1 - part) + 4} text-anchor="end">${shown(top * part)}</text>`}`)}
    ${items.map((each, i) => !each.counted && svg`<rect fill="url(#uncounted-${name})" opacity=".5" x=${x(i)} y=${TOP} width=${x(i + 1) - x(i)} height=${HIGH}><title>${when(each, step)}: nothing was counted</title></rect>`)}
    ${body(x, value => TOP + HIGH * (1 - Math.min(1, value / top)))}
    ${marks.map((i, n) => svg`<text class="ax" x=${n === 2 ? width : x(i)} y=${TOP + HIGH + 15} text-anchor=${['start', 'middle', 'end'][n]}>${label(i)}</text>`)}</svg></div>`;
}

/** From bar to bar by the arrow keys. Tab stops at the newest one only: a stop at each would be in the way. */
const along = event => {
  const way = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
  const all = [...event.currentTarget.parentNode.querySelectorAll('a')];
  const next = way && all[all.indexOf(event.currentTarget) + way];
  if (next) { event.preventDefault(); next.focus(); }
};

/** Bars of ended runs, failures at the foot so that periods compare; each leads to its runs. */
const bars = ({ items, step, job }) => (x, y) => items.map((each, i) => {
  const wide = Math.max(1, x(i + 1) - x(i) - 1);
  let sum = 0;
  const parts = ENDS.filter(([name]) => each[name]).map(([name, kind]) => {
    sum += each[name];
    // A failure is seen at any scale.
    const high = Math.max(kind === 'fail' ? 3 : 1, y(sum - each[name]) - y(sum));
    return svg`<rect class="bar c-${kind}" x=${x(i)} y=${Math.min(y(sum), TOP + HIGH - high)} width=${wide} height=${high}/>`;
  });
  const to = new Date(at(each.at) + step).toISOString();
  const words = `${when(each, step)}: ${ENDS.map(([name, , said]) => `${each[name]} ${said}`).join(', ')}`;
  return total(each) > 0 && svg`<a href=${href(path('runs', { job, since: each.at, until: to }))} tabindex=${items.slice(i + 1).some(total) ? -1 : 0} @keydown=${along} aria-label=${words}><title>${words}; click for the runs submitted then</title><rect class="lane" x=${x(i)} y=${TOP} width=${wide + 1} height=${HIGH}/>${parts.reverse()}</a>`;
});

/** A line over the periods that have a value, with the area below it. */
const line = (kind, items, value, words) => (x, y) => {
  const points = items.map((each, i) => ({ each, at: (x(i) + x(i + 1)) / 2, value: value(each) }));
  const parts = [];
  points.forEach((point, i) => {
    if (point.value === null) return;
    if (!i || points[i - 1].value === null) parts.push([]);
    parts.at(-1).push(point);
  });
  return svg`${parts.map(part => {
    const path = part.map((point, i) => `${i ? 'L' : 'M'}${point.at} ${y(point.value)}`).join('');
    return svg`<path class="fill c-${kind}" d="${path}L${part.at(-1).at} ${TOP + HIGH}L${part[0].at} ${TOP + HIGH}z"/><path class="stroke c-${kind}" d="${path}${part.length < 2 ? 'h1' : ''}"/>`;
  })}${points.map((point, i) => point.value !== null && svg`<rect class="lane" x=${x(i)} y=${TOP} width=${x(i + 1) - x(i)} height=${HIGH}><title>${words(point.each)}</title></rect>`)}`;
};

/** Three charts beside each other, or below each other if there is no room. */
function strip(history, waiting, job) {
  const width = shell.width;
  const items = history.items;
  const step = millis(history.step);
  const data = { items, step, job };
  const narrow = width < 760;
  const room = narrow ? [width - 34, width - 34, width - 34] : [0.4, 0.3, 0.3].map(part => Math.floor(part * width) - 36);
  const holds = items.map(each => millis(each.holdP95) ?? 0);
  const last = items.at(-2) || items[0];
  const longest = Math.max(...holds);
  return html`<div class="card charts">${frame('ends', last.counted ? commas(total(last)) : '—', WINDOWS[history.window][1], html`<ul class="list legend">${ENDS.filter(([name]) => items.some(each => each[name])).map(([, kind, said]) => html`<li><i class="c-${kind}"></i>${said}</li>`)}</ul>`, data, room[0], round(Math.max(1, ...items.map(total))), commas, bars(data))}
    ${frame('waiting', commas(waiting), 'waiting', '', data, room[1], round(Math.max(1, waiting, ...items.map(each => each.waiting))), commas,
      line('waiting', items.map((each, i) => i === items.length - 1 ? { ...each, waiting: Math.max(waiting, 0), counted: true } : each), each => each.counted ? each.waiting : null, each => `${when(each, step)}: up to ${each.waiting} waiting`))}
    ${frame('holds', history.holdP95 ? span(millis(history.holdP95)) : '—', 'hold, 95 % within', '', data, room[2], TIMES.find(time => time >= longest) || longest, value => value ? span(value) : '0',
      line('held', items, each => each.holdP95 ? millis(each.holdP95) : null, each => `${when(each, step)}: 95 % within ${span(millis(each.holdP95))}, half within ${span(millis(each.holdP50))}`))}</div>
    ${twin([[`From (${zoneName()})`, each => stamp(each.at, 5), 'first nw'], ['Succeeded', 'succeeded', 'num tn'], ['Stopped', 'stopped', 'num tn'], ['Failed', 'failed', 'num tn'], ['Waiting', 'waiting', 'num tn'], ['Half within', each => span(millis(each.holdP50)), 'num tn'], ['95 % within', each => span(millis(each.holdP95)), 'num tn']],
      items.filter(each => total(each) || each.waiting).reverse())}`;
}

/** The window that the URL has, or else the usual one. */
export const windowOf = ({ window: name }, usual) => WINDOWS[name] ? name : usual;
const windows = (chosen, usual) => html`<div class="switch" role="group" aria-label="Window">${Object.entries(WINDOWS).map(([name, [words]]) => html`<button aria-pressed=${String(chosen === name)} @click=${() => shell.filter({ window: name === usual ? '' : name })}>${words}</button>`)}</div>`;
/** What became of runs over time, of one job or of all, with a choice of windows; waiting: how many runs wait now. */
export const overTime = (history, waiting, usual, job = '') => history?.window && html`<section class="mt" aria-label="Over time"><div class="row"><h2>Over time ${muted(zoneName() + ' · click a bar to see its runs')}</h2><span class="grow"></span>${windows(history.window, usual)}</div>${strip(history, waiting, job)}</section>`;
