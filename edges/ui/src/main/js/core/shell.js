// The functions of the frame that other modules call, and what pages have in common.
import { apiHref, get, may, path, Problem } from './api.js';
import { banner, button, empty, html, muted, said, table } from './bits.js';
import { about } from './about.js';
import { kept, pastOf } from './time.js';

/** The pages by name; each registers itself when it is loaded. */
export const pages = {};
/** Set by app.js: draw, load, go to a path under the root, change parameters of the URL, sign out, explain the page. */
export const shell = { draw() {}, load() {}, go(to) {}, filter(changes) {}, leave() {}, explain(page) {}, width: 1100, toasts: [] };

export const announce = words => { document.getElementById('announce').textContent = words; };
export function toast(words, bad = false, undo = null) {
  const one = { words, bad, undo };
  shell.toasts.push(one);
  announce(words);
  shell.draw();
  setTimeout(() => {
    shell.toasts = shell.toasts.filter(other => other !== one);
    shell.draw();
  }, 8000);
}

/** Does something and shows the result, or the server's message if it was refused. */
export async function act(words, doing, undo = null) {
  try {
    await doing();
    toast(words, false, undo);
    shell.load();
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    toast(problem.title + ': ' + problem.message, true);
  }
}

export async function copy(words, what) {
  try {
    await navigator.clipboard.writeText(words);
    toast(what + ' copied');
  } catch {
    toast('Copy it from here: ' + words);
  }
}

/** Quoted for a shell. */
export const quote = word => /^[\w./:@%+=,-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";

/** The CLI listing that takes the key as an argument. */
export const keyed = what => ({ key }) => `interlock ${what} ls` + (key ? ' ' + quote(key) : '');

/** The row under the breadcrumbs: title and actions. */
export const head = ({ crumb = null, title, state = null, json, cli, more = null }) => html`<div class="row head">${crumb && html`<nav class="crumb" aria-label="Breadcrumb">${crumb}</nav>`}<h1 tabindex="-1">${title}</h1>${state}<span class="grow"></span><div class="row tools">
    ${button('Docs', () => shell.explain(about()), 'ghost')}
    ${!kept('tenant') && html`<a class="button ghost" href=${apiHref(json)} target="_blank" rel="noreferrer">JSON</a>`}
    ${button('Copy link', () => copy(location.href, 'Link'), 'ghost')}
    <button class="cli" title=${cli} @click=${() => copy(cli, 'Command')}>Copy as CLI</button>${more}</div></div>`;

const chips = (chosen, states, number) => html`<div class="chips mt" role="group" aria-label="State">${['', ...states].map(state =>
  html`<button class="chip" aria-pressed=${String(chosen === state)} @click=${() => shell.filter({ state })}>${state ? said(state) : 'All'}${number?.(state)}</button>`)}</div>`;

/** A form whose fields are parameters of the URL; what the server says about a value stands below its field. */
const form = (q, fields, aside, problem) => html`<form class="row mt filters" @submit=${event => { event.preventDefault(); shell.filter(Object.fromEntries(new FormData(event.target))); }}>
  ${fields.map(([name, words]) => {
    const wrong = q[name] && problem?.about(name);
    return html`<span class="field"><input name=${name} .value=${q[name] || ''} aria-label=${words} placeholder=${words} title=${words} autocomplete="off" aria-invalid=${wrong ? 'true' : false} aria-describedby=${wrong ? 'w-' + name : false}>
      ${wrong && html`<span class="wrong" id="w-${name}" role="alert">${wrong}</span>`}</span>`;
  })}<button>Filter</button><span class="grow"></span>${aside && muted(aside)}</form>`;

const pager = ({ items, cursor }, q, hint) => html`<p class="row muted">${items.length > 0 && items.length + (cursor ? ' shown' : ' in total')}${hint}<span class="grow"></span>
  ${q.cursor && button('First page', () => shell.filter({}))}${cursor && button(items.length ? 'Next page' : 'Look further', () => shell.filter({ cursor }))}</p>`;

/** What stands in place of the rows when there are none. */
const nothing = (page, { problem, cursor }, filtered) => empty(problem ? ['This filter is not valid', 'The note below the field says why.']
  : cursor ? ['Nothing so far', 'There are others that have not been searched yet.'] : filtered ? ['Nothing matches', 'Remove a filter, or wait: the list is live.'] : page.none);

const TIMES = ['since', 'until', 'failedSince'];
/** The parameters of the URL that the server and the command line also have. */
const known = (page, q) => Object.fromEntries([...page.states ? ['state'] : [], ...page.fields.filter(each => !each[2]).map(each => each[0]), ...page.also || []].map(name => [name, q[name] && TIMES.includes(name) ? pastOf(q[name]) : q[name]]));
const address = (page, q) => path(page.from, { ...known(page, q), ...page.always, cursor: q.cursor, limit: page.limit });

/**
 * A list page. from, always, limit: the request; states, fields [name, words, only here?]: filters, kept in the URL; also: parameters without a field; load: converts
 * the answer; role: who may see it; columns, key, sorted: the table; none: shown when the list is empty; cli, flags: the command, and its filters if not all; further content: more,
 * number, aside, above, hint, below.
 */
export function list(options) {
  const ask = (q, limit = page.limit) => get(address({ ...page, limit }, q));
  const page = { fields: [], key: each => each.id, ...options };
  const allowed = () => !page.role || may(page.role);
  const view = state => {
    const { q, data } = state;
    if (!allowed()) return html`<h1 tabindex="-1">${page.title}</h1>${banner('overdue', 'This page needs the role ' + page.role + '.')}`;
    const flags = Object.entries(known(page, q)).map(([name, value]) => value && (page.flags || [name]).includes(name) ? ' --' + name.replace(/[A-Z]/g, letter => '-' + letter.toLowerCase()) + ' ' + quote(value) : '');
    const filtered = Object.keys(q).some(name => name !== 'sort' && name !== 'cursor');
    return html`${head({ title: page.title, json: address(page, q), cli: page.cli.call ? page.cli(q) : page.cli + flags.join(''), more: page.more?.(state) })}
    ${page.states && chips(q.state || '', page.states, name => page.number?.(name, state))}${page.fields.length > 0 && form(q, page.fields, page.aside?.(state), data.problem)}${page.above?.(state)}
    <div class="card mt">${data.items.length ? table(page.title, page.columns(state), page.rows?.(state) || data.items, page.key, page.sorted?.(state))
      : nothing(page, data, filtered)}</div>
    ${page.fields.length > 0 && pager(data, q, page.hint)}${page.below?.(state)}`;
  };
  const read = async state => {
    if (!allowed()) return {};
    try {
      return await (page.load ? page.load(state, ask) : ask(state.q));
    } catch (problem) {
      // A filter that the server does not understand shows no rows: older ones would look like its answer.
      if (problem.status !== 400 || !problem.errors.length) throw problem;
      return { items: [], problem };
    }
  };
  return { ...page, title: () => page.title, load: read, view };
}
