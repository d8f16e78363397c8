// Shortcuts: not inside inputs, without changes on the server, and they can be switched off.
import { html } from './bits.js';
import { kept, tick } from './time.js';

const PLACES = { n: '', l: 'locks', r: 'runs', q: 'queue', d: 'dead-letters', b: 'jobs', w: 'workers', j: 'janitor', a: 'audit', s: 'settings' };
let going = 0;

const rows = () => [...document.querySelectorAll('main tbody tr')];
const here = () => rows().findIndex(row => row.contains(document.activeElement));
const move = step => rows().at(here() < 0 ? 0 : Math.max(0, Math.min(rows().length - 1, here() + step)))?.querySelector('a,button')?.focus();

export const listen = ({ go, find, pause, theme, rows: compact, help }) => document.addEventListener('keydown', event => {
  if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
    event.preventDefault();
    find();
  }
  if (kept('keys') === 'off' || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
  if (event.target.closest('input,select,textarea')) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  const actions = {
    '/': find, g: () => { going = tick(); },
    j: () => move(1), k: () => move(-1), p: pause, t: theme, c: compact, '?': help,
    '.': () => document.querySelector('main button.cli')?.click(),
    x: () => rows()[here()]?.querySelector('input[type=checkbox]')?.click(),
  };
  const place = tick() - going < 1500 ? PLACES[event.key] : undefined;
  going = 0;
  const action = place === undefined ? actions[event.key] : () => go(place);
  if (action) { event.preventDefault(); action(); }
});

const HELP = { '/  Ctrl K': 'search', 'g n  g l  g r  g q  g d  g b  g w  g j  g a  g s': 'go to Now, Locks, Runs, Queue, Dead letters, Jobs, Workers, Janitor, Audit log, Settings', 'j  k': 'next and previous row', Enter: 'open',
  x: 'select', p: 'freeze live updates', t: 'theme', c: 'compact rows', '.': 'copy as CLI', '?': 'this list' };
export const help = () => html`<dl class="keys">${Object.entries(HELP).map(([keys, words]) => html`<div><dt>${keys.split('  ').map(key => html`<kbd>${key}</kbd> `)}</dt><dd>${words}</dd></div>`)}</dl>`;
