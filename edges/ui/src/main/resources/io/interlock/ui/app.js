// The page around the pages: finds the one the address names, keeps it fresh, and never loses the address.
import { html, nothing, render } from './lit/lit-html.js';
import { href, onExpired, root, session, signIn, signOut, whoAmI } from './core/api.js';
import { expire, live, onEvent, onStatus, pause, start } from './core/live.js';
import { clock } from './core/time.js';
import { count, mark } from './core/bits.js';
import { shell, toast } from './core/shell.js';
import { refresh, stale, summary } from './core/summary.js';
import { keep } from './core/store.js';
import { helpTable, listen } from './core/keys.js';
import { ask } from './core/dialogs.js';
import { signInView } from './pages/sign-in.js';

const PAGES = { '': 'now', locks: 'locks', lock: 'lock', runs: 'runs', queue: 'queue', 'dead-letters': 'dead-letters', workers: 'workers',
  janitor: 'janitor', audit: 'audit', settings: 'settings' };
const NAV = [['', 'Now'], ['locks', 'Locks', () => count(summary.locks)], ['runs', 'Runs'], ['queue', 'Queue', () => count(summary.queue)],
  ['dead-letters', 'Dead letters', () => count(summary.dead), true], ['workers', 'Workers', () => summary.workers?.items.length ?? ''],
  null, ['janitor', 'Janitor'], ['audit', 'Audit log'], ['settings', 'Settings']];
const FRESH = 1000;

let page;
let state = {};
let problem = null;
let loading = 0;
let again = 0;
let turn = 0;
let asking = false;
let refused = '';

const draw = () => {
  shell.width = Math.max(300, Math.min(1440, document.documentElement.clientWidth - (innerWidth > 760 ? 208 + 48 : 24)));
  render(asking && !page ? signInView({ refused, enter }) : frame(), document.getElementById('app'));
};
const frame = () => html`<a class="skip" href="#main">Skip to content</a><div class="app"><header>
  <a class="brand" href=${href('')}><svg viewBox="0 0 16 16" aria-hidden="true"><rect x="1.500" y="1.500" width="13" height="13" rx="2.500" fill="none" stroke="currentColor" stroke-width="1.600"/><path d="M8 2h5v12H8z" fill="currentColor"/></svg>Interlock</a>
  <form role="search" @submit=${search}><input class="search" type="search" name="q" aria-label="Search for a key or a run id" placeholder="Search key or run id…   /" autocomplete="off"></form>
  <span class="grow"></span>${badge()}
  <button class="ghost" aria-pressed=${live.paused} @click=${() => pause(!live.paused)}>${live.paused ? 'Resume' : 'Pause'}</button>
  <button class="ghost icon" aria-label="Light or dark" @click=${theme}>◐</button>
  <a class="who" href=${href('settings')} title=${session.label}>${session.tenant}<span class="muted"> · ${session.role}</span></a></header>
  <nav class="side" aria-label="Main"><div>${NAV.map(entry => entry ? html`<a href=${href(entry[0])} aria-current=${state.name === entry[0] || (state.name === 'lock' && entry[0] === 'locks') ? 'page' : nothing}>${entry[1]}
    ${entry[2] && entry[2]() !== '' ? html` <span class="n tn ${entry[3] && summary.dead?.items.length ? 'bad' : ''}">${entry[2]()}</span>` : nothing}</a>` : html`<h2>Operate</h2>`)}</div></nav>
  <main id="main" aria-busy=${loading > 0}>${asking ? signInView({ refused, enter, inside: true }) : nothing}${body()}</main>
  <div class="toasts">${shell.toasts.map(one => html`<div class="toast ${one.bad ? 'bad' : ''}">${one.bad ? mark('fail') : mark('ok')}<span>${one.words}</span>${one.undo
    ? html`<button class="ghost" @click=${one.undo}>Undo</button>` : nothing}</div>`)}</div></div>`;

function body() {
  if (problem && !state.data) {
    return html`<div class="empty"><h1 tabindex="-1">${problem.title}</h1><p>${problem.message}</p>${problem.request ? html`<p class="muted">Request ${problem.request}</p>` : nothing}
      <button @click=${() => load()}>Try again</button></div>`;
  }
  if (page === null) return html`<div class="empty"><h1 tabindex="-1">There is no such page</h1><p><a href=${href('')}>Go to Now</a></p></div>`;
  if (!page || !state.data) return html`<p class="muted pad">Loading…</p>`;
  return html`<div class=${live.status === 'offline' ? 'frozen' : ''}>${page.view(state)}</div>`;
}

function badge() {
  const [kind, words] = live.paused ? ['paused', 'Paused' + (live.waiting ? ' · ' + live.waiting + ' changes waiting' : '')]
    : live.status === 'live' ? ['ok', 'Live'] : live.status === 'expired' ? ['fail', 'Signed out']
    : live.status === 'offline' ? ['overdue', 'Offline · data from ' + clock(live.at, 'local')] : ['idle', 'Connecting'];
  return html`<span class="live c-${kind}"><svg viewBox="0 0 8 8" aria-hidden="true"><circle cx="4" cy="4" r="4" fill="currentColor"/></svg>${words}</span>`;
}

async function load() {
  const mine = ++turn;
  if (!page || asking) return;
  loading++;
  try {
    await page.load(state);
    if (mine !== turn) return;
    problem = null;
    state.loaded = Date.now();
    state.own = false;
  } catch (failure) {
    if (mine === turn) problem = failure;
    if (failure.status === undefined) console.error(failure);
    else if (state.data && failure.status) toast(failure.title + ': ' + failure.message, true);
  } finally {
    loading--;
    if (mine === turn) draw();
  }
}

async function navigate(focus) {
  const path = location.pathname.slice(root.pathname.length);
  const [first, rest] = path.split('/');
  const name = first === 'runs' && rest ? 'run' : PAGES[first];
  const next = name ? (await import('./pages/' + name + '.js')).default : null;
  page = next;
  problem = null;
  state = { name: first, id: rest ? decodeURIComponent(rest) : '', q: new URLSearchParams(location.search), data: null, loaded: 0 };
  document.title = (page ? page.title(state) + ' · ' : '') + 'Interlock';
  draw();
  await load();
  if (focus) { scrollTo(0, 0); document.querySelector('main h1')?.focus(); }
}

shell.draw = draw;
shell.load = () => { state.own = true; load(); stale(); };
shell.go = path => { history.pushState(null, '', href(path)); return navigate(true); };
/** Changes parameters of the address and loads what they name; the page stays. */
shell.filter = changes => {
  const url = new URL(location.href);
  if (!('cursor' in changes)) url.searchParams.delete('cursor');
  for (const [name, value] of Object.entries(changes)) {
    if (value) url.searchParams.set(name, value); else url.searchParams.delete(name);
  }
  history.pushState(null, '', url);
  state.q = url.searchParams;
  return load();
};

function search(event) {
  event.preventDefault();
  const words = new FormData(event.target).get('q').trim();
  event.target.reset();
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(words)) shell.go('runs/' + words);
  else if (words) shell.go('locks?key=' + encodeURIComponent(words.endsWith('*') ? words : words + '*'));
}

function theme() {
  const next = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
  document.documentElement.dataset.theme = next;
  keep('theme', next);
}

async function enter(proof) {
  try {
    await signIn(proof);
    await begin();
  } catch (failure) {
    refused = failure.status === 401 ? 'That is no key or code that counts. A code works once, for 15 minutes.' : failure.message;
    draw();
  }
}

async function begin() {
  asking = false;
  refused = '';
  start();
  refresh().catch(() => {});
  if (state.data) load(); else await navigate(false);
}

shell.leave = async () => { await signOut(); expire(); page = undefined; state = {}; asking = true; draw(); };
onExpired(() => { if (!asking) { asking = true; expire(); draw(); } });
onStatus(() => {
  if (live.status === 'offline') document.getElementById('announce').textContent = 'Connection lost';
  if (live.status === 'live') document.getElementById('announce').textContent = 'Connected';
  draw();
});
onEvent((type, data) => {
  if (asking) return;
  if (type === 'run.dead') document.getElementById('announce').textContent = 'New dead letter: ' + data.key;
  stale();
  if (!page || (type !== 'reset' && page.ignores?.(type, data, state))) return;
  if (!again) again = setTimeout(() => { again = 0; load(); }, Math.max(250, FRESH - (Date.now() - state.loaded)));
});
document.addEventListener('click', event => {
  const link = event.target.closest('a');
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || link.target || link.origin !== location.origin) return;
  if (!link.pathname.startsWith(root.pathname) || link.getAttribute('href').startsWith('#')) return;
  event.preventDefault();
  history.pushState(null, '', link.href);
  navigate(true);
});
addEventListener('popstate', () => navigate(false));
addEventListener('resize', draw);
// Renewals are told by nobody: whoever shows how long a lease has left looks again now and then.
setInterval(() => {
  if (live.paused || document.hidden) return;
  draw();
  if (live.status === 'live' && page?.renews && state.data && !loading && Date.now() - state.loaded > page.renews) load();
}, 1000);
listen({ go: shell.go, pause: () => pause(!live.paused), theme, help: () => ask({ title: 'Keyboard', body: helpTable(), confirm: 'Good', send: async () => {}, done: () => 'Press ? to see it again' }) });

const code = new URLSearchParams(location.search).get('code');
if (code) {
  // The code must not stay in the address or the history.
  const url = new URL(location.href);
  url.searchParams.delete('code');
  history.replaceState(null, '', url);
}
try {
  if (code) await signIn({ code }); else await whoAmI();
  await begin();
} catch (failure) {
  asking = true;
  if (code || (failure.status && failure.status !== 401)) refused = failure.message;
  draw();
}
