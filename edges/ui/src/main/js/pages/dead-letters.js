// Dead letters: runs that used up their attempts. Bulk actions apply to the filtered runs, and name the filter.
import { button, C, errorText, html, list, may, moment, muted, pages, retry, settle, shell, short } from '../core/page.js';

const FIELDS = [['key', 'key or prefix*'], ['job', 'job'], ['since', 'since: 1h, 7d'], ['error', 'error code']];

/** Whether other pages have more of them. */
const isPart = ({ q, data }) => Boolean(q.cursor || data.cursor);

function bulk(state, again) {
  const some = state.chosen.size > 0;
  const runs = state.data.items.filter(run => !some || state.chosen.has(run.id));
  const filter = FIELDS.map(([name]) => state.q[name] && name + ' ' + state.q[name]).filter(words => words).join(', ');
  const which = some ? 'The selected ones.' : isPart(state) ? `The ${runs.length} on this page${filter && ', of those that match: ' + filter}. There are others.` : filter ? 'All that match: ' + filter + '.' : 'All dead letters; no filter is set.';
  return button((again ? 'Retry ' : 'Discard ') + (some ? `${runs.length} selected…` : isPart(state) ? `the ${runs.length} shown…` : filter ? `${runs.length} matching…` : runs.length > 1 ? `all ${runs.length}…` : 'all…'), () => settle(runs, again, which, () => state.chosen.clear()), again ? '' : 'danger');
}

const box = (words, on, change) => html`<input type="checkbox" aria-label=${words} .checked=${on} @change=${event => { change(event.target.checked); shell.draw(); }}>`;
const choose = ({ chosen, data: { items } }) => [box('Select all', chosen.size === items.length, on => items.forEach(run => on ? chosen.add(run.id) : chosen.delete(run.id))),
  run => box('Select run ' + short(run.id), chosen.has(run.id), on => on ? chosen.add(run.id) : chosen.delete(run.id)), 'pick'];
const act = ['Action', run => [button('Retry', () => retry(run), 'small', 'Retry run ' + short(run.id)), ' ',
  button('Discard…', () => settle([run], false, ''), 'small danger', 'Discard run ' + short(run.id))], 'num'];

/** Equal errors, to choose one: 24 with COMMAND_FAILED. */
const errors = state => {
  const { q, data: { items } } = state;
  const codes = Object.entries(items.reduce((sum, { error }) => ({ ...sum, [error?.code]: (sum[error?.code] || 0) + 1 }), {}));
  return codes.length > 1 || q.error ? html`<div class="chips mt" role="group" aria-label="Error">${isPart(state) && muted('on this page:')}${[['', 'All'], ...codes].map(([code, number]) =>
    html`<button class="chip" aria-pressed=${String((q.error || '') === code)} @click=${() => shell.filter({ error: code })}>${code ? `${number} × ${code}` : number}</button>`)}</div>` : '';
};

pages['dead-letters'] = list({
  above: errors,
  title: 'Dead letters', from: 'runs', always: { state: 'DEAD', unsettled: true }, limit: 100, cli: 'interlock dead ls', flags: ['job'], fields: FIELDS, hears: /^(run|reset)/,
  none: ['No dead letters', 'A run appears here after it has used up its attempts.'],
  more: state => may('operator') && state.data.items.length > 0 && html`${bulk(state, true)}${bulk(state, false)}`,
  columns: state => [...may('operator') ? [choose(state)] : [], [C.key[0], C.key[1], 'first'], ['Run', C.run[1]], C.attempts, ['Error', run => errorText(run.error)],
    ['Ended', run => moment(run.endedAt)], ...may('operator') ? [act] : []],
  async load(state, ask) {
    const letters = await ask(state.q);
    state.chosen = new Set(letters.items.map(run => run.id).filter(id => state.chosen?.has(id)));
    return letters;
  },
});
