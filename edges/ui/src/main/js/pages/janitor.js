// Janitor: its actions and their reasons, and when it sweeps next.
import { act, at, button, call, get, html, keyLink, list, may, millis, moment, now, pages, pill, runLink, section, span, table } from '../core/page.js';

const ACTIONS = [['When', action => moment(action.at), 'first'], ['Sweep', 'sweep'], ['Key', action => keyLink(action.key)], ['Run', action => runLink(action.run)],
  ['Became', 'state'], ['Why', 'why']];

/** When this node sweeps next, as it has planned it. */
const next = ({ nextAt, every }) => nextAt && html`; next ${at(nextAt) > now() ? html`in <span class="tn age">${span(at(nextAt) - now())}</span>` : 'any moment'}, about every ${span(millis(every))}`;

pages.janitor = list({
  renews: 2000,
  title: 'Janitor', from: 'janitor', cli: 'interlock janitor status', hears: /^(janitor|run|reset)/, key: sweep => sweep.sweep,
  async load() {
    const { sweeps, ...plan } = await get('janitor');
    return { ...plan, items: sweeps, actions: sweeps.flatMap(sweep => sweep.actions.map(action => ({ ...action, ...sweep }))) };
  },
  more: () => may('operator') && button('Sweep now', () => act('Swept', () => call('POST', 'janitor/sweep')), 'primary'),
  above: state => state.data.items.length > 0 && html`<div class="lead"><p>Last swept ${moment(state.data.items[0].at)}: ${state.data.actions.length || 'no'} ${state.data.actions.length === 1 ? 'action' : 'actions'} in ${state.data.items.length} kinds of sweep${next(state.data) || ''}.</p></div>`,
  columns: () => [['Sweep', sweep => html`<b>${sweep.sweep}</b>`, 'first'], ['When', sweep => moment(sweep.at), 'age'],
    ['Did', sweep => sweep.skipped ? html`${pill('paused', 'Skipped')} ${sweep.skipped}` : sweep.actions.length || 'nothing to do']],
  none: ['No sweep yet', 'It cleans up expired leases, lost runs and expired waits.', 'interlock janitor sweep --dry-run'],
  below: ({ data: { actions } }) => actions.length > 0 && section('Actions', table('Actions', ACTIONS, actions, (action, i) => i)),
});
