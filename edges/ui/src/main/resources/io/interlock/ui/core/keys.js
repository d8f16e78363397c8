// Shortcuts: none inside inputs, none that changes anything on the server, and they can be switched off.
import { kept, keep } from './store.js';
import { html } from '../lit/lit-html.js';

export const shortcuts = { on: kept('keys', 'on') === 'on' };
export const setShortcuts = on => { shortcuts.on = on; keep('keys', on ? 'on' : 'off'); };
const PLACES = { n: '', l: 'locks', r: 'runs', q: 'queue', d: 'dead-letters', w: 'workers', j: 'janitor', a: 'audit', s: 'settings' };
let going = 0;

const rows = () => [...document.querySelectorAll('main tbody tr')];
function move(step) {
  const all = rows();
  const here = all.findIndex(row => row.contains(document.activeElement));
  all[Math.max(0, Math.min(all.length - 1, here < 0 ? 0 : here + step))]?.querySelector('a,button')?.focus();
}

export function listen({ go, pause, theme, help }) {
  document.addEventListener('keydown', event => {
    if (!shortcuts.on || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    if (event.target.closest('input,select,textarea')) {
      if (event.key === 'Escape') event.target.blur();
      return;
    }
    if (going && event.key in PLACES) { going = 0; go(PLACES[event.key]); return; }
    going = 0;
    const actions = {
      '/': () => document.querySelector('input.search')?.focus(), g: () => { going = 1; setTimeout(() => { going = 0; }, 1500); },
      j: () => move(1), k: () => move(-1), p: pause, t: theme, '?': help,
      '.': () => document.querySelector('main button.cli')?.click(),
      x: () => rows().find(row => row.contains(document.activeElement))?.querySelector('input[type=checkbox]')?.click(),
    };
    if (actions[event.key]) { event.preventDefault(); actions[event.key](); }
  });
}

const LIST = [['/', 'search'], ['g n  g l  g r  g q  g d  g w  g a', 'go to Now, Locks, Runs, Queue, Dead letters, Workers, Audit'], ['j  k', 'next and previous row'], ['Enter', 'open'],
  ['x', 'select'], ['p', 'pause live updates'], ['t', 'theme'], ['.', 'copy as CLI'], ['?', 'this list']];
export const helpTable = () => html`<dl class="keys">${LIST.map(([key, words]) => html`<div><dt>${key.split('  ').map(one => html`<kbd>${one}</kbd> `)}</dt><dd>${words}</dd></div>`)}</dl>`;
