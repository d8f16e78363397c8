// Janitor: its actions and their reasons, and when it sweeps next.
import { act, at, button, call, get, html, keyLink, list, may, moment, now, pages, pill, runLink, section, span, table } from '../core/page.js';

const ACTIONS = [['When', action => moment(action.at), 'first'], ['Sweep', 'sweep'], ['Key', action => keyLink(action.key)], ['Run', action => runLink(action.run)],
  ['Became', 'state'], ['Why', 'why']];

/** The time between the last two sweeps that this page has seen, in milliseconds. */
function rhythm(state, [last]) {
  const newest = last ? at(last.at) : 0;
  if (newest > (state.newest || 0)) [state.every, state.newest] = [state.newest ? newest - state.newest : 0, newest];
  return state.every;
}
const next = ({ every, newest }) => every ? Math.max(0, newest + every - now()) : null;

pages.janitor = list({
  renews: 2000,
  title: 'Janitor', from: 'janitor', cli: 'interlock janitor status', hears: /^(janitor|run|reset)/, key: sweep => sweep.sweep,
  async load(state) {
    const { sweeps } = await get('janitor');
    rhythm(state, sweeps);
    return { items: sweeps, actions: sweeps.flatMap(sweep => sweep.actions.map(action => ({ ...action, ...sweep }))) };
  },
  more: () => may('operator') && button('Sweep now', () => act('Swept', () => call('POST', 'janitor/sweep')), 'primary'),
  above: state => state.data.items.length > 0 && html`<div class="lead"><p>Last swept ${moment(state.data.items[0].at)}: ${state.data.actions.length || 'no'} ${state.data.actions.length === 1 ? 'action' : 'actions'} in ${state.data.items.length} kinds of sweep${next(state) === null ? '' : html`; next in about <span class="tn age">${span(next(state))}</span>, every ${span(state.every)}`}.</p></div>`,
  columns: () => [['Sweep', sweep => html`<b>${sweep.sweep}</b>`, 'first'], ['When', sweep => moment(sweep.at), 'age'],
    ['Did', sweep => sweep.skipped ? html`${pill('paused', 'Skipped')} ${sweep.skipped}` : sweep.actions.length || 'nothing to do']],
  none: ['No sweep yet', 'It cleans up expired leases, lost runs and expired waits.', 'interlock janitor sweep --dry-run'],
  below: ({ data: { actions } }) => actions.length > 0 && section('Actions', table('Actions', ACTIONS, actions, (action, i) => i)),
});
