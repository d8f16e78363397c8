// Workers: their jobs, slots and runs, the jobs that no worker takes, and a page for each worker.
import { at, banner, box, facts, get, head, href, html, jobLink, keyLink, list, look, moment, pages, path, pill, quote, runLink, section, soft, table } from '../core/page.js';

const state = worker => worker.alive ? pill(worker.busy ? 'held' : 'idle', worker.busy ? 'Busy' : 'Idle') : pill('overdue', 'Silent');
/** A silent worker reports no count of its own; what it still holds is known. */
const busy = worker => worker.alive ? worker.busy : worker.runs.length;
const slots = worker => worker.alive && worker.slots ? html`<progress max=${worker.slots} value=${worker.busy} aria-label="busy slots"></progress> <span class="tn nw">${worker.busy} of ${worker.slots}</span>` : busy(worker) || (worker.alive ? 0 : 'holds nothing');
const jobTag = job => html`${jobLink(job, 'tag')} `;
const COLUMNS = [['Worker', worker => html`<b><a href=${href(path('workers', { worker: worker.worker }))}>${soft(worker.worker)}</a></b>${worker.remote && html`<span class="sub">remote</span>`}`, 'first wide'],
  ['State', state, 'nw state'], ['Slots', slots, 'wide'],
  ['Jobs', worker => worker.jobs.map(jobTag)], ['Holds', worker => worker.runs.map(run => html`<div class="hold">${keyLink(run.key)}</div>`)], ['Version', 'version', 'nw'],
  ['Last seen', worker => moment(worker.seenAt), 'age']];
const RUNS = [['Run', run => runLink(run.id), 'first'], ['Key', run => keyLink(run.key)], ['Job', 'job']];

const page = list({
  title: 'Workers', from: 'workers', cli: 'interlock runs ls --state RUNNING', hears: /^(worker|run\.running|reset)/, columns: () => COLUMNS, key: (worker, i) => worker.worker + i,
  async load() {
    const [workers, jobs] = await Promise.all([get('workers'), look('jobs')]);
    const taken = new Set(workers.items.filter(worker => worker.alive).flatMap(worker => worker.jobs));
    return { items: workers.items.sort((a, b) => b.alive - a.alive || b.busy - a.busy || at(b.seenAt) - at(a.seenAt)), unserved: jobs.items.map(job => job.name).filter(name => !taken.has(name)) };
  },
  above: ({ data: { items, unserved } }) => html`${unserved.length > 0 && banner('fail', html`No worker takes ${unserved.length === 1 ? 'the job' : 'the jobs'} ${unserved.map(jobTag)}: ${unserved.length === 1 ? 'its runs' : 'their runs'} stay pending.`)}
    ${items.some(worker => !worker.alive && worker.runs.length) && banner('overdue', 'A silent worker keeps its runs until their leases end; then the next runs get their keys.')}`,
  none: ['No workers', 'No worker is connected. Runs stay pending until one claims them.', 'interlock worker --config interlock.yaml'],
});

const one = (worker, name) => html`${head({ crumb: html`<a href=${href('workers')}>Workers</a> /`, title: soft(name), state: worker && state(worker), json: 'workers', cli: 'interlock runs ls --state RUNNING' })}
  ${worker ? html`<div class="grid k2e">${box('Facts', facts({ Slots: slots(worker), Version: worker.version, 'Last seen': moment(worker.seenAt), Kind: worker.remote ? 'claims runs over REST' : 'a process with the engine', Jobs: worker.jobs.map(jobTag) }))}
    ${section('Holds', worker.runs.length ? table('Holds', RUNS, worker.runs, run => run.id) : html`<p class="muted pad0">It holds no key.</p>`, worker.runs.length)}</div>`
    : html`<p>No worker of this name has been seen lately.</p>`}
  <p class="mt"><a href=${href(path('runs', { holder: name }))}>All runs of ${name}</a> · <code class="mono">interlock runs ls --holder ${quote(name)}</code></p>`;

pages.workers = { ...page, title: ({ q }) => q.worker || 'Workers', view: shown => shown.q.worker ? one(shown.data.items.find(worker => worker.worker === shown.q.worker), shown.q.worker) : page.view(shown) };
