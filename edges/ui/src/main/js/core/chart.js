// Timelines: rows of bars over one axis, and the same data as a table.
import { html, isLost, kindOf, svg, table } from './bits.js';
import { at, clock, day, now, zoneName } from './time.js';

const ROW = 26;
const TOP = 28;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400, 172800, 604800];

/** When a run had the key: one piece for each attempt. */
export function holds(run) {
  const attempts = run.attempts || (run.startedAt ? [run] : []);
  return attempts.map((each, i) => {
    const open = !each.endedAt && !run.endedAt;
    const last = i === attempts.length - 1;
    return { from: at(each.startedAt), to: open ? now() : at(each.endedAt || run.endedAt), token: each.token, open, error: each.error,
      kind: open ? 'held' : isLost(each.error) ? 'fenced' : last ? kindOf(run) : 'fail' };
  });
}

/** Round steps of time: about one line per 110 pixels. The date stands at the first one and after each midnight, the zone at the left. */
export function ticks(from, to, room) {
  const step = 1000 * (STEPS.find(s => (to - from) / s / 1000 <= Math.max(2, room / 110)) || STEPS.at(-1));
  const first = Math.ceil(from / step);
  const times = Array.from({ length: Math.floor(to / step) - first + 1 }, (_, i) => (first + i) * step);
  return times.map((time, i) => ({ time, words: (i && day(time) === day(times[i - 1]) ? '' : day(time) + ' ') + clock(time, step < 60000 ? 8 : 5) }));
}
const axis = (from, to, x, bottom, room) => svg`<text class="ax" x="0" y="13">${zoneName()}</text>${ticks(from, to, room).map(({ time, words }) => svg`<line class="g" x1=${x(time)} x2=${x(time)} y1="20" y2=${bottom}/>
    <text class="ax" x=${x(time)} y="13" text-anchor="middle">${words}</text>`)}`;

/** rows: {name, bars, marks, note}; bars: {from, to, kind, title}; marks: {at, title, late}; tail is the space for notes after the last bars. */
export function chart(label, rows, width, tail) {
  const bars = rows.flatMap(row => row.bars);
  const narrow = width < 600;
  const left = narrow ? 84 : 124;
  const room = width - left - (narrow ? 12 : tail);
  const from = Math.min(...bars.map(bar => bar.from));
  const to = Math.max(from + 1000, ...bars.map(bar => bar.to));
  const x = time => left + (Math.max(from, Math.min(to, time)) - from) / (to - from) * room;
  const bottom = TOP + rows.length * ROW;
  const bar = ({ kind, title, ...time }, y) => {
    const [x1, x2] = [x(time.from), x(time.to)];
    return svg`<rect class="bar c-${kind}" x=${x1} y=${y} width=${Math.max(3, x2 - x1)} height="18" rx="3"><title>${title}</title></rect>
      ${kind === 'fenced' && svg`<path class="cut" d="M${x2 - 4} ${y - 2}l5 11l-4 1l5 10"/>`}`;
  };
  return html`<svg class="chart" width=${width} height=${bottom + 4} role="img" aria-label=${label}>${axis(from, to, x, bottom, room)}
    ${rows.map((row, i) => {
      const y = TOP + i * ROW;
      const end = Math.max(...[...row.bars, ...(row.marks || []).map(each => ({ to: each.at }))].map(each => each.to));
      return svg`<text x="0" y=${y + 13}>${row.name.length > 17 ? row.name.slice(0, 16) + '…' : row.name}</text>${row.bars.map(each => bar(each, y))}
        ${row.marks?.map(each => svg`<circle class="hb ${each.late ? 'miss' : ''}" cx=${x(each.at)} cy=${y + 9} r=${each.late ? 4 : 2.6}><title>${each.title}</title></circle>`)}
        ${row.note && !narrow && svg`<text class="ax" x=${x(end) + 6} y=${y + 13}>${row.note}</text>`}`;
    })}</svg>`;
}

export const twin = (columns, rows) => html`<details><summary>View as table</summary>${table('The same data as a table', columns, rows, (row, i) => i)}</details>`;
