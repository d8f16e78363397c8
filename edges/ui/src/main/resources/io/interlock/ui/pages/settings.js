// Settings: what this browser prefers, who is signed in, jobs, and the effective configuration.
import { empty, facts, html, nothing, pill, section, span, table } from '../core/bits.js';
import { apiHref, get, may, session } from '../core/api.js';
import { head, shell } from '../core/shell.js';
import { trigger } from '../core/dialogs.js';
import { helpTable, setShortcuts, shortcuts } from '../core/keys.js';
import { millis, moment, setTimes, times } from '../core/time.js';

const none = { items: [] };
export default {
  title: () => 'Settings',
  async load(state) {
    const [jobs, config, keys] = await Promise.all([get('jobs'), may('admin') ? get('config').catch(() => none) : none, may('admin') ? get('keys').catch(() => none) : none]);
    state.data = { jobs: jobs.items, config: config.items || [], keys: keys.items || [] };
  },
  ignores: () => true,
  view: ({ data: { jobs, config, keys } }) => html`${head({ title: 'Settings', json: 'config', cli: 'interlock config show --origin', more: may('trigger') ? html`<button @click=${() => trigger()}>Start a run…</button>` : nothing })}
    <div class="grid k2e"><section class="card pad mt" aria-label="This browser"><h2>This browser</h2><div class="row"><label for="times">Times</label><select id="times" @change=${event => { setTimes(event.target.value); shell.draw(); }}>${['relative', 'UTC', 'local'].map(mode => html`<option value=${mode} ?selected=${times.mode === mode}>${mode}</option>`)}</select></div>
      <p><label><input type="checkbox" .checked=${shortcuts.on} @change=${event => setShortcuts(event.target.checked)}> Keyboard shortcuts</label></p>${helpTable()}</section>
    <section class="card pad mt" aria-label="Signed in"><h2>Signed in</h2>${facts([['Tenant', html`<b>${session.tenant}</b>`], ['Role', session.role], ['Key', session.label]])}
      <p class="muted">read looks · trigger starts and cancels · worker holds leases · operator evicts, pauses, retries, discards · admin sees keys and configuration. Each includes those before it.</p>
      <p class="row"><button @click=${() => shell.leave()}>Sign out</button><a href=${apiHref('openapi.json')} target="_blank" rel="noreferrer">OpenAPI document</a></p></section></div>
    ${section('Jobs', jobs.length ? table('Jobs', [['Job', job => html`<b>${job.name}</b>`, 'first'], ['Door', job => job.door], ['On conflict', job => job.onConflict], ['Lease', job => span(millis(job.lease))], ['Max runtime', job => span(millis(job.maxRuntime))], ['Attempts', job => job.maxAttempts ?? '—', 'num'], ['Stages', job => (job.stages || []).join(' → ') || '—'], ['Done', job => job.worker]], jobs, job => job.name)
      : empty('No jobs', 'Jobs are named in the configuration.', 'interlock server --config interlock.yaml'))}
    ${section('Configuration', config.length ? table('Configuration', [['Setting', each => html`<span class="mono">${each.name}</span>`, 'first'], ['Value', each => html`<span class="mono">${each.value}</span>`], ['From', each => each.origin]], config, each => each.name) : html`<p class="muted pad0">${may('admin') ? 'Nothing is set.' : 'The configuration needs the role admin.'}</p>`, 'secrets are masked')}
    ${keys.length ? section('API keys', table('API keys', [['Id', key => html`<span class="mono">${key.id}</span>`, 'first'], ['State', key => key.active ? pill('ok', 'Active') : pill('idle', 'Over')], ['Tenant', key => key.tenant], ['Role', key => key.role], ['Label', key => key.label], ['Made', key => moment(key.createdAt)]], keys, key => key.id)) : nothing}`,
};
