// What the pictures of time have in common.
import { isLost, kindOf, svg } from './bits.js';
import { clock, now, times } from './time.js';

/** Round steps of time: about one line per 110 pixels. */
export function ticks(from, to, width) {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400, 172800, 604800].map(s => s * 1000);
  const step = steps.find(s => (to - from) / s <= Math.max(2, width / 110)) || steps[steps.length - 1];
  const all = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) all.push(at);
  return all;
}
export const axis = (from, to, x, bottom, width) => ticks(from, to, width).map(at => svg`<line class="g" x1=${x(at)} x2=${x(at)} y1="20" y2=${bottom}/><text class="ax" x=${x(at)} y="13" text-anchor="middle">${clock(at, times.mode === 'local' ? 'local' : 'utc').slice(0, to - from < 600000 ? 8 : 5)}</text>`);

/** When a run had the key: one piece for each attempt. */
export function holds(run) {
  const attempts = run.attempts || (run.startedAt ? [{ startedAt: run.startedAt, endedAt: run.endedAt, token: run.token, error: run.error, attempt: run.attempt }] : []);
  return attempts.map((each, i) => {
    const open = !each.endedAt && !run.endedAt;
    const last = i === attempts.length - 1;
    const kind = open ? 'held' : isLost(each.error) ? 'fenced' : each.error ? (last ? kindOf(run) : 'fail') : last ? kindOf(run) : 'fail';
    return { from: Date.parse(each.startedAt), to: open ? now() : Date.parse(each.endedAt || run.endedAt), token: each.token, kind, open, run };
  });
}
