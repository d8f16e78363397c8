// What other modules may ask of the page around them.
import { html } from '../lit/lit-html.js';
import { apiHref, Problem } from './api.js';

/** Set by app.js: draw again, load again, go to a path under the root, change a parameter of the address. */
export const shell = { draw() {}, load() {}, go() {}, filter() {}, width: 1100, toasts: [] };

export function toast(words, bad, undo) {
  const one = { words, bad, undo };
  shell.toasts.push(one);
  document.getElementById('announce').textContent = words;
  shell.draw();
  setTimeout(() => {
    shell.toasts = shell.toasts.filter(other => other !== one);
    shell.draw();
  }, 8000);
}

/** Does something and says how it ended, in the server's words if it was refused. */
export async function act(words, doing, undo) {
  try {
    const answer = await doing();
    toast(words, false, undo);
    shell.load();
    return answer;
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    toast(problem.title + ': ' + problem.message, true);
    return null;
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

/** The row under the crumbs: title, then what can be done. */
export function head({ crumb, title, state, json, cli, more }) {
  return html`${crumb ? html`<nav class="crumb" aria-label="Breadcrumb">${crumb}</nav>` : ''}
  <div class="row head"><h1 tabindex="-1">${title}</h1>${state || ''}<span class="grow"></span>
    <div class="row tools">
    ${json ? html`<a class="button ghost" href=${apiHref(json)} target="_blank" rel="noreferrer">JSON</a>` : ''}
    <button class="ghost" @click=${() => copy(location.href, 'Link')}>Copy link</button>
    ${cli ? html`<button class="cli" title=${cli} @click=${() => copy(cli, 'Command')}>Copy as CLI</button>` : ''}${more || ''}</div></div>`;
}

/** A form whose fields are parameters of the address: [name, what to write there]. */
export const filters = (q, fields, more, before) => html`<form class="row mt" @submit=${event => { event.preventDefault(); before?.(); shell.filter(Object.fromEntries(new FormData(event.target))); }}>
  ${fields.map(([name, words]) => html`<input name=${name} .value=${q.get(name) || ''} aria-label=${words} placeholder=${words} autocomplete="off">`)}<button>Filter</button>${more || ''}</form>`;

export const chips = (chosen, names, note) => html`<div class="chips mt" role="group" aria-label="State">${['', ...names].map(name => html`<button class="chip" aria-pressed=${chosen === name}
  @click=${() => shell.filter({ state: name })}>${name ? (name[0] + name.slice(1).toLowerCase()).replace('_', ' ') : 'All'}${note ? note(name) : ''}</button>`)}</div>`;

export const pager = ({ items, cursor }, q, hint) => html`<p class="row muted">${items.length}${cursor ? ' of many' : ''}${hint || ''}<span class="grow"></span>
  ${q.get('cursor') ? html`<button @click=${() => shell.filter({})}>First page</button>` : ''}${cursor ? html`<button @click=${() => shell.filter({ cursor })}>Next page</button>` : ''}</p>`;

/** The command that lists the same. */
export const listing = (command, q, names) => command + names.filter(name => q.get(name)).map(name => ' --' + name + ' ' + quote(q.get(name))).join('');
