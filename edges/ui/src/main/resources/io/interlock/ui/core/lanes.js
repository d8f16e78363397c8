// The history of one key as a picture. The top lane is the key itself: its holds can be seen not to overlap. Below it a lane for
// each run: when it waited, when it had the key, and how that ended.
import { axis, holds } from './axis.js';
import { html, nothing, runLink, runPill, short, span, svg } from './bits.js';
import { clock, now } from './time.js';

const LANE = 24;
const TOP = 30;
const KEY = 26;

export function lanes(runs, lock, refusals, width) {
  const shown = runs.slice(0, 14).reverse();
  const all = shown.flatMap(holds);
  const bare = lock.token && !lock.holder?.runId ? [{ from: Date.parse(lock.since), to: now(), token: lock.token, kind: 'held', open: true }] : [];
  const starts = [...shown.map(run => Date.parse(run.submittedAt)), ...bare.map(hold => hold.from)];
  const ends = [...all, ...bare].map(hold => hold.to).concat(shown.map(run => run.endedAt ? Date.parse(run.endedAt) : now()));
  if (!starts.length) return nothing;
  const from = Math.min(...starts);
  const to = Math.max(...ends, from + 1000) + 1;
  const narrow = width < 600;
  const left = narrow ? 78 : 118;
  const right = narrow ? 12 : 64;
  const x = at => left + (Math.max(from, Math.min(to, at)) - from) / (to - from) * (width - left - right);
  const told = (refusals || []).filter(r => Date.parse(r.minute) + 60000 >= from);
  const y = i => TOP + KEY + 12 + i * LANE;
  const bottom = y(shown.length) + (told.length ? LANE : 0);
  const bar = (hold, at, tall) => svg`<rect class="bar c-${hold.kind}" x=${x(hold.from)} y=${at} width=${Math.max(3, x(hold.to) - x(hold.from))} height=${tall} rx="3"><title>${title(hold)}</title></rect>
    ${hold.kind === 'fenced' ? svg`<path class="cut" d="M${x(hold.to) - 4} ${at - 2}l5 ${tall / 2 + 2}l-4 1l5 ${tall / 2 + 1}"/>` : nothing}`;
  return html`<svg class="chart" width=${width} height=${bottom + 8} role="img" aria-label="${describe(shown, all)}">
    ${axis(from, to, x, bottom, width - left - right)}
    <text class="strong" x="0" y=${TOP + 16}>the key</text><rect class="rail" x=${left} y=${TOP} width=${width - left - right} height=${KEY - 4} rx="4"/>
    ${[...all, ...bare].map(hold => svg`${bar(hold, TOP, KEY - 4)}${x(hold.to) - x(hold.from) > String(hold.token).length * 7 + 10 ? svg`<text class="on" x=${(x(hold.from) + x(hold.to)) / 2} y=${TOP + 15} text-anchor="middle">${hold.token}</text>` : nothing}`)}
    ${shown.map((run, i) => {
      const mine = holds(run);
      const sent = Date.parse(run.submittedAt);
      const waits = mine.length ? mine.map((hold, n) => [n ? mine[n - 1].to : sent, hold.from]) : [[sent, run.endedAt ? Date.parse(run.endedAt) : now()]];
      const end = Math.max(sent, ...mine.map(hold => hold.to), run.endedAt ? Date.parse(run.endedAt) : now());
      return svg`<text class="lane" x="0" y=${y(i) + 12}>${short(run.id)}</text>
        ${waits.filter(([a, b]) => b - a > 0).map(([a, b]) => svg`<rect class="bar c-wait" x=${x(a)} y=${y(i) + 4} width=${Math.max(2, x(b) - x(a))} height="8" rx="2"><title>${'waited ' + span(b - a)}</title></rect>`)}
        ${mine.map(hold => bar(hold, y(i), 16))}
        ${!mine.length && run.endedAt ? svg`<path class="x" d="M${x(end) - 4} ${y(i) + 4}l8 8m0-8l-8 8"/>` : nothing}
        ${narrow ? nothing : svg`<text class="ax" x=${Math.min(x(end) + 6, width - right + 4)} y=${y(i) + 12}>${mine.length ? span(mine.reduce((sum, hold) => sum + hold.to - hold.from, 0)) : run.state === 'QUEUED' || run.state === 'PENDING' ? 'waits' : 'left'}</text>`}`;
    })}
    ${told.length ? svg`<text class="lane" x="0" y=${y(shown.length) + 12}>refused</text>${told.map(r => svg`<path class="x" d="M${x(Date.parse(r.minute) + 30000) - 4} ${y(shown.length) + 4}l8 8m0-8l-8 8"><title>${r.count + ' refused'}</title></path>`)}` : nothing}
    </svg><ul class="legend"><li><i class="c-wait"></i>waits</li><li><i class="c-held"></i>has the key</li><li><i class="c-ok"></i>succeeded</li><li><i class="c-fail"></i>failed</li><li><i class="c-fenced"></i>lost its lease</li><li><i class="c-idle"></i>stopped</li><li>✕ sent away</li></ul>
    <details><summary>View as table</summary><table><thead><tr><th scope="col">Run</th><th scope="col">Submitted</th><th scope="col">Waited</th><th scope="col">Had the key</th><th scope="col">Tokens</th><th scope="col">Ended</th></tr></thead><tbody>
    ${[...shown].reverse().map(run => { const mine = holds(run); return html`<tr><td data-l="Run">${runLink(run.id)}</td><td data-l="Submitted" class="mono">${clock(run.submittedAt)}</td><td data-l="Waited">${span((mine[0]?.from ?? (run.endedAt ? Date.parse(run.endedAt) : now())) - Date.parse(run.submittedAt))}</td>
      <td data-l="Had the key">${mine.map(hold => span(hold.to - hold.from)).join(', ') || '—'}</td><td data-l="Tokens" class="mono">${mine.map(hold => hold.token).join(', ') || '—'}</td><td data-l="Ended">${runPill(run)}</td></tr>`; })}</tbody></table></details>`;
}

const title = hold => (hold.run ? 'run ' + short(hold.run.id) + ' ' : '') + 'token ' + hold.token + ', ' + clock(hold.from) + '–' + (hold.open ? 'now' : clock(hold.to)) + ', ' + span(hold.to - hold.from)
  + (hold.kind === 'fenced' ? ', lost its lease' : '');
function describe(runs, all) {
  const overlap = [...all].sort((a, b) => a.from - b.from).some((hold, i, sorted) => i && hold.from < sorted[i - 1].to - 1);
  return 'History of the key: ' + runs.length + ' runs, ' + all.length + ' holds, ' + (overlap ? 'two of them overlap' : 'no two at a time') + ', ' + all.filter(hold => hold.kind === 'fenced').length + ' lost. The table below says the same.';
}
