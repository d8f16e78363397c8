// Workers: who takes work, and what for.
import { empty, html, pill, table } from '../core/bits.js';
import { get, href, path } from '../core/api.js';
import { head } from '../core/shell.js';
import { moment } from '../core/time.js';

const state = worker => !worker.alive ? pill('overdue', 'Silent') : worker.busy ? pill('held', 'Busy') : pill('idle', 'Idle');
const COLUMNS = [['Worker', worker => html`<b>${worker.worker}</b>`, 'first'], ['State', state],
  ['Slots', worker => html`<progress max=${worker.slots || 1} value=${worker.busy} aria-label="busy slots"></progress> <span class="tn">${worker.busy} of ${worker.slots}</span>`],
  ['Jobs', worker => worker.jobs.map(job => html`<a class="tag" href=${href(path('runs', { job, state: 'RUNNING' }))}>${job}</a> `)], ['Version', worker => worker.version || '—'], ['Last seen', worker => moment(worker.seenAt), 'age']];

export default {
  title: () => 'Workers',
  async load(page) { page.data = await get('workers'); },
  ignores: type => !type.startsWith('worker') && type !== 'run.running',
  view: ({ data: { items } }) => html`${head({ title: 'Workers', json: 'workers', cli: 'interlock runs ls --state RUNNING' })}
    ${items.some(worker => !worker.alive) ? html`<p class="banner c-overdue mt"><span>A silent worker's runs stay its own until their leases end; then the janitor gives their keys to the next in line.</span></p>` : ''}
    <div class="card mt">${items.length ? table('Workers', COLUMNS, items, worker => worker.worker + worker.seenAt.slice(0, 10) + worker.jobs.join()) : empty('No workers', 'Nobody takes work. Runs stay pending until somebody does.', 'interlock worker --store sqlite:interlock.db')}</div>`,
};
