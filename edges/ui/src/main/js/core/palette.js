// The palette: finds keys, runs, jobs, labels and holders while the user types, and offers what can be done with them.
import { render } from '../lit/lit-html.js';
import { live as bound } from '../lit/directives/live.js';
import { get, href, may, path, session } from './api.js';
import { html, lockPath, lockPill, muted, runPill, short, soft } from './bits.js';
import { evict, pauseKey, trigger } from './dialogs.js';
import { shell } from './shell.js';
import { keep, kept, moment } from './time.js';

const PLACES = [['', 'Now'], ['locks', 'Locks'], ['runs', 'Runs'], ['queue', 'Queue'], ['dead-letters', 'Dead letters'], ['jobs', 'Jobs'], ['workers', 'Workers'], ['janitor', 'Janitor'], ['audit', 'Audit log'], ['settings', 'Settings']];
const PAUSE = 150;

/** The last five things that were opened from here. */
const recent = () => { try { return JSON.parse(kept('recent', '[]')); } catch { return []; } };
const remember = entry => keep('recent', JSON.stringify([{ words: entry.words, to: entry.to }, ...recent().filter(other => other.to !== entry.to)].slice(0, 5)));

/** The part of a text that was typed, marked. */
function marked(words, typed) {
  const i = words.toLowerCase().indexOf(typed.toLowerCase());
  return i < 0 || !typed ? soft(words) : html`${soft(words.slice(0, i))}<mark>${words.slice(i, i + typed.length)}</mark>${soft(words.slice(i + typed.length))}`;
}

const keyEntry = lock => ({ words: lock.key, to: lockPath(lock.key), state: lock.state && lockPill(lock), note: lock.holder?.holder ? `${lock.holder.holder}${lock.waiting ? ` · ${lock.waiting} wait` : ''}` : 'idle' });
const runEntry = run => ({ words: short(run.id), more: run.key, to: 'runs/' + run.id, state: runPill(run), note: moment(run.endedAt || run.startedAt || run.submittedAt) });
const places = typed => PLACES.filter(([, words]) => typed && words.toLowerCase().startsWith(typed.toLowerCase())).map(([to, words]) => ({ words, to, note: 'page' }));
/** What can be done with what was found. Each asks first. */
const actions = (keys, jobs) => [...may('trigger') && !session.bare ? jobs.slice(0, 2).map(job => ({ words: `Start job ${job}…`, act: () => trigger('', job) })) : [],
  ...may('operator') && keys.length === 1 ? [{ words: `Pause key ${keys[0].key}…`, act: () => pauseKey(keys[0].key) }, ...keys[0].holder ? [{ words: `Force release ${keys[0].key}…`, act: () => evict(keys[0].key) }] : []] : []];

/** The groups of an answer, as [title, entries]; more names the kinds of which there are more. */
function groups(found, typed) {
  const { keys = [], runs = [], jobs = [], labels = [], holders = [], more = [] } = found;
  const titled = (title, kind) => more.includes(kind) ? title + ': the first' : title;
  return [
    ['Pages', places(typed)],
    [titled('Keys', 'keys'), keys.map(keyEntry)],
    [titled('Runs', 'runs'), runs.map(runEntry)],
    [titled('Jobs', 'jobs'), jobs.map(job => ({ words: job, to: 'jobs/' + job, note: 'job' }))],
    [titled('Labels', 'labels'), labels.map(label => ({ words: label, to: path('runs', { label }), note: 'runs with this label' }))],
    [titled('Holders', 'holders'), holders.map(holder => ({ words: holder, to: path('locks', { holder }), note: 'keys it holds' }))],
    ['Actions', actions(keys, jobs)],
  ].filter(([, entries]) => entries.length);
}

export function palette() {
  if (document.querySelector('dialog[open]')) return;
  const dialog = document.createElement('dialog');
  let typed = '';
  let here = 0;
  let found = {};
  let problem = '';
  let asked = 0;
  let timer = 0;
  const shown = () => typed ? groups(found, typed) : [['Recently opened', recent()], ['Pages', PLACES.map(([to, words]) => ({ words, to }))]].filter(([, entries]) => entries.length);
  const entries = () => shown().flatMap(([, all]) => all);
  const search = async () => {
    const mine = ++asked;
    try {
      const answer = typed ? await get(path('search', { q: typed, limit: 6 })) : {};
      if (mine === asked) [found, problem, here] = [answer, '', 0];
    } catch (failure) {
      if (mine === asked) problem = failure.message;
    }
    draw();
  };
  const open = (entry, tab = false) => {
    if (!entry) return;
    dialog.close();
    if (entry.act) return entry.act();
    remember(entry);
    if (tab) window.open(href(entry.to)); else shell.go(entry.to);
  };
  const keydown = event => {
    const all = entries();
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      here = (here + (event.key === 'ArrowDown' ? 1 : all.length - 1)) % Math.max(1, all.length);
      draw();
      dialog.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') {
      event.preventDefault();
      // What was typed last may not have been searched for yet.
      if (timer) { clearTimeout(timer); timer = 0; search().then(() => open(entries()[0], event.ctrlKey)); } else open(all[here], event.ctrlKey);
    }
  };
  const input = event => {
    typed = event.target.value.trim();
    clearTimeout(timer);
    timer = setTimeout(() => { timer = 0; search(); }, PAUSE);
    draw();
  };
  let number = 0;
  const option = entry => {
    const mine = number++;
    return html`<li role="option" id="o-${mine}" aria-selected=${String(mine === here)} @click=${event => open(entry, event.ctrlKey)} @pointermove=${() => { if (here !== mine) { here = mine; draw(); } }}><span class="what">${entry.act ? entry.words : html`<span class="mono">${marked(entry.words, typed)}</span>`}
      ${entry.more && html` <span class="mono muted">${marked(entry.more, typed)}</span>`} ${entry.state || ''}</span>${muted(entry.note || '')}</li>`;
  };
  const draw = () => {
    number = 0;
    const all = shown();
    render(html`<div class="palette-top"><input role="combobox" aria-expanded="true" aria-controls="found" aria-activedescendant=${all.length ? 'o-' + here : false} aria-label="Search" placeholder="Search or jump to a key, run, job, label or holder" .value=${bound(typed)} autocomplete="off" spellcheck="false" @input=${input} @keydown=${keydown}></div>
      <ul id="found" class="list" role="listbox" aria-label="Found" tabindex="-1">${all.map(([title, some]) => html`<li role="presentation" class="group">${title}</li>${some.map(option)}`)}</ul>
      ${problem ? html`<p class="problem" role="alert">${problem}</p>` : typed && !timer && !all.length && html`<p class="muted pad">Nothing found for “${typed}”.</p>`}
      <p class="palette-foot muted"><span><kbd>↑</kbd> <kbd>↓</kbd> move</span><span><kbd>Enter</kbd> open</span><span><kbd>Ctrl</kbd> <kbd>Enter</kbd> new tab</span><span class="grow"></span><span><kbd>Esc</kbd> close</span></p>`, dialog, undefined);
  };
  dialog.className = 'palette';
  dialog.setAttribute('aria-label', 'Search');
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', event => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  draw();
  dialog.showModal();
}
