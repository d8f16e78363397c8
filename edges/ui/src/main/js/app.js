// The frame of all pages: routes by the URL, and keeps the page up to date.
import { render } from './lit/lit-html.js';
import { actFor, guard, href, path, Problem, remember, root, session, signIn, signOut, tenants, whoAmI } from './core/api.js';
import { expire, hold, listener, live, pause, start } from './core/live.js';
import { clock, keep, kept, tick, zone } from './core/time.js';
import { brand, button, commas, html, mark, muted } from './core/bits.js';
import { announce, pages, shell, toast } from './core/shell.js';
import { refresh, stale, summary, totals } from './core/summary.js';
import { help, listen } from './core/keys.js';
import { ask } from './core/dialogs.js';
import { palette } from './core/palette.js';
import { refusal, signInView } from './pages/sign-in.js';

const NAV = [['', 'Now'], ['locks', 'Locks', totals.locks], ['runs', 'Runs'], ['queue', 'Queue', totals.queue],
  ['dead-letters', 'Dead letters', totals.dead], ['jobs', 'Jobs'], ['workers', 'Workers'], null, ['janitor', 'Janitor'], ['audit', 'Audit log'], ['settings', 'Settings']];
const PAGES = /^(now|locks?|runs?|queue|dead-letters|jobs|workers|janitor|audit|settings|docs)$/;
const FRESH = 1000;

let page;
let state = {};
let problem = null;
let loading = 0;
let again = 0;
let turn = 0;
let trip = 0;
let asking = false;
let refused = '';

const main = document.documentElement;
/** @noinline */
const toTop = () => document.querySelector('main h1')?.focus();
/** Goes to the place within the page that the URL names, if it names one. */
function toPlace() {
  const place = document.getElementById(location.hash.slice(1));
  if (!place || place.id === 'main') return;
  place.tabIndex = -1;
  place.focus();
  place.scrollIntoView();
}
function draw() {
  shell.width = Math.max(300, main.clientWidth - (window.innerWidth > 1199 ? 208 + 48 : window.innerWidth > 999 ? 48 : 24));
  document.title = (totals.attention() ? `(${totals.attention()}) ` : '') + (page ? page.title(state) + ' · ' : '') + 'Interlock';
  const had = document.activeElement;
  render(asking && !page ? signInView({ refused, enter }) : frame(), document.getElementById('app'), undefined);
  // The focused element may be gone; then the focus goes to the top of the page.
  if (!had.isConnected) toTop();
  document.querySelectorAll('[data-follow=yes]').forEach(text => { text.scrollTop = text.scrollHeight; });
}

const entry = ([name, words, number]) => {
  const here = state.name === name || (state.name === 'lock' && name === 'locks');
  const figure = number && summary.at ? commas(number()) : '';
  return html`<a href=${href(name)} aria-current=${here && 'page'}>${words}${figure && html` <span class="n tn ${name === 'dead-letters' && figure !== '0' ? 'bad' : ''}">${figure}</span>`}</a>`;
};
const frame = () => html`<a class="skip" href="#main">Skip to content</a><div class="app ${kept('rows')}"><header>
  <a class="brand" href=${href('')}>${brand}Interlock</a>
  <button class="search" @click=${palette}><span>Search or jump to…</span><kbd>Ctrl K</kbd></button>
  <span class="grow"></span>${badge()}
  ${times()}
  <button class="ghost freeze" aria-pressed=${String(live.paused)} title="Stop and continue live updates of this page" @click=${() => pause(!live.paused)}>${live.paused ? 'Unfreeze' : 'Freeze'}</button>
  ${button('◐', theme, 'ghost icon', 'Light or dark')}
  ${menu()}</header>
  <nav class="side" aria-label="Main"><div>${NAV.map(each => each ? entry(each) : html`<h2>Operate</h2>`)}</div></nav>
  <main id="main" aria-busy=${String(loading > 0)}>${asking && signInView({ refused, enter, inside: true })}${body()}</main>
  <div class="toasts">${shell.toasts.map(({ bad, words, undo }) => html`<div class="toast ${bad ? 'bad' : ''}">${mark(bad ? 'fail' : 'ok')}<span>${words}</span>${undo && button('Undo', undo, 'ghost')}</div>`)}</div></div>`;

const times = () => html`<div class="switch" role="group" aria-label="Times">${['UTC', 'local', 'relative'].map(mode =>
  html`<button aria-pressed=${String(zone() === mode)} @click=${() => { keep('times', mode); draw(); }}>${mode === 'UTC' ? mode : mode[0].toUpperCase() + mode.slice(1)}</button>`)}</div>`;
/** The tenant, other tenants this browser has used, and the session. */
const menu = () => html`<details class="menu" @focusout=${event => { if (!event.currentTarget.contains(event.relatedTarget)) event.currentTarget.open = false; }}>
  <summary class="who" title=${session.label}>${session.tenant} <span aria-hidden="true">▾</span>${muted(' · ' + session.role)}</summary>
  <div class="card pad">${times()}${session.label && html`<p class="muted">Signed in as ${session.label}</p>`}
  ${session.tenants.filter(name => name !== session.tenant).map(name => html`<p>${button(name, () => actFor(name), 'ghost wide')}</p>`)}
  ${session.anyTenant && html`${tenants().filter(name => name !== session.tenant).map(name => html`<p>${button(name, () => actFor(name), 'ghost wide')}</p>`)}
    <form class="row" @submit=${event => { event.preventDefault(); actFor(event.target.tenant.value.trim()); }}><input name="tenant" aria-label="Another tenant" placeholder="Another tenant" autocomplete="off"><button>Switch</button></form>`}
  <p class="row"><a href=${href('settings')}>Settings</a><span class="grow"></span>${button('Sign out', () => shell.leave(), 'small')}</p></div></details>`;

function body() {
  if (problem && !state.data) {
    return html`<div class="empty"><h1 tabindex="-1">${problem.title}</h1><p>${problem.message}</p>${problem.status !== 501 && html`${problem.request && html`<p class="muted">Request ${problem.request}</p>`}${button('Try again', () => page ? load() : location.reload())}`}</div>`;
  }
  if (page === null) return html`<div class="empty"><h1 tabindex="-1">Page not found</h1><p><a href=${href('')}>Go to Now</a></p></div>`;
  return page && state.data ? html`<div class=${live.status === 'offline' ? 'frozen' : ''}>${page.view(state)}</div>` : html`<p class="muted pad">Loading…</p>`;
}

const BADGES = { connecting: ['idle', 'Connecting'], live: ['ok', 'Live'], expired: ['fail', 'Signed out'], offline: ['overdue', 'Offline · data from '] };
function badge() {
  const [kind, words] = live.paused && live.status === 'live' ? ['paused', 'Frozen' + (live.waiting ? ` · ${commas(live.waiting)} ${live.waiting === 1 ? 'change' : 'changes'}` : '')] : BADGES[live.status];
  return html`<span class="live c-${kind}"><svg viewBox="0 0 8 8" aria-hidden="true"><circle cx="4" cy="4" r="4" fill="currentColor"/></svg><span>${words}${live.status === 'offline' && clock(live.at)}</span></span>`;
}

/** Loads the data of the page. Automatic updates are not shown while the page is paused. */
async function load(unasked = false) {
  const mine = ++turn;
  if (!page || asking) return;
  loading++;
  try {
    const data = await page.load(state);
    if (mine !== turn) return;
    // A page that shows nothing yet is not frozen.
    if (unasked && live.paused && state.data) return hold();
    Object.assign(state, { data, loaded: tick(), own: false });
    problem = null;
  } catch (failure) {
    if (mine === turn) problem = failure;
    if (failure.status === undefined) console.error(failure);
    else if (state.data && failure.status && !asking) toast(failure.title + ': ' + failure.message, true);
  } finally {
    loading--;
    if (mine === turn) draw();
  }
}

/** @noinline */
const parameters = () => Object.fromEntries(new URLSearchParams(location.search));
async function navigate(focus) {
  const mine = ++trip;
  const [name, id = ''] = location.pathname.slice(root.pathname.length).split('/');
  const file = name === 'runs' && id ? 'run' : name || 'now';
  // Not every browser requests a module again after it failed to load; reloading the whole page does.
  const next = PAGES.test(file) ? await import('./' + file + '.js').then(() => pages[file === 'jobs' && id ? 'job' : file], () => undefined) : null;
  if (mine !== trip) return;
  page = next;
  problem = page === undefined ? new Problem(0, { title: 'This page could not be loaded', detail: 'The server is unavailable, or has a new version.' }) : null;
  state = { name, id, q: parameters(), data: null, loaded: 0 };
  draw();
  // If the navigation does not fit, scroll to the current page.
  const here = document.querySelector('.side [aria-current=page]');
  if (here) here.closest('nav').scrollLeft = here.offsetLeft - 40;
  await load();
  if (focus) { window.scrollTo(0, 0); toTop(); }
  toPlace();
}

shell.draw = draw;
shell.load = () => { state.own = true; stale(); return load(); };
shell.go = to => { history.pushState(null, '', href(to)); return navigate(true); };
/** Changes parameters of the URL and loads the data; the page stays. */
shell.filter = changes => {
  history.pushState(null, '', path(location.pathname, { ...state.q, cursor: '', ...changes }));
  const turned = state.q.cursor !== parameters().cursor;
  state.q = parameters();
  return load().then(() => { if (turned) window.scrollTo(0, 0); });
};
shell.leave = async () => { await signOut(); expire(); page = undefined; state = {}; asking = true; draw(); };

function theme() {
  main.dataset.theme = main.dataset.theme === 'dark' ? 'light' : 'dark';
  keep('theme', main.dataset.theme);
}

function rows() {
  keep('rows', kept('rows') ? '' : 'compact');
  draw();
}

async function enter(proof) {
  try {
    await signIn(proof);
    await begin();
  } catch (failure) {
    refused = failure.status === 401 ? 'This API key or code is not valid. A code works once, for 15 minutes.' : failure.message;
    draw();
  }
}

async function begin() {
  asking = false;
  remember(session.tenant);
  refused = '';
  start();
  refresh().catch(() => {});
  if (state.data) load(); else await navigate(false);
}

guard.expired = () => { if (!asking) { asking = true; expire(); draw(); } };
listener.status = () => {
  if (live.status === 'offline') announce('Connection lost');
  if (live.status === 'live' && !live.paused) announce('Connected');
  draw();
};
// A sign-in applies to all tabs: they share one cookie, and each must load the new session.
listener.again = () => whoAmI().then(() => asking || live.status === 'expired' ? begin() : draw()).catch(() => {});
listener.event = (type, data) => {
  if (asking) return;
  if (type === 'run.dead') announce('New dead letter: ' + data.key);
  stale();
  const { hears } = page || {};
  if (!page || (hears && !(hears.test ? hears.test(type) : hears(type, data, state)))) return;
  again ||= setTimeout(() => { again = 0; load(true); }, Math.max(250, FRESH - (tick() - state.loaded)));
};
document.addEventListener('click', event => {
  const link = event.target.closest('a');
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || link.getAttribute('target') || link.hasAttribute('download')) return;
  // Links inside pictures have no URL of their own.
  const to = new URL(link.getAttribute('href'), location.href);
  if (to.origin !== location.origin || !to.pathname.startsWith(root.pathname)) return;
  event.preventDefault();
  link.closest('dialog')?.close();
  if (to.hash === '#main') return toTop();
  const within = to.hash && to.pathname === location.pathname;
  history.pushState(null, '', to);
  // A place within the page needs no other data.
  if (within) toPlace(); else navigate(true);
});
window.addEventListener('popstate', () => navigate(false));
window.addEventListener('resize', draw);
window.addEventListener('storage', event => { if (event.key === 'interlock.tenant') location.reload(); });
// Every page can be opened while the server is away.
(window.requestIdleCallback || setTimeout)(() => NAV.filter(each => each).map(([name]) => name || 'now').concat('lock', 'run', 'docs').forEach(name => { import('./' + name + '.js').catch(() => {}); }));
// There are no events for renewals: pages that show the remaining lease reload periodically.
setInterval(() => {
  if (live.paused || document.hidden) return;
  draw();
  if (live.status === 'live' && page?.renews && state.data && !loading && tick() - state.loaded > page.renews) load(true);
}, 1000);
shell.explain = ([title, words, place]) => ask({ title: 'About this page: ' + title, body: html`<p>${words}</p><p><a href=${href('docs/' + place)}>Read more in the docs</a> · <a href=${href('docs/runbooks')}>Runbooks</a> · <a href=${href('docs')}>All pages</a></p>` });
listen({ go: shell.go, find: palette, pause: () => pause(!live.paused), theme, rows, help: () => ask({ title: 'Keyboard', body: help() }) });

const { code, 'refused': why } = parameters();
if (code || why) {
  // The code must not stay in the URL or the history.
  const url = new URL(location.href);
  url.searchParams.delete('code');
  url.searchParams.delete('refused');
  history.replaceState(null, '', url);
}
(code ? signIn({ code }) : whoAmI()).then(begin).catch(failure => {
  asking = true;
  refused = refusal(why);
  if (code && failure.status === 401) refused = 'This link has been used already, or is older than 15 minutes. Ask for a new one, or sign in with an API key.';
  else if (failure.status && failure.status !== 401) refused = failure.message;
  draw();
});
