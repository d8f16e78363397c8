// Workers: their jobs, slots and runs, the jobs that no worker takes, and a page for each worker.
import { at, banner, box, facts, get, head, href, html, jobLink, keyLink, list, look, moment, pages, path, pill, quote, runLink, section, soft, table } from '../core/page.js';

const MOST = 8;
const state = worker => worker.alive ? pill(busy(worker) || isFull(worker) ? 'held' : 'idle', busy(worker) || isFull(worker) ? 'Busy' : 'Idle') : pill('overdue', 'Silent');
/** Its runs are of the same moment as its keys; what it last reported is older, and counts other tenants. */
const busy = worker => worker.runs.length;
/** A worker may be full, although this tenant has few runs there. */
const isFull = worker => worker.alive && !worker.remote && worker.busy >= worker.slots && busy(worker) < worker.slots;
const slots = worker => worker.alive && worker.slots ? html`<progress max=${Math.max(worker.slots, busy(worker))} value=${busy(worker)} aria-label="busy slots"></progress> <span class="tn nw">${busy(worker)} of ${worker.slots}</span>${isFull(worker) && html`<span class="sub">full at its last report, other tenants included</span>`}`
  : busy(worker) || (worker.alive ? 0 : 'holds nothing');
const jobTags = jobs => jobs.map((job, i) => html`${i > 0 && ' '}${jobLink(job, 'tag')}`);
const COLUMNS = [['Worker', worker => html`<b><a href=${href(path('workers', { worker: worker.worker }))}>${soft(worker.worker)}</a></b>${worker.remote && html`<span class="sub">remote</span>`}`, 'first wide'],
  ['State', state, 'nw state'], ['Slots', slots, 'wide'],
  ['Jobs', worker => jobTags(worker.jobs)], ['Holds', worker => html`${worker.runs.slice(0, MOST).map(run => html`<div class="hold">${keyLink(run.key)}</div>`)}${worker.runs.length > MOST && html`<div class="hold"><a href=${href(path('workers', { worker: worker.worker }))}>+${worker.runs.length - MOST} more</a></div>`}`], ['Version', 'version', 'nw'],
  ['Last seen', worker => moment(worker.seenAt), 'age']];
const RUNS = [['Run', run => runLink(run.id), 'first'], ['Key', run => keyLink(run.key)], ['Job', 'job']];

const page = list({
  title: 'Workers', from: 'workers', cli: 'interlock runs ls --state RUNNING', hears: /^(worker|run|reset)/, columns: () => COLUMNS, key: (worker, i) => worker.worker + i,
  async load() {
    const [workers, jobs] = await Promise.all([get('workers'), look('jobs')]);
    return { items: workers.items.sort((a, b) => b.alive - a.alive || busy(b) - busy(a) || at(b.seenAt) - at(a.seenAt)), unserved: jobs.items.filter(job => !job.workers.length).map(job => job.name) };
  },
  above: ({ data: { items, unserved } }) => html`${unserved.length > 0 && banner('fail', html`No worker takes ${unserved.length === 1 ? 'job' : 'the jobs'} ${unserved.map((job, i) => html`${i > 0 && ', '}${jobLink(job)}`)}. ${unserved.length === 1 ? 'Its runs' : 'Their runs'} stay pending.`)}
    ${items.some(worker => !worker.alive && worker.runs.length) && banner('overdue', 'A silent worker keeps its runs until their leases end; then the next runs get their keys.')}`,
  none: ['No workers', 'No worker is connected. Runs stay pending until one claims them.', 'interlock worker --config interlock.yaml'],
});

const one = (worker, name) => html`${head({ crumb: html`<a href=${href('workers')}>Workers</a> /`, title: soft(name), state: worker && state(worker), json: 'workers', cli: 'interlock runs ls --state RUNNING' })}
  ${worker ? html`<div class="grid k2e">${box('Facts', facts({ Slots: slots(worker), Version: worker.version, 'Last seen': moment(worker.seenAt), Kind: worker.remote ? 'claims runs over REST' : 'a process with the engine', Jobs: jobTags(worker.jobs) }))}
    ${section('Holds', worker.runs.length ? table('Holds', RUNS, worker.runs, run => run.id) : html`<p class="muted pad0">It holds no key.</p>`, worker.runs.length)}</div>`
    : html`<p>No worker of this name has been seen lately.</p>`}
  <p class="mt"><a href=${href(path('runs', { holder: name }))}>All runs of ${name}</a> · <code class="mono">interlock runs ls --holder ${quote(name)}</code></p>`;

pages.workers = { ...page, title: ({ q }) => q.worker || 'Workers', view: shown => shown.q.worker ? one(shown.data.items.find(worker => worker.worker === shown.q.worker), shown.q.worker) : page.view(shown) };
