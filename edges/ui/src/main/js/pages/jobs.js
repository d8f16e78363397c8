// Jobs: what runs can do, when they start by themselves, and which workers take them.
import { banner, button, get, href, html, list, may, millis, moment, pages, path, said, session, soft, span, trigger } from '../core/page.js';

const policy = job => said(job.onConflict);
const workers = job => job.takers.length ? html`${job.takers.length}<span class="sub">${soft(job.takers.slice(0, 3).join(', '))}${job.takers.length > 3 && ' …'}</span>` : html`<b class="bad">none</b>`;
const COLUMNS = [
  ['Job', job => html`<b><a href=${href(path('runs', { job: job.name }))}>${soft(job.name)}</a></b>${job.api !== 'none' && html`<span class="sub">${job.api}</span>`}`, 'first'],
  ['On conflict', policy],
  ['Stages', job => job.stages?.join(' → ')],
  ['Lease', job => span(millis(job.lease)), 'num tn'],
  ['Max runtime', job => span(millis(job.maxRuntime)), 'num tn'],
  ['Attempts', 'maxAttempts', 'num tn'],
  ['Next start', job => job.nextStart && html`${moment(job.nextStart)}<span class="sub">${job.schedule} ${job.zone}</span>`],
  ['Workers', workers],
];
const start = ['Action', job => button('Start…', () => trigger('', job.name), 'small', 'Start ' + job.name), 'num act'];

pages.jobs = list({
  title: 'Jobs', from: 'jobs', cli: 'interlock jobs ls', hears: /^(worker|reset)/, key: job => job.name,
  columns: () => [...COLUMNS, ...may('trigger') && !session.bare ? [start] : []],
  async load() {
    const [jobs, { items }] = await Promise.all([get('jobs'), get('workers')]);
    const takers = name => items.filter(worker => worker.alive && worker.jobs.includes(name)).map(worker => worker.worker);
    return { items: jobs.items.map(job => ({ ...job, takers: takers(job.name) })) };
  },
  above: ({ data: { items } }) => {
    const unserved = items.filter(job => !job.takers.length);
    return unserved.length > 0 && banner('fail', html`No worker takes ${unserved.map((job, i) => html`${i > 0 && ', '}<b>${job.name}</b>`)}: runs of ${unserved.length === 1 ? 'this job' : 'these jobs'} stay pending. <a href=${href('workers')}>See workers</a>`);
  },
  none: ['No jobs', 'Define jobs in the configuration.', 'interlock server --config interlock.yaml'],
});
