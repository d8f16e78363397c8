// Runs: all of them, newest first. New ones wait above the list until somebody wants to see them, unless they started them.
import { empty, html, nothing, table } from '../core/bits.js';
import { get, may, path } from '../core/api.js';
import { head, quote, shell } from '../core/shell.js';
import { trigger } from '../core/dialogs.js';
import { C, id } from '../core/runs-table.js';

const STATES = ['RUNNING', 'QUEUED', 'PENDING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED', 'DEAD'];
const FIELDS = ['key', 'job', 'since'];
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
    const { items, cursor } = state.data;
    const chosen = state.q.get('state') || '';
    const filtered = chosen || FIELDS.some(field => state.q.get(field));
    const cli = 'interlock runs ls' + ['state', ...FIELDS].filter(field => state.q.get(field)).map(field => ' --' + field + ' ' + quote(state.q.get(field))).join('');
    return html`${head({ title: 'Runs', json: path('runs', asked(state.q)), cli, more: may('trigger') ? html`<button class="primary" @click=${() => trigger(state.q.get('key'))}>Start a run…</button>` : nothing })}
    <div class="row mt"><div class="chips" role="group" aria-label="State">${['', ...STATES].map(which => html`<button class="chip" aria-pressed=${chosen === which} @click=${() => shell.filter({ state: which })}>${which ? (which[0] + which.slice(1).toLowerCase()).replace('_', ' ') : 'All'}</button>`)}</div></div>
    <form class="row mt" @submit=${event => { event.preventDefault(); shell.filter(Object.fromEntries(new FormData(event.target))); }}>
      <input name="key" .value=${state.q.get('key') || ''} aria-label="Key, or the beginning of keys and a star" placeholder="key or prefix*"><input name="job" .value=${state.q.get('job') || ''} aria-label="Job" placeholder="job">
      <input name="since" .value=${state.q.get('since') || ''} aria-label="Not older than" placeholder="since: 1h, 7d"><button>Filter</button></form>
    ${state.news ? html`<button class="news mt" @click=${() => { state.data = state.fresh; state.news = 0; shell.draw(); }}>${state.news}${state.news === items.length ? '+' : ''} new · show</button>` : nothing}
    <div class="card mt">${items.length ? table('Runs', [C.run, C.key, C.state, C.job, C.stage, C.waited, C.took, C.attempts, C.submitted], items, id)
      : empty(filtered ? 'No run matches' : 'No runs yet', filtered ? 'Take a filter away, or wait: the list is live.' : 'Every execution under a key is listed here, with how long it waited, how long it took and how it ended.', filtered ? '' : 'interlock runs submit JOB --key ledger/4711')}</div>
    <p class="row muted">${items.length}${cursor ? ' of many' : ''}<span class="grow"></span>${state.q.get('cursor') ? html`<button @click=${() => shell.filter({})}>First page</button>` : nothing}
      ${cursor ? html`<button @click=${() => shell.filter({ cursor })}>Next page</button>` : nothing}</p>`;
  },
};
