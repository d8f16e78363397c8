// Runs: all of them, newest first. New ones appear above the list on request, or at once if this user started them.
import { button, C, html, list, pages, shell, startButton } from '../core/page.js';

pages.runs = list({
  title: 'Runs', from: 'runs', limit: 50, cli: 'interlock runs ls', flags: ['key', 'state', 'job', 'holder', 'label', 'error', 'since', 'failedSince'], hears: /^(run|lock\.changed|reset)/,
  states: ['RUNNING', 'QUEUED', 'PENDING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED', 'DEAD'], fields: [['key', 'key or prefix*'], ['job', 'job'], ['holder', 'holder'], ['label', 'label: a=b'], ['error', 'error code'], ['since', 'since: 1h, 7d'], ['until', 'until: 14:00']], also: ['failedSince'],
  more: ({ q }) => startButton(q.key),
  above: ({ q, data }) => html`${q.failedSince && html`<p class="row mt"><button class="chip" aria-pressed="true" title="Show all" @click=${() => shell.filter({ failedSince: '' })}>failed ${/^\d+[smhd]$/.test(q.failedSince) ? 'in the last' : 'since'} ${q.failedSince} ×</button></p>`}${data.news > 0 && button(data.news + (data.news === data.items.length ? '+' : '') + ' new · show', () => { Object.assign(data, data.fresh, { news: 0 }); shell.draw(); }, 'news mt')}`,
  columns: () => [C.run, C.key, C.state, C.job, C.stage, C.waited, C.took, C.attempts, C.submitted],
  none: ['No runs yet', 'All executions are listed here, with their wait, duration and outcome.', 'interlock runs submit JOB --key ledger/4711'],
  async load(state, ask) {
    const fresh = await ask(state.q);
    const old = state.own || state.listed !== location.search ? [] : state.data?.items || [];
    state.listed = location.search;
    const first = fresh.items.findIndex(run => old.some(other => other.id === run.id));
    const news = old.length ? (first < 0 ? fresh.items.length : first) : 0;
    const known = new Map(fresh.items.map(run => [run.id, run]));
    return { fresh, news, cursor: news ? state.data.cursor : fresh.cursor, items: news ? old.map(run => known.get(run.id) || run) : fresh.items };
  },
});
