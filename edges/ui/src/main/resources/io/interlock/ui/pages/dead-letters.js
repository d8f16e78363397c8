// Dead letters: runs that used up their attempts. What is done to many is done to those the filter shows, and says so.
import { count, empty, html, keyLink, nothing, repeat, runLink, short } from '../core/bits.js';
import { get, may, path, post } from '../core/api.js';
import { act, filters, head, listing, pager, shell } from '../core/shell.js';
import { ask } from '../core/dialogs.js';
import { moment } from '../core/time.js';

const FIELDS = [['key', 'key or prefix*'], ['job', 'job'], ['since', 'since: 1h, 7d'], ['error', 'error code']];

/** One after the other, so that each has its own answer. */
async function each(runs, how, body) {
  const refused = [];
  for (const run of runs) {
    try { await post('runs/' + run.id + '/' + how, body); } catch (problem) { refused.push(short(run.id) + ': ' + problem.message); }
  }
  if (refused.length === runs.length && runs.length) throw new Error('None of ' + runs.length + ': ' + refused[0]);
  return { done: runs.length - refused.length, refused };
}

function bulk(state, runs, how) {
  const retry = how === 'redrive';
  const filter = FIELDS.filter(([name]) => state.q.get(name)).map(([name]) => name + ' ' + state.q.get(name)).join(', ');
  ask({
    title: (retry ? 'Retry ' : 'Discard ') + runs.length + (state.chosen.size ? ' selected' : ' matching') + '?', confirm: (retry ? 'Retry ' : 'Discard ') + runs.length, danger: !retry,
    body: html`<p>${state.chosen.size ? 'Those you selected.' : filter ? 'All that match: ' + filter + '.' : 'All dead letters shown on this page; no filter is set.'} ${retry ? 'Each becomes a new run under its key.' : 'They are settled without another try.'}</p>`,
    fields: [{ name: 'reason', label: 'Reason', required: !retry }],
    send: ({ reason }) => each(runs, how, reason.trim() ? { reason: reason.trim() } : {}),
    done: result => { state.chosen.clear(); return result.done + (retry ? ' tried again' : ' discarded') + (result.refused.length ? ', ' + result.refused.length + ' refused: ' + result.refused[0] : ''); },
  });
}

export default {
  title: () => 'Dead letters',
  async load(state) {
    const q = state.q;
    state.chosen ||= new Set();
    state.api = path('runs', { state: 'DEAD', key: q.get('key'), job: q.get('job'), since: q.get('since'), cursor: q.get('cursor'), limit: 100 });
    const page = await get(state.api);
    state.data = { ...page, items: page.items.filter(run => !run.settled && (!q.get('error') || run.error?.code === q.get('error'))) };
  },
  ignores: type => !type.startsWith('run.'),
  view(state) {
    const { items } = state.data;
    const picked = state.chosen.size ? items.filter(run => state.chosen.has(run.id)) : items;
    const words = state.chosen.size ? ' selected…' : ' matching…';
    const tick = (run, on) => { on ? state.chosen.add(run.id) : state.chosen.delete(run.id); shell.draw(); };
    const one = (run, how) => how === 'redrive' ? act('Run ' + short(run.id) + ' is tried again', () => post('runs/' + run.id + '/redrive', {})) : (state.chosen = new Set([run.id]), bulk(state, [run], 'discard'));
    return html`${head({ title: html`Dead letters <span class="muted">${count(state.data)}</span>`, json: state.api, cli: listing('interlock dead ls', state.q, ['key', 'job', 'since']),
      more: may('operator') && items.length ? html`<button @click=${() => bulk(state, picked, 'redrive')}>Retry ${picked.length}${words}</button><button class="danger" @click=${() => bulk(state, picked, 'discard')}>Discard ${picked.length}${words}</button>` : nothing })}
    ${filters(state.q, FIELDS, '', () => state.chosen.clear())}
    <div class="card mt">${items.length ? html`<table class="letters" aria-label="Dead letters"><thead><tr>${may('operator') ? html`<th scope="col"><input type="checkbox" aria-label="Select all" .checked=${state.chosen.size === items.length} @change=${event => { state.chosen = new Set(event.target.checked ? items.map(run => run.id) : []); shell.draw(); }}></th>` : nothing}
      <th scope="col">Key</th><th scope="col">Run</th><th scope="col">Attempts</th><th scope="col">Error</th><th scope="col">Ended</th>${may('operator') ? html`<th scope="col" class="num">Do</th>` : nothing}</tr></thead><tbody>${repeat(items, run => run.id, run => html`<tr>
      ${may('operator') ? html`<td><input type="checkbox" aria-label="Select run ${short(run.id)}" .checked=${state.chosen.has(run.id)} @change=${event => tick(run, event.target.checked)}></td>` : nothing}
      <td class="first" data-l="Key">${keyLink(run.key)}</td><td data-l="Run">${runLink(run.id)}</td><td data-l="Attempts">${run.attempt}</td><td data-l="Error"><span class="mono bad">${run.error?.code}</span> <q>${run.error?.message}</q></td><td data-l="Ended">${moment(run.endedAt)}</td>
      ${may('operator') ? html`<td class="num"><button class="small" aria-label="Retry run ${short(run.id)}" @click=${() => one(run, 'redrive')}>Retry</button> <button class="small danger" aria-label="Discard run ${short(run.id)}" @click=${() => one(run, 'discard')}>Discard…</button></td>` : nothing}</tr>`)}</tbody></table>`
      : empty('No dead letters', 'Runs arrive here after they have failed as often as their job may try.', 'interlock dead ls')}</div>
    ${pager(state.data, state.q)}`;
  },
};
