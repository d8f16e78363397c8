// One run as bars: the time in the queue first, then each attempt, and the stages of the last; a stage not started is a dashed bar.
import { html, percent } from './bits.js';
import { chart, holds, twin } from './chart.js';
import { at, clock, now, span } from './time.js';

/** {name, from, to, kind, note}: what a run did, in order. With several attempts each is one bar, and the pause before the next one is a wait. */
function pieces(run, declared) {
  const turns = holds(run);
  const last = turns.at(-1);
  const end = run.endedAt ? at(run.endedAt) : now();
  const stages = last ? (run.stages || []).filter(each => at(each.since) >= last.from - 1) : [];
  const several = turns.length > 1;
  const attempts = turns.flatMap((turn, i) => [...i && turn.from - turns[i - 1].to > 500 ? [{ name: 'waits to retry', from: turns[i - 1].to, to: turn.from, kind: 'waiting' }] : [],
    ...several || !stages.length ? [{ ...turn, name: several ? 'attempt ' + (i + 1) : 'work', note: turn.error?.code }] : []]);
  const parts = stages.map((each, i) => {
    const next = stages[i + 1];
    const part = !next && last.open ? percent(run.progress) : null;
    return { name: (several ? '· ' : '') + each.name, from: at(each.since), to: next ? at(next.since) : last.to, kind: next ? 'ok' : last.kind, note: part !== null && part + ' %' };
  });
  const room = Math.max(1000, end - at(run.submittedAt)) * 0.15;
  const rest = last?.open ? declared.filter(name => !stages.some(each => each.name === name)) : [];
  return [{ name: 'queued', from: at(run.submittedAt), to: turns[0]?.from ?? end, kind: 'waiting' }, ...attempts, ...parts, ...rest.map(name => ({ name, from: end, to: end + room, kind: 'next' }))];
}

export function timeline(run, declared, beats, width) {
  const bars = pieces(run, declared);
  const took = bar => bar.kind === 'next' ? '' : span(bar.to - bar.from);
  const rows = bars.map(bar => ({ name: bar.name, bars: [{ ...bar, title: bar.name }], note: bar.kind !== 'next' && [took(bar), bar.note].filter(word => word).join(' · ') }));
  if (beats.length) rows.push({ name: width < 600 ? 'beats seen' : 'heartbeats', bars: [], note: 'since this page was opened', marks: beats.map(beat => ({ ...beat, title: (beat.late ? 'late ' : 'heartbeat ') + clock(beat.at) })) });
  return html`${chart('Timeline: ' + bars.map(bar => bar.name + ' ' + took(bar)).join(', '), rows, width, 80 + 7 * Math.max(0, ...bars.map(bar => (bar.note || '').length)))}
    ${twin([['Part', bar => bar.name], ['From', bar => bar.kind === 'next' ? 'not started' : clock(bar.from), 'mono'], ['To', bar => bar.kind !== 'next' && clock(bar.to), 'mono'], ['Took', took]], bars)}`;
}
