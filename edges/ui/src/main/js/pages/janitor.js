// Janitor: its actions and their reasons.
import { get, html, keyLink, list, moment, pages, pill, runLink, section, table } from '../core/page.js';

const ACTIONS = [['When', action => moment(action.at), 'first'], ['Sweep', 'sweep'], ['Key', action => keyLink(action.key)], ['Run', action => runLink(action.run)],
  ['Became', 'state'], ['Why', 'why']];

pages.janitor = list({
  title: 'Janitor', from: 'janitor', cli: 'interlock janitor status', hears: /^(janitor|run|reset)/, key: sweep => sweep.sweep,
  async load() {
    const { sweeps } = await get('janitor');
    return { items: sweeps, actions: sweeps.flatMap(sweep => sweep.actions.map(action => ({ ...action, ...sweep }))) };
  },
  above: ({ data: { items, actions } }) => items.length > 0 && html`<div class="lead"><p>Last swept ${moment(items[0].at)}: ${actions.length || 'no'} actions in ${items.length} kinds of sweep.</p></div>`,
  columns: () => [['Sweep', sweep => html`<b>${sweep.sweep}</b>`, 'first'], ['When', sweep => moment(sweep.at), 'age'],
    ['Did', sweep => sweep.skipped ? html`${pill('paused', 'Skipped')} ${sweep.skipped}` : sweep.actions.length || 'nothing to do']],
  none: ['No sweep yet', 'It cleans up expired leases, lost runs and expired waits.', 'interlock janitor sweep --dry-run'],
  below: ({ data: { actions } }) => actions.length > 0 && section('Actions', table('Actions', ACTIONS, actions, (action, i) => i)),
});
