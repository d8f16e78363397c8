// The history of one key as a picture. The top lane is the key itself, with all holds of the window: no two at a time. Below it is a lane
// for each of the last holds, for the holder, and for the next runs in line with their estimated starts.
import { href } from './api.js';
import { commas, html, short, svg } from './bits.js';
import { ticks } from './chart.js';
import { about, at, clock, day, now, span, stamp, zoneName } from './time.js';

const ROW = 16;
const TOP = 44;
const FOLD = 44;
const TORN = 14;
const LEGEND = { waiting: 'waiting', held: 'holding', ok: 'succeeded', fail: 'failed', fenced: 'lost its lease', overdue: 'overdue', idle: 'stopped', next: 'estimate', paused: 'paused', unknown: 'not known', fold: 'gap left out' };

const median = values => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] || 0;

/** Time to pixels: gaps without a hold that are longer than five usual holds are folded to a fixed width. */
function scale(from, to, holds, left, room) {
  const usual = median(holds.filter(hold => !hold.open).map(hold => hold.to - hold.from));
  // At most three, the longest: more would fold away the sense of time.
  const folds = holds.slice(1).map((hold, i) => ({ from: holds[i].to, to: hold.from })).filter(gap => gap.from >= from && gap.to - gap.from > Math.max(5 * usual, 3 * FOLD * (to - from) / room))
    .sort((a, b) => b.to - b.from - a.to + a.from).slice(0, 3).sort((a, b) => a.from - b.from);
  // A part of each gap stays, so that the holds beside it keep their distance.
  folds.forEach(gap => { const rest = Math.max(Math.min(usual, (gap.to - gap.from) / 4), (gap.to - gap.from) / 50); gap.length = gap.to - gap.from; gap.from += rest; gap.to -= rest; });
  const hidden = folds.reduce((sum, gap) => sum + gap.to - gap.from, 0);
  const perMillis = Math.max(1, room - folds.length * FOLD) / Math.max(1, to - from - hidden);
  const x = time => {
    let place = left;
    let begin = from;
    for (const gap of folds) {
      if (time <= gap.from) break;
      place += (gap.from - begin) * perMillis;
      if (time < gap.to) return place + FOLD * (time - gap.from) / (gap.to - gap.from);
      place += FOLD;
      begin = gap.to;
    }
    return place + (Math.min(time, to) - begin) * perMillis;
  };
  /** The parts of the window between the folds. */
  const parts = [from, ...folds.flatMap(gap => [gap.from, gap.to]), to];
  return { x: time => x(Math.max(from, time)), folds, parts: Array.from({ length: parts.length / 2 }, (_, i) => ({ from: parts[2 * i], to: parts[2 * i + 1] })), perMillis };
}

const describe = hold => [hold.run && 'run ' + short(hold.run), hold.who, `${stamp(hold.from)}–${hold.open ? 'now' : stamp(hold.to)}`, span(hold.to - hold.from), hold.kind === 'fenced' && 'lost its lease', hold.why, hold.token && 'token ' + hold.token]
  .filter(word => word).join(', ');

/** A hold of the key; a lost lease has a torn end at any scale. */
function bar(hold, x, y, high, words = '') {
  const x1 = x(hold.from);
  const torn = hold.kind === 'fenced';
  const x2 = Math.max(x1 + (torn ? TORN + 2 : 3), x(hold.to));
  const end = torn ? x2 - TORN : x2;
  const teeth = Array.from({ length: 4 }, (_, i) => `l${i % 2 ? -7 : 7} ${high / 4}`).join('');
  return svg`<rect class="bar c-${hold.kind}" x=${x1} y=${y} width=${Math.max(2, end - x1)} height=${high} rx="2"/>
    ${torn && svg`<path class="bar c-fenced" d="M${end - 1} ${y}h5${teeth}h-5z"/><path class="tear c-fenced" d="M${x2 - 3} ${y + 1}v3m0 3v3m0 3v2m3-12v2m0 3v2"/>`}
    ${words && end - x1 > words.length * 7 + 8 && svg`<text class="on" x=${(x1 + end) / 2} y=${y + high / 2 + 4} text-anchor="middle">${words}</text>`}`;
}

/** The picture's axis: a date at the first line, after each fold and after midnight. */
const axis = ({ parts, x }, room, present) => {
  let last = -1e9;
  const found = parts.flatMap(part => ticks(part.from, part.to, Math.max(110, room * (x(part.to) - x(part.from)) / room))).filter(({ time, words }) => {
    const fits = x(time) - last > words.length * 6.4 + 14 && Math.abs(x(time) - x(present)) > words.length * 3.3 + 50;
    if (fits) last = x(time);
    return fits;
  });
  // On a narrow screen no round time may fit beside the present.
  return found.length ? found : [{ time: parts[0].from, words: day(parts[0].from) + ' ' + clock(parts[0].from, 5) }];
};

/**
 * holds: all holds of the window, the oldest first, as {from, to, kind, run, who, waitedSince, token, open, why}; line: the next runs as {id, place, waitingSince, startsAt, who}, of
 * total; usual: the usual length of a hold; left: what the holder still needs, if that is known; pauses: {from, to}; unknown: {from, to} in which there may be other holds; joined: when each in line began to wait; lastStart: about when the last of them starts; refusals: minutes with requests that started nothing.
 */
export function lanes({ holds, line, total, usual, left: rest, pauses, unknown, joined, lastStart, refusals }, width) {
  const narrow = width < 600;
  const present = now();
  const [past, coming] = narrow ? [4, 3] : [8, 5];
  const open = holds.find(hold => hold.open);
  const ended = holds.filter(hold => !hold.open).slice(-past);
  const next = line.slice(0, coming);
  if (!holds.length && !next.length) return null;
  const drawn = [...ended, ...open ? [open] : []];
  const begin = Math.min(present - 1000, ...drawn.map(hold => hold.from), ...drawn.length ? [] : next.map(each => at(each.waitingSince)));
  const estimates = next.filter(each => each.startsAt).map(each => ({ ...each, from: at(each.startsAt), to: at(each.startsAt) + (usual || 1000) }));
  const done = open && rest !== null ? present + rest : null;
  const finish = Math.max(present + (present - begin) * 0.06, done || 0, ...estimates.map(each => each.to));
  const start = begin - (finish - begin) * 0.015;
  const left = narrow ? 82 : 148;
  const room = width - left - (narrow ? 8 : 96);
  const all = holds.filter(hold => hold.to > start);
  const map = scale(start, finish, all, left, room);
  const { x } = map;
  const more = total - next.length;
  const joins = (joined.length < total ? `when the first ${joined.length} joined` : 'when they joined') + (lastStart ? `; the last of ${commas(total)} starts ${about(lastStart)}` : '');
  // Near the right edge it ends there.
  const ending = x(present) + 6 + joins.length * 5.8 > width;
  const refused = refusals.filter(each => at(each.minute) + 60000 > start);
  const lined = drawn.length + next.length + (more > 0 ? 1 : 0);
  const rows = lined + (refused.length ? 1 : 0);
  const bottom = TOP + 10 + rows * ROW;
  const rowY = i => TOP + 10 + i * ROW;
  const kinds = new Set([...all.map(hold => hold.kind), ...next.length || drawn.some(hold => hold.waitedSince < hold.from - 500) ? ['waiting'] : [],
    ...estimates.length || done ? ['next'] : [], ...pauses.length ? ['paused'] : [], ...unknown.some(gap => gap.to > start) ? ['unknown'] : [], ...map.folds.length ? ['fold'] : []]);
  const wait = (from, to, y) => to - from > 500 && svg`<rect class="bar c-waiting" x=${x(from)} y=${y + 4} width=${Math.max(2, x(to) - x(from))} height="4" rx="2"/>`;
  const name = (id, who, y, strong = false) => svg`<text class="lane-id ${strong ? 'strong' : ''}" x="0" y=${y + 10}>${short(id)}</text>${!narrow && svg`<text class="ax" x="66" y=${y + 10}>${who.length > 12 ? who.slice(0, 11) + '…' : who}</text>`}`;
  const link = (id, words, content) => svg`<a href=${href('runs/' + id)} aria-label=${words}><title>${words}</title>${content}</a>`;
  const told = (hold, y) => {
    const words = hold.open ? done && present + rest > present ? `done ${about(done)}` : rest === null ? 'no estimate' : 'any moment' : hold.kind === 'fenced' ? `lost its lease after ${span(hold.to - hold.from)}` : hold.kind === 'fail' ? `failed after ${span(hold.to - hold.from)}` : span(hold.to - hold.from);
    const end = hold.open ? Math.max(x(done || 0), x(present)) : Math.max(x(hold.to), x(hold.from) + (hold.kind === 'fenced' ? TORN + 2 : 3));
    return !narrow && svg`<text class="note ${hold.kind === 'fenced' || hold.kind === 'fail' ? 'c-' + hold.kind : ''}" x=${end + 6} y=${y + 10}>${words}</text>`;
  };
  const lane = (hold, i) => {
    const y = rowY(i);
    const content = svg`<rect class=${hold.open ? 'lane mine' : 'lane'} x="-6" y=${y - 2} width=${width} height=${ROW} rx="3"/>${hold.run ? name(hold.run, hold.who, y, hold.open) : svg`<text class="lane-id strong" x="0" y=${y + 10}>${hold.who.slice(0, narrow ? 11 : 20)}</text>`}
      ${hold.waitedSince && wait(Math.max(start, hold.waitedSince), hold.from, y)}${bar(hold, x, y, 12)}
      ${hold.open && done > present && svg`<rect class="est c-held" x=${x(present)} y=${y} width=${x(done) - x(present)} height="12" rx="2"/>`}${told(hold, y)}`;
    return hold.run ? link(hold.run, describe(hold), content) : svg`<g><title>${describe(hold)}</title>${content}</g>`;
  };
  const waiter = (each, i) => {
    const y = rowY(drawn.length + i);
    const guess = estimates.find(other => other.id === each.id);
    const words = `run ${short(each.id)}, number ${each.place} in line, waiting for ${span(present - at(each.waitingSince))}, ${guess ? 'starts ' + about(guess.from) : 'no estimate'}`;
    return link(each.id, words, svg`<rect class="lane" x="-6" y=${y - 2} width=${width} height=${ROW} rx="3"/>${name(each.id, '#' + each.place + ' in line', y)}${wait(Math.max(start, at(each.waitingSince)), present, y)}
      ${guess ? svg`<path class="dots" d="M${x(present)} ${y + 6}H${x(guess.from)}"/><rect class="est c-waiting" x=${x(guess.from)} y=${y} width=${Math.max(4, x(guess.to) - x(guess.from))} height="12" rx="2"/>
        ${!narrow && svg`<text class="note" x=${x(guess.to) + 6} y=${y + 10}>${about(guess.from)}</text>`}` : !narrow && svg`<text class="note" x=${x(present) + 6} y=${y + 10}>no estimate</text>`}`);
  };
  const label = `One at a time: ${all.length} holds since ${stamp(start, 5)} ${zoneName()}, ${all.some((hold, i) => i && hold.from < all[i - 1].to - 1) ? 'two of them overlap' : 'no two overlap'}, ${all.filter(hold => hold.kind === 'fenced').length} lost, ${total} waiting. The tab History has the same data as a table.`;
  const box = 'now ' + clock(present, narrow ? 5 : 8);
  return html`<ul class="list legend">${Object.entries(LEGEND).filter(([kind]) => kinds.has(kind)).map(([kind, words]) => html`<li><i class="c-${kind}"></i>${words}</li>`)}</ul>
    <svg class="chart lanes" width=${width} height=${bottom + 4} role="group" aria-label=${label}>
    <defs><pattern id="unknown" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="hatch" d="M0 0v6"/></pattern></defs>
    <text class="ax strong" x="0" y="13">${zoneName()}</text>
    <rect class="future" x=${x(present)} y="24" width=${x(finish) - x(present)} height=${bottom - 24}/>
    ${pauses.map(pause => svg`<g><title>paused by ${pause.who} ${stamp(pause.from)} to ${pause.to > present ? 'later' : stamp(pause.to)}</title><rect class="pause" x=${x(pause.from)} y="24" width=${Math.max(3, x(Math.min(pause.to, finish)) - x(pause.from))} height=${bottom - 24}/>
      ${x(Math.min(pause.to, finish)) - x(pause.from) > 50 && svg`<text class="note c-paused" x=${(x(Math.max(start, pause.from)) + x(Math.min(pause.to, finish))) / 2} y=${bottom - 4} text-anchor="middle">paused</text>`}</g>`)}
    ${axis(map, room, present).map(({ time, words }) => svg`<path class="g" d="M${x(time)} 20V${bottom}"/><text class="ax" x=${x(time)} y="13" text-anchor="middle">${words}</text>`)}
    <text class="strong" x="0" y=${TOP - 5}>the key</text>
    ${map.parts.map(part => svg`<rect class="rail" x=${x(part.from)} y=${TOP - 18} width=${Math.max(0, x(part.to) - x(part.from))} height="18" rx="3"/>`)}
    ${unknown.filter(gap => gap.to > start).map(gap => svg`<rect fill="url(#unknown)" x=${x(gap.from)} y=${TOP - 18} width=${x(gap.to) - x(gap.from)} height="18"><title>until ${stamp(gap.to)}: ${gap.why}</title></rect>`)}
    ${all.map(hold => svg`<g><title>${describe(hold)}</title>${bar(hold, x, TOP - 17, 16, hold.token ? '…' + String(hold.token).slice(-5) : '')}</g>`)}
    ${done > present && svg`<rect class="est c-held" x=${x(present)} y=${TOP - 17} width=${x(done) - x(present)} height="16" rx="2"/>`}
    ${estimates.map(each => svg`<rect class="est c-waiting" x=${x(each.from)} y=${TOP - 17} width=${Math.max(4, x(each.to) - x(each.from))} height="16" rx="2"/>
      ${x(each.to) - x(each.from) > 16 && svg`<text class="ax c-waiting" x=${(x(each.from) + x(each.to)) / 2} y=${TOP - 5} text-anchor="middle">${each.place}</text>`}`)}
    <path class="g" d="M0 ${TOP + 3}H${width}"/>
    ${map.folds.map(gap => svg`<g><title>${span(gap.length)} free, folded</title><path class="fold" d="M${x(gap.from) + FOLD / 2 - 5} ${TOP}l6-20m4 20l6-20"/><path class="dots" d="M${x(gap.from) + FOLD / 2} ${TOP + 6}V${bottom}"/>
      ${rows > 7 && svg`<text class="ax" transform="translate(${x(gap.from) + FOLD / 2 - 6} ${bottom - 8}) rotate(-90)">${span(gap.length)} free, folded</text>`}</g>`)}
    ${drawn.map(lane)}${next.map(waiter)}
    ${more > 0 && svg`<text class="strong" x="0" y=${rowY(lined - 1) + 10}>+${commas(more)} more</text>${joined.slice(next.length).filter(time => time > start).map(time => svg`<path class="joined" d="M${x(time)} ${rowY(lined - 1) + 1}v10"/>`)}
      ${!narrow && svg`<text class="note" x=${ending ? width - 2 : x(present) + 6} y=${rowY(lined - 1) + 10} text-anchor=${ending ? 'end' : 'start'}>${joins}</text>`}`}
    ${refused.length > 0 && svg`<text x="0" y=${rowY(rows - 1) + 10}>refused</text>${refused.map(({ minute, outcomes }) => svg`<path class="x" d="M${x(at(minute) + 30000) - 4} ${rowY(rows - 1) + 2}l8 8m0-8l-8 8"><title>${clock(minute) + Object.entries(outcomes).map(([what, count]) => `, ${count} ${what}`)}</title></path>`)}`}
    <path class="now" d="M${x(present)} 22V${bottom}"/><rect class="now-box" x=${x(present) - box.length * 3.4 - 6} y="0" width=${box.length * 6.8 + 12} height="18" rx="3"/><text class="now-words" x=${x(present)} y="13" text-anchor="middle">${box}</text></svg>`;
}

const HIGH = 32;
const STEP = 9;
/** The hold times of the last holds, the oldest first, and their median and 95th percentile. */
export function spark(holds) {
  const over = holds.filter(hold => !hold.open).map(hold => hold.to - hold.from).sort((a, b) => a - b);
  if (over.length < 2) return '';
  const within = part => span(over[Math.ceil(part * over.length) - 1]);
  const lost = holds.filter(hold => hold.kind === 'fenced').length;
  const words = `median ${within(0.5)} · 95 % within ${within(0.95)}${lost ? ` · ${lost} lost` : ''}`;
  return html`<p class="row"><svg class="chart" width=${holds.length * STEP} height=${HIGH} role="img" aria-label="Hold times, the oldest first: ${words}">${holds.map((hold, i) => {
    const high = HIGH * Math.min(1, Math.max(0.06, (hold.to - hold.from) / (over.at(-1) || 1)));
    return svg`<rect class="bar c-${hold.kind}" x=${i * STEP} y=${HIGH - high} width=${STEP - 2} height=${high} rx="1"><title>${describe(hold)}</title></rect>`;
  })}</svg><span class="muted">Hold times: ${words}</span></p>`;
}
