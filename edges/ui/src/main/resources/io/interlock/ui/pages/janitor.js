// Janitor: what was cleaned up, and why.
import { empty, html, keyLink, nothing, pill, runLink, table } from '../core/bits.js';
import { get } from '../core/api.js';
import { head } from '../core/shell.js';
import { moment } from '../core/time.js';

export default {
  title: () => 'Janitor',
  async load(state) { state.data = await get('janitor'); },
  ignores: type => !type.startsWith('janitor') && !type.startsWith('run'),
  view({ data: { sweeps } }) {
    const actions = sweeps.flatMap(sweep => sweep.actions.map(action => ({ ...action, ...sweep })));
    return html`${head({ title: 'Janitor', json: 'janitor', cli: 'interlock janitor status' })}
    <div class="lead"><p>${sweeps.length ? html`Last swept ${moment(sweeps[0].at)}: ${actions.length || 'nothing'} to do in ${sweeps.length} kinds of sweep.` : 'It has not swept yet.'}</p></div>
    <div class="card mt">${sweeps.length ? table('Sweeps', [['Sweep', sweep => html`<b>${sweep.sweep}</b>`, 'first'], ['When', sweep => moment(sweep.at), 'age'], ['Did', sweep => sweep.skipped ? html`${pill('paused', 'Skipped')} ${sweep.skipped}` : sweep.actions.length || 'nothing to do']], sweeps, sweep => sweep.sweep)
      : empty('No sweep yet', 'It looks for leases whose holders are gone, runs nobody takes, and waits that are over.', 'interlock janitor sweep --dry-run')}</div>
    ${actions.length ? html`<div class="card mt">${table('Actions', [['When', action => moment(action.at), 'first'], ['Sweep', action => action.sweep], ['Key', action => keyLink(action.key)], ['Run', action => runLink(action.run)], ['Became', action => action.state || '—'], ['Why', action => action.why]], actions, (action, i) => i)}</div>` : nothing}`;
  },
};
