// One run as bars: the time in line first, then each attempt or stage; a stage not begun is a dashed bar.
import { html, nothing, percent, span, svg } from './bits.js';
import { axis, holds } from './axis.js';
import { clock, now } from './time.js';

const ROW = 28;

/** {name, from, to, kind, note}: what a run did, in order. */
export function pieces(run, declared) {
  const turns = holds(run);
  const end = run.endedAt ? Date.parse(run.endedAt) : now();
  const sent = Date.parse(run.submittedAt);
  const bars = [{ name: 'queued', from: sent, to: turns[0]?.from ?? end, kind: 'wait' }];
  const last = turns[turns.length - 1];
  turns.slice(0, -1).forEach((turn, i) => bars.push({ name: 'attempt ' + (i + 1), ...turn, note: run.attempts[i].error?.code }));
  const stages = last ? (run.stages || []).filter(each => Date.parse(each.since) >= last.from - 1) : [];
  if (last && !stages.length) bars.push({ name: turns.length > 1 ? 'attempt ' + turns.length : 'work', ...last });
  stages.forEach((each, i) => {
    const next = stages[i + 1];
    const part = percent(run.progress);
    bars.push({ name: each.name, from: Date.parse(each.since), to: next ? Date.parse(next.since) : last.to, kind: next ? 'ok' : last.kind, note: next ? '' : last.open && part !== null ? part + ' %' : '' });
  });
  if (last?.open) declared.filter(name => !stages.some(each => each.name === name)).forEach(name => bars.push({ name, from: end, to: null, kind: 'next' }));
  return bars;
}

export function timeline(run, declared, beats, width) {
  const bars = pieces(run, declared);
  const begin = Math.min(...bars.map(bar => bar.from));
  const narrow = width < 600;
  const left = narrow ? 84 : 130;
  const notes = Math.max(0, ...bars.map(bar => (bar.note || '').length));
  const room = width - left - Math.min(width / 3, 60 + notes * 7);
  const span0 = Math.max(1000, Math.max(...bars.map(bar => bar.to || 0)) - begin);
  const ahead = bars.some(bar => !bar.to) ? span0 * 0.15 : 0;
  const end = begin + span0 + ahead;
  const x = at => left + (at - begin) / (end - begin) * room;
  const bottom = 22 + bars.length * ROW + (beats.length ? ROW : 0);
  return html`<svg class="chart" width=${width} height=${bottom + 6} role="img" aria-label="Timeline: ${bars.filter(bar => bar.to).map(bar => bar.name + ' ' + span(bar.to - bar.from)).join(', ')}">
    ${axis(begin, end, x, bottom, room)}
    ${bars.map((bar, i) => svg`<text x="0" y=${42 + i * ROW}>${bar.name.length > 18 ? bar.name.slice(0, 17) + '…' : bar.name}</text>
      <rect class="bar c-${bar.kind}" x=${x(bar.from)} y=${30 + i * ROW} width=${Math.max(3, x(bar.to || end) - x(bar.from))} height="16" rx="3"><title>${bar.name}</title></rect>
      <text x=${x(bar.to || end) + 6} y=${42 + i * ROW}>${bar.to ? span(bar.to - bar.from) : ''}${bar.note ? svg`<tspan class="soft"> · ${bar.note}</tspan>` : nothing}</text>`)}
    ${beats.length ? svg`<text x="0" y=${bottom - 6}>heartbeats</text>${beats.filter(beat => beat.at >= begin).map(beat => svg`<circle class="hb ${beat.late ? 'miss' : ''}" cx=${x(beat.at)} cy=${bottom - 10} r=${beat.late ? 4 : 2.6}><title>${beat.late ? 'late' : 'heartbeat'} ${clock(beat.at)}</title></circle>`)}` : nothing}</svg>
  <details><summary>View as table</summary><table><thead><tr><th scope="col">Part</th><th scope="col">From (UTC)</th><th scope="col">To</th><th scope="col">Took</th></tr></thead><tbody>${bars.map(bar => html`<tr><td data-l="Part">${bar.name}</td>
    <td data-l="From" class="mono">${bar.to ? clock(bar.from) : 'not begun'}</td><td data-l="To" class="mono">${bar.to ? clock(bar.to) : '—'}</td><td data-l="Took">${bar.to ? span(bar.to - bar.from) : '—'}</td></tr>`)}</tbody></table></details>`;
}
