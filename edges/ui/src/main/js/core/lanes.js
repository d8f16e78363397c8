// The history of one key as a chart. The top lane is the key itself: it shows that holds do not overlap. Below it is a lane for
// each run: when it waited, when it had the key, and the outcome; and the number of refusals.
import { html, isOver, muted, runLink, runPill, short, svg } from './bits.js';
import { chart, holds, twin } from './chart.js';
import { at, clock, now, span } from './time.js';

const LEGEND = { waiting: 'waits', held: 'has the key', ok: 'succeeded', fail: 'failed', fenced: 'lost its lease', overdue: 'overdue', idle: 'stopped' };
const title = (hold, who) => `${who} token ${hold.token}, ${clock(hold.from)}–${hold.open ? 'now' : clock(hold.to)}, ${span(hold.to - hold.from)}${hold.kind === 'fenced' ? ', lost its lease' : ''}`;

function lane(run, late) {
  const mine = holds(run).map(hold => ({ ...hold, kind: late && hold.open ? 'overdue' : hold.kind, title: title(hold, 'run ' + short(run.id)) }));
  const end = run.endedAt ? at(run.endedAt) : now();
  const turns = mine.length ? mine : [{ from: end }];
  const waits = turns.map((hold, i) => ({ from: i ? turns[i - 1].to : at(run.submittedAt), to: hold.from, kind: 'waiting', thin: true })).filter(wait => wait.to > wait.from);
  waits.forEach(wait => { wait.title = 'waited ' + span(wait.to - wait.from); });
  const had = mine.map(hold => span(hold.to - hold.from));
  return { run, mine, name: short(run.id), bars: [...waits, ...mine, { from: end, to: end, kind: 'none' }], marks: mine.length || !run.endedAt ? [] : [{ at: end, cross: true, title: 'ended without the key' }],
    waited: span(turns[0].from - at(run.submittedAt)), had: had.join(', '), note: had.join(' + ') || (run.endedAt ? '' : 'waits') };
}

/** Minutes with refused or joined requests. */
const refused = refusals => ({ name: 'refused', bars: refusals.map(({ minute }) => ({ from: at(minute), to: at(minute) + 60000, kind: 'none' })),
  marks: refusals.map(({ minute, outcomes }) => ({ at: at(minute) + 30000, cross: true, title: clock(minute) + Object.entries(outcomes).map(([what, count]) => `, ${count} ${what}`) })),
  note: refusals.reduce((sum, each) => sum + each.count, 0) });

export function lanes(runs, lock, width) {
  const late = lock.state === 'OVERDUE';
  const rows = runs.map(run => lane(run, late)).reverse();
  const bare = lock.token && !lock.holder?.runId ? [{ from: at(lock.since), to: now(), token: lock.token, kind: late ? 'overdue' : 'held', open: true }] : [];
  const all = [...rows.flatMap(row => row.mine), ...bare.map(hold => ({ ...hold, title: title(hold, lock.holder?.holder) }))].sort((a, b) => a.from - b.from);
  if (!rows.length && !all.length) return null;
  const overlap = all.some((hold, i) => i && hold.from < all[i - 1].to - 1);
  const begin = Math.min(...all.map(hold => hold.from), ...runs.map(run => at(run.submittedAt)));
  const told = (lock.refusals || []).filter(each => at(each.minute) + 60000 > begin);
  const label = `History of the key: ${rows.length} runs, ${all.length} holds, ${overlap ? 'two of them overlap' : 'no two at a time'}, ${all.filter(hold => hold.kind === 'fenced').length} lost. The table below has the same data.`;
  return html`${chart(label, [{ name: 'the key', rail: true, bars: all.map(hold => ({ ...hold, words: hold.token })) }, ...rows, ...told.length ? [refused(told)] : []], width, 84)}
    <ul class="list legend">${Object.entries(LEGEND).map(([kind, words]) => html`<li><i class="c-${kind}"></i>${words}</li>`)}<li>✕ refused</li></ul>
    ${twin([['Run', row => runLink(row.run.id)], ['Submitted', row => clock(row.run.submittedAt), 'mono'], ['Waited', row => row.waited], ['Had the key', 'had'],
      ['Tokens', row => row.mine.map(hold => hold.token).join(', '), 'mono'], ['Ended', row => runPill(row.run)]], [...rows].reverse())}`;
}

const HIGH = 32;
const STEP = 9;
/** The hold times of the last runs, the oldest first, and their median and 95th percentile. */
export function spark(runs) {
  const had = runs.map(run => ({ run, mine: holds(run) })).filter(({ mine }) => mine.length).map(({ run, mine }) => ({
    run, took: mine.reduce((sum, hold) => sum + hold.to - hold.from, 0), kind: (mine.find(hold => hold.kind === 'fenced') || mine.at(-1)).kind })).reverse();
  const over = had.filter(({ run }) => isOver(run)).map(each => each.took).sort((a, b) => a - b);
  if (over.length < 2) return '';
  const within = part => span(over[Math.ceil(part * over.length) - 1]);
  const lost = had.filter(each => each.kind === 'fenced').length;
  const words = `median ${within(0.5)} · 95 % within ${within(0.95)}${lost ? ` · ${lost} lost` : ''}`;
  const most = over.at(-1) || 1;
  return html`<p class="row pad0"><svg class="chart" width=${had.length * STEP} height=${HIGH} role="img" aria-label="Hold times, the oldest first: ${words}">${had.map(({ run, took, kind }, i) => {
    const high = HIGH * Math.min(1, Math.max(0.06, took / most));
    return svg`<rect class="bar c-${kind}" x=${i * STEP} y=${HIGH - high} width=${STEP - 2} height=${high} rx="1"><title>${short(run.id)} ${span(took)}</title></rect>`;
  })}</svg>${muted('Hold times: ' + words)}</p>`;
}
