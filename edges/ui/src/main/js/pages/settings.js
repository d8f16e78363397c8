// Settings: preferences of this browser, the session, API keys, and the effective configuration.
import {
  actFor, apiHref, ask, banner, box, button, call, copy, facts, head, html, keep, kept, look, may, mono, moment, pages, path, pill, post, REASON, section,
  session, shell, table,
} from '../core/page.js';
import { help } from '../core/keys.js';

const KEYS = [
  ['Id', key => mono(key.id), 'first'],
  ['State', key => key.active ? pill('ok', 'Active') : pill('idle', 'Ended')],
  ['Role', 'role'],
  ['Label', 'label'],
  ['Created', key => moment(key.createdAt)],
  ['Ends', key => moment(key.revokedAt || key.expiresAt)],
  ['Action', key => key.active && !session.bare && button('Revoke…', () => revoke(key), 'small danger', 'Revoke key ' + key.id), 'num'],
];
const CONFIG = [['Setting', each => mono(each.name), 'first'], ['Value', each => mono(each.value)], ['From', 'origin', 'wide']];

const make = () => ask({
  title: 'Create an API key', confirm: 'Create', body: html`<p>It is for tenant <b>${session.tenant}</b>. Its secret is shown only once and is not stored.</p>`,
  fields: [
    { name: 'role', label: 'Role', options: ['read', 'trigger', 'worker', 'operator', 'admin'], value: 'read' },
    { name: 'label', label: 'Label: its user or purpose', required: true },
    { name: 'expiresIn', label: 'Expires after (90d, 12h; empty: never)' },
  ],
  send: body => post('keys', body), done: show,
});
const show = ({ id, apiKey }) => ask({ title: 'Key ' + id, body: html`<p>Copy it now: it cannot be shown again.</p><p><code class="mono secret">${apiKey}</code></p>${button('Copy key', () => copy(apiKey, 'Key'))}` });
const revoke = ({ id, label }) => ask({
  title: `Revoke ${label} (${id})?`, confirm: 'Revoke', danger: true, fields: [REASON], body: html`<p>Requests with this key are refused within a few seconds. This cannot be undone.</p>`,
  send: ({ reason }) => call('DELETE', path('keys/' + encodeURIComponent(id), { reason })), done: () => label + ' is revoked',
});
/** A checkbox for a setting with two values. */
const tick = (words, name, on, off) => html`<label><input type="checkbox" .checked=${kept(name, 'on') === on} @change=${event => { keep(name, event.target.checked ? on : off); shell.draw(); }}> ${words}</label>`;
const tenant = () => html`<form class="row" @submit=${event => { event.preventDefault(); actFor(event.target.tenant.value.trim()); }}><label for="tenant">Act for tenant</label>
  <input id="tenant" name="tenant" .value=${kept('tenant')} placeholder="default" autocomplete="off"><button>Switch</button></form>`;

pages.settings = {
  title: () => 'Settings',
  async load() {
    const [config, keys] = await Promise.all(may('admin') ? ['config', 'keys'].map(look) : []);
    return { config: config?.items || [], keys: keys?.items || [] };
  },
  hears: /reset/,
  view: ({ data: { config, keys } }) => html`${head({ title: 'Settings', json: 'config', cli: 'interlock config show --origin' })}
    <div class="grid k2e">${box('This browser', html`<p class="row">${tick('Compact rows', 'rows', 'compact', '')}${tick('Keyboard shortcuts', 'keys', 'on', 'off')}</p>${help()}`)}
    ${box('Signed in', html`${facts({ Tenant: html`<b>${session.tenant}</b>`, Role: session.role, Key: session.label })}${session.anyTenant && tenant()}
      <p class="muted mt">read: view · trigger: start, cancel · worker: work · operator: evict, pause, settle · admin: manage keys. Each role includes those before it.</p>
      <p class="row">${button('Sign out', () => shell.leave())}<a href=${apiHref('openapi.json')} target="_blank" rel="noreferrer">OpenAPI document</a></p>`)}</div>
    ${may('admin') && section('API keys', html`${table('API keys', KEYS, keys, key => key.id)}${!session.bare && html`<p class="pad0">${button('Create a key…', make)}</p>`}`, 'of tenant ' + session.tenant)}
    ${session.bare && banner('idle', session.bare)}
    ${section('Configuration', may('admin') ? table('Configuration', CONFIG, config, each => each.name) : html`<p class="muted pad0">The configuration needs the role admin.</p>`, 'secrets are masked')}`,
};
