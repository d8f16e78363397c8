// Workers: their jobs, slots and runs.
import { at, banner, href, html, keyLink, list, moment, pages, path, pill } from '../core/page.js';

const COLUMNS = [['Worker', worker => html`<b>${worker.worker}</b>${worker.remote && html`<span class="sub">remote</span>`}`, 'first wide'],
  ['State', worker => worker.alive ? pill(worker.busy ? 'held' : 'idle', worker.busy ? 'Busy' : 'Idle') : pill('overdue', 'Silent')],
  ['Slots', worker => worker.slots ? html`<progress max=${worker.slots} value=${worker.busy} aria-label="busy slots"></progress> <span class="tn nw">${worker.busy} of ${worker.slots}</span>` : worker.busy, 'wide'],
  ['Jobs', worker => worker.jobs.map(job => html`<a class="tag" href=${href(path('runs', { job, state: 'RUNNING' }))}>${job}</a> `)], ['Holds', worker => worker.runs?.map(run => html`<div class="hold">${keyLink(run.key)}</div>`)], ['Version', 'version', 'nw'],
  ['Last seen', worker => moment(worker.seenAt), 'age']];

pages.workers = list({
  title: 'Workers', from: 'workers', cli: 'interlock runs ls --state RUNNING', hears: /^(worker|run\.running|reset)/, columns: () => COLUMNS, rows: ({ data }) => data.items.sort((a, b) => b.alive - a.alive || b.busy - a.busy || at(b.seenAt) - at(a.seenAt)), key: (worker, i) => worker.worker + i,
  above: ({ data: { items } }) => items.some(worker => !worker.alive) && banner('overdue', "A silent worker keeps its runs until their leases end; then the next runs get their keys."),
  none: ['No workers', 'No worker is connected. Runs stay pending until one claims them.', 'interlock worker --config interlock.yaml'],
});
