// Jobs: what runs can do, when they start by themselves, how they fared, and which workers take them; and a page for each.
import {
  banner, box, button, C, commas, empty, facts, figure, get, head, href, html, jobLink, keyLink, list, may, millis, moment, mono, muted, overTime, pages, path, quote, runPill, runTable, said, section, session, soft, span, svg,
  trigger, waiting, windowOf,
} from '../core/page.js';

const waits = job => job.runs.QUEUED + job.runs.PENDING;
const isFailing = job => ['FAILED', 'TIMED_OUT', 'DEAD'].includes(job.last?.state);

const schedule = ({ schedules }) => schedules.length ? schedules.map(({ cron, zone, key }) => html`<span class="nw">${mono(cron)}</span><span class="sub">${zone === 'Z' ? 'UTC' : zone} · ${keyLink(key)}</span>`) : muted('on demand');
const nextStart = ({ schedules }) => {
  const next = schedules.map(each => each.nextStart).filter(time => time).sort()[0];
  return next && moment(next);
};
const last = job => (job.last || job.runs.RUNNING + waits(job) > 0) && html`${job.last && html`<a href=${href('runs/' + job.last.id)}>${runPill(job.last)}</a>`}<span class="sub">${[job.last && moment(job.last.endedAt), job.last?.error?.code, job.runs.RUNNING > 0 && commas(job.runs.RUNNING) + ' running',
  waits(job) > 0 && waiting(waits(job))].filter(part => part).map((part, i) => html`${i > 0 && ' · '}${part}`)}</span>`;

const weekOf = job => job.week || { days: [], succeeded: 0, failed: 0, stopped: 0, holdP50: '', holdP95: '' };
/** How many of the runs of the week succeeded, in percent; null if none ended. */
function success(job) {
  const { succeeded, failed } = weekOf(job);
  const all = succeeded + failed;
  return { all, ratio: all ? Math.floor(1000 * succeeded / all) / 10 : null };
}
const HIGH = 18;
/** One bar for each day, today at the right; a day with failures shows some red at any ratio. */
const week = job => {
  const { days, stopped } = weekOf(job);
  const { ratio, all } = success(job);
  const words = ratio === null ? 'no runs' : ratio + ' % of ' + commas(all) + ' succeeded' + (stopped ? `, ${commas(stopped)} stopped` : '');
  return html`<span class="row week"><svg class="chart" width="98" height=${HIGH} role="img" aria-label=${words}>${days.map((day, i) => {
    const ended = day.succeeded + day.failed;
    const red = day.failed ? Math.max(4, HIGH * day.failed / ended) : 0;
    return svg`<g><title>${day.at.slice(0, 10)}: ${day.succeeded} succeeded, ${day.failed} failed, ${day.stopped} stopped</title><rect class=${ended ? 'bar c-ok' : 'rail'} x=${i * 14} y="0" width="12" height=${HIGH} rx="2"/>
      ${red > 0 && svg`<rect class="bar c-fail" x=${i * 14} y=${HIGH - red} width="12" height=${red} rx="2"/>`}</g>`;
  })}</svg><span class="nw tn">${ratio === null ? muted('no runs') : ratio + ' %'}</span></span>`;
};
const workers = job => job.workers.length ? html`${job.workers.length}<span class="sub">${soft(job.workers.slice(0, 3).join(', '))}${job.workers.length > 3 && ' …'}</span>` : html`<b class="bad">none</b>${job.runs.PENDING > 0 && html`<span class="sub">${commas(job.runs.PENDING)} ${job.runs.PENDING === 1 ? 'run waits' : 'runs wait'}</span>`}`;

const COLUMNS = [
  ['Job', job => html`<b>${jobLink(job.name)}</b>${job.api !== 'none' && html`<span class="sub">${job.api}</span>`}`, 'first'],
  ['Schedule', schedule],
  ['Next start', nextStart, 'nw'],
  ['Last outcome', last],
  ['Last 7 days', week],
  ['Takes', job => job.week?.holdP95 && html`${span(millis(job.week.holdP50))}<span class="sub nw">95 %: ${span(millis(job.week.holdP95))}</span>${job.maxRuntime && html`<span class="sub nw">max: ${span(millis(job.maxRuntime))}</span>`}`, 'num tn'],
  ['On conflict', job => html`${said(job.onConflict)}${job.maxAttempts > 1 && html`<span class="sub">${job.maxAttempts} attempts</span>`}`],
  ['Workers', workers],
];
const starter = (job, classes) => button('Start…', () => trigger(job.schedules[0]?.key || '', job.name), classes, 'Start ' + job.name);
const start = ['Action', job => starter(job, 'small'), 'num act'];

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
  below: () => html`<p class="muted">Last 7 days: one bar per UTC day, today on the right. Takes: the median hold of these days, the time that 95 % stay within, and the max runtime.</p>`,
  none: ['No jobs', 'Define jobs in the configuration.', 'interlock server --config interlock.yaml'],
});

const USUAL = '7d';
const RUNS = [C.run, C.key, C.state, C.stage, C.took, C.submitted];
/** The page of a job in one or two sentences. */
function lead(job) {
  const { ratio, all } = success(job);
  const { holdP50, holdP95 } = weekOf(job);
  const next = nextStart(job);
  return html`<div class="lead"><p>${job.schedules.length ? html`Starts by itself at ${job.schedules.map(({ cron, zone, key }, i) => html`${i > 0 && ' and '}${mono(cron)} ${zone === 'Z' ? 'UTC' : zone} under ${keyLink(key)}`)}${next && html`, next ${next}`}.` : 'Starts on demand only.'}
    ${ratio === null ? 'No run ended in the last 7 days.' : html`<b>${ratio} %</b> of ${commas(all)} ${all === 1 ? 'run' : 'runs'} of the last 7 days succeeded${holdP95 && html`; half of them took up to ${span(millis(holdP50))}, 95 % up to ${span(millis(holdP95))}`}.`}</p></div>`;
}
const figures = job => {
  const { ratio } = success(job);
  const { holdP50, holdP95 } = weekOf(job);
  const own = state => path('runs', { job: job.name, state });
  return html`<div class="grid k6">${figure(job.runs.RUNNING, 'running', own('RUNNING'))}${figure(waits(job), 'waiting', own('QUEUED,PENDING'))}${figure(ratio === null ? '—' : ratio + ' %', 'succeeded, 7 days', path('runs', { job: job.name, failedSince: '7d' }), ratio !== null && ratio < 100 ? 'late' : '')}
    ${figure(span(millis(holdP50)) || '—', 'half within', own(''))}${figure(span(millis(holdP95)) || '—', '95 % within', own(''))}${figure(job.runs.DEAD, 'dead letters', path('dead-letters', { job: job.name }), job.runs.DEAD ? 'bad' : '')}</div>`;
};
const about = job => facts({
  Schedule: schedule(job), 'Next start': nextStart(job), 'On conflict': said(job.onConflict), Attempts: job.maxAttempts, Lease: span(millis(job.lease)), 'Max runtime': span(millis(job.maxRuntime)), 'Max wait': span(millis(job.maxWait)),
  Stages: job.stages.join(' → '), API: job.api !== 'none' && job.api, Workers: job.workers.length ? job.workers.map(name => html`<a class="tag" href=${href(path('workers', { worker: name }))}>${soft(name)}</a> `) : html`<b class="bad">none</b>`,
});

pages.job = {
  renews: 30000,
  title: ({ id }) => 'Job ' + id,
  hears: (type, data, { id }) => /^(run|worker|reset)/.test(type) && (!data.job || data.job === id),
  async load({ id, q }) {
    const [job, runs, history] = await Promise.all([get('jobs/' + id), get(path('runs', { job: id, limit: 20 })), get(path('history', { job: id, window: windowOf(q, USUAL) }))]);
    return { job, runs: runs.items, history };
  },
  view: ({ data: { job, runs, history } }) => html`${head({ crumb: html`<a href=${href('jobs')}>Jobs</a> /`, title: soft(job.name), state: job.last && html`${muted('last ended')} ${runPill(job.last)}`, json: 'jobs/' + job.name, cli: 'interlock runs ls --job ' + quote(job.name), more: may('trigger') && starter(job, 'primary') })}
    ${lead(job)}${!job.workers.length && banner('fail', html`No worker takes this job: its runs stay pending. <a href=${href('workers')}>See workers</a>`)}
    <div class="mt">${figures(job)}</div>${overTime(history, waits(job), USUAL, job.name)}
    <div class="grid k2">${section('Newest runs', runs.length ? html`${runTable('Newest runs', RUNS, runs)}<p class="foot"><a href=${href(path('runs', { job: job.name }))}>All runs of this job</a></p>` : empty(['No runs yet', 'The newest runs of this job are listed here.', 'interlock runs submit ' + job.name + ' --key ledger/4711']))}${box('Facts', about(job))}</div>`,
};
