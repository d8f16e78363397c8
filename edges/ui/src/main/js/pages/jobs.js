// Jobs: what runs can do, when they start by themselves, how they fared, and which workers take them.
import { banner, button, href, html, keyLink, list, may, millis, moment, mono, muted, pages, path, runPill, said, session, soft, span, svg, trigger } from '../core/page.js';

const runsOf = job => href(path('runs', { job: job.name }));
const waits = job => job.runs.QUEUED + job.runs.PENDING;
const isFailing = job => ['FAILED', 'TIMED_OUT', 'DEAD'].includes(job.last?.state);

const schedule = ({ schedules }) => schedules.length ? schedules.map(({ cron, zone, key }) => html`<span class="nw">${mono(cron)}</span><span class="sub">${zone === 'Z' ? 'UTC' : zone} · ${keyLink(key)}</span>`) : muted('on demand');
const nextStart = ({ schedules }) => {
  const next = schedules.map(each => each.nextStart).filter(time => time).sort()[0];
  return next && moment(next);
};
const last = job => (job.last || job.runs.RUNNING + waits(job) > 0) && html`${job.last && html`<a href=${href('runs/' + job.last.id)}>${runPill(job.last)}</a>`}<span class="sub">${[job.last && moment(job.last.endedAt), job.last?.error?.code, job.runs.RUNNING > 0 && job.runs.RUNNING + ' running',
  waits(job) > 0 && waits(job) + ' wait'].filter(part => part).map((part, i) => html`${i > 0 && ' · '}${part}`)}</span>`;

const HIGH = 18;
/** One bar for each day, today at the right; a day with failures shows some red at any ratio. */
const week = ({ week: { days, succeeded, failed, stopped } = { days: [], succeeded: 0, failed: 0, stopped: 0 } }) => {
  const all = succeeded + failed;
  const ratio = all ? Math.floor(1000 * succeeded / all) / 10 : null;
  const words = ratio === null ? 'no runs' : ratio + ' % of ' + all + ' succeeded' + (stopped ? `, ${stopped} stopped` : '');
  return html`<span class="row week"><svg class="chart" width="98" height=${HIGH} role="img" aria-label=${words}>${days.map((day, i) => {
    const ended = day.succeeded + day.failed;
    const red = day.failed ? Math.max(4, HIGH * day.failed / ended) : 0;
    return svg`<g><title>${day.at.slice(0, 10)}: ${day.succeeded} succeeded, ${day.failed} failed, ${day.stopped} stopped</title><rect class=${ended ? 'bar c-ok' : 'rail'} x=${i * 14} y="0" width="12" height=${HIGH} rx="2"/>
      ${red > 0 && svg`<rect class="bar c-fail" x=${i * 14} y=${HIGH - red} width="12" height=${red} rx="2"/>`}</g>`;
  })}</svg><span class="nw tn">${ratio === null ? muted('no runs') : ratio + ' %'}</span></span>`;
};
const workers = job => job.workers.length ? html`${job.workers.length}<span class="sub">${soft(job.workers.slice(0, 3).join(', '))}${job.workers.length > 3 && ' …'}</span>` : html`<b class="bad">none</b>${job.runs.PENDING > 0 && html`<span class="sub">${job.runs.PENDING} ${job.runs.PENDING === 1 ? 'run waits' : 'runs wait'}</span>`}`;

const COLUMNS = [
  ['Job', job => html`<b><a href=${runsOf(job)}>${soft(job.name)}</a></b>${job.api !== 'none' && html`<span class="sub">${job.api}</span>`}`, 'first'],
  ['Schedule', schedule],
  ['Next start', nextStart, 'nw'],
  ['Last outcome', last],
  ['Last 7 days', week],
  ['Takes', job => job.week?.holdP95 && html`${span(millis(job.week.holdP50))}<span class="sub nw">95 %: ${span(millis(job.week.holdP95))}</span>${job.maxRuntime && html`<span class="sub nw">most: ${span(millis(job.maxRuntime))}</span>`}`, 'num tn'],
  ['On conflict', job => html`${said(job.onConflict)}${job.maxAttempts > 1 && html`<span class="sub">${job.maxAttempts} attempts</span>`}`],
  ['Workers', workers],
];
const start = ['Action', job => button('Start…', () => trigger(job.schedules[0]?.key || '', job.name), 'small', 'Start ' + job.name), 'num act'];

/** The jobs that a chip stands for. */
const KINDS = { SCHEDULED: job => job.schedules.length > 0, FAILING: isFailing, NO_WORKER: job => !job.workers.length };
const picked = ({ q, data }) => data.items.filter(job => (!KINDS[q.state] || KINDS[q.state](job)) && (!q.job || job.name.includes(q.job)));

pages.jobs = list({
  title: 'Jobs', from: 'jobs', cli: 'interlock jobs ls', hears: /^(worker|run|reset)/, key: job => job.name, renews: 30000,
  states: Object.keys(KINDS), fields: [['job', 'job', true]], flags: [],
  number: (kind, { data }) => ' ' + data.items.filter(KINDS[kind] || (() => true)).length,
  columns: () => [...COLUMNS, ...may('trigger') && !session.bare ? [start] : []],
  rows: picked,
  async load(state, ask) { return ask({}); },
  above: ({ data: { items } }) => {
    const unserved = items.filter(job => !job.workers.length);
    return unserved.length > 0 && banner('fail', html`No worker takes ${unserved.map((job, i) => html`${i > 0 && ', '}<b>${job.name}</b>`)}: runs of ${unserved.length === 1 ? 'this job' : 'these jobs'} stay pending. <a href=${href('workers')}>See workers</a>`);
  },
  below: () => html`<p class="muted">One bar a day in UTC, today at the right. The last outcome is that of the newest 50 runs of the job. What a job takes is the median hold of the last 7 days, what 95 % do not exceed, and its max runtime.</p>`,
  none: ['No jobs', 'Define jobs in the configuration.', 'interlock server --config interlock.yaml'],
});
