// Runs: all of them, newest first. New ones wait above the list until somebody wants to see them, unless they started them.
import { empty, html, nothing, table } from '../core/bits.js';
import { get, may, path } from '../core/api.js';
import { chips, filters, head, listing, pager, shell } from '../core/shell.js';
import { trigger } from '../core/dialogs.js';
import { C, id } from '../core/runs-table.js';

const STATES = ['RUNNING', 'QUEUED', 'PENDING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED', 'DEAD'];
const FIELDS = [['key', 'key or prefix*'], ['job', 'job'], ['since', 'since: 1h, 7d']];
const asked = q => ({ state: q.get('state'), key: q.get('key'), job: q.get('job'), since: q.get('since'), cursor: q.get('cursor'), limit: 50 });

export default {
  title: () => 'Runs',
  async load(state) {
    const address = path('runs', asked(state.q));
    const page = await get(address);
    const old = !state.own && state.address === address && state.data?.items.length ? state.data : null;
    const known = new Map(page.items.map(run => [run.id, run]));
    state.address = address;
    state.fresh = page;
    state.news = old ? page.items.findIndex(run => old.items.some(other => other.id === run.id)) : 0;
    state.data = old && state.news ? { ...old, items: old.items.map(run => known.get(run.id) || run) } : page;
    if (state.news < 0) state.news = page.items.length;
  },
  ignores: type => !type.startsWith('run') && type !== 'lock.changed',
  view(state) {
    const { items } = state.data;
    const chosen = state.q.get('state') || '';
    const filtered = chosen || FIELDS.some(([field]) => state.q.get(field));
    return html`${head({ title: 'Runs', json: path('runs', asked(state.q)), cli: listing('interlock runs ls', state.q, ['state', 'key', 'job', 'since']), more: may('trigger') ? html`<button class="primary" @click=${() => trigger(state.q.get('key'))}>Start a run…</button>` : nothing })}
    ${chips(chosen, STATES)}${filters(state.q, FIELDS)}
    ${state.news ? html`<button class="news mt" @click=${() => { state.data = state.fresh; state.news = 0; shell.draw(); }}>${state.news}${state.news === items.length ? '+' : ''} new · show</button>` : nothing}
    <div class="card mt">${items.length ? table('Runs', [C.run, C.key, C.state, C.job, C.stage, C.waited, C.took, C.attempts, C.submitted], items, id)
      : empty(filtered ? 'No run matches' : 'No runs yet', filtered ? 'Take a filter away, or wait: the list is live.' : 'Every execution under a key is listed here, with how long it waited, how long it took and how it ended.', filtered ? '' : 'interlock runs submit JOB --key ledger/4711')}</div>
    ${pager(state.data, state.q)}`;
  },
};
