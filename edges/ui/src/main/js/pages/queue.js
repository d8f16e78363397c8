// Queue: the runs that wait, by key, in the order in which they get it.
import {
  about, at, button, C, cancelAll, commas, empty, frontAll, get, head, heldBy, href, html, keyLink, keyed, LINE, may, millis, muted, pages, path, placed, refresh, runTable, shell, short, since, span, stage, summary,
  table, tick, totals, waiting,
} from '../core/page.js';

const BLOCKS = 3;
const PAGE = 50;

const box = (words, on, change) => html`<input type="checkbox" aria-label=${words} .checked=${on} @change=${event => { change(event.target.checked); shell.draw(); }}>`;
const pick = ({ chosen }, items) => [box('Select all', items.length > 0 && items.every(each => chosen.has(each.id)), on => items.forEach(each => on ? chosen.add(each.id) : chosen.delete(each.id))),
  each => box('Select run ' + short(each.id), chosen.has(each.id), on => on ? chosen.add(each.id) : chosen.delete(each.id)), 'pick'];
const columns = (state, items) => [...may('trigger') ? [pick(state, items)] : [], ...LINE];

/** One key: who has it, and its line from the front. */
function block(state, { lock, items, total, usualHold, holderLeft, cursor }) {
  const left = holderLeft ? Math.max(0, millis(holderLeft) - (tick() - lock.seen)) : null;
  const holder = lock.holder;
  const last = items.at(-1);
  const end = last?.startsAt && usualHold && at(last.startsAt) + (total - last.place) * millis(usualHold);
  return html`<section class="card mt dense" aria-label=${lock.key}><div class="row bar-top"><b>${keyLink(lock.key)}</b><b>${waiting(total)}</b>
    ${muted(holder ? heldBy(lock) : lock.pause ? 'paused' : 'key is free')}${holder && stage(lock)}
    <span class="grow"></span>${left !== null && html`<span class="muted">done <b>${left ? about(tick() + left) : 'any moment'}</b>${end && html` · last starts <b>${about(end)}</b>`}</span>`}</div>
    ${table('Line of ' + lock.key, columns(state, items), items, each => each.id)}
    ${total > items.length && html`<p class="row foot">${state.q.key ? muted(`places ${commas(items[0]?.place)}–${commas(last?.place)} of ${commas(total)}`) : html`<b>+${commas(total - items.length)} more</b>`}<span class="grow"></span>
      ${state.q.key ? html`${state.q.cursor && button('First page', () => shell.filter({}), 'small')}${cursor && button('Next page', () => shell.filter({ cursor }), 'small')}` : html`<a href=${href(path('queue', { key: lock.key }))}>Show all ${commas(total)}</a>`}</p>`}</section>`;
}

const short1 = lock => html`<li><span class="what">${keyLink(lock.key)} <b>${waiting(lock.waiting)}</b>${lock.holder && muted(html` · ${heldBy(lock)}`)}</span><a class="button small" href=${href(path('queue', { key: lock.key }))}>Open</a></li>`;

/** What can be done with the selected runs. */
const bulk = state => state.chosen.size > 0 && html`<div class="row bulk mt" role="group" aria-label="Selected"><b>${state.chosen.size} selected</b><span class="grow"></span>${button('Clear', () => { state.chosen.clear(); shell.draw(); }, 'ghost')}
  ${may('operator') && button(`Move ${state.chosen.size} to front…`, () => frontAll(runs(state).filter(run => state.chosen.has(run.id) && run.place), () => state.chosen.clear()), 'ghost')}
  ${button(`Cancel ${state.chosen.size}…`, () => cancelAll(runs(state).filter(run => state.chosen.has(run.id)), () => state.chosen.clear()), 'danger')}</div>`;
const runs = ({ data }) => [...data.lines.flatMap(line => line.items), ...data.pending];

pages.queue = {
  renews: 5000,
  title: ({ q }) => q.key ? 'Queue of ' + q.key : 'Queue',
  hears: /^(run|lock|reset)/,
  async load(state) {
    const { key, cursor } = state.q;
    await refresh();
    const hot = summary.hotKeys.filter(lock => lock.waiting);
    const keys = key ? [key] : hot.slice(0, BLOCKS).map(lock => lock.key);
    const [pending, ...lines] = await Promise.all([get(path('runs', { key, state: 'PENDING', limit: PAGE })), ...keys.map(each => get(path('locks/line', { key: each, cursor, limit: key ? PAGE : 10 })))]);
    lines.forEach(line => { placed(line).lock.seen = tick(); });
    const data = { lines: lines.filter(line => line.total), pending: pending.items, others: key ? [] : hot.slice(BLOCKS) };
    state.chosen = new Set(runs({ data }).map(each => each.id).filter(id => state.chosen?.has(id)));
    return data;
  },
  view(state) {
    const { q, data: { lines, pending, others } } = state;
    const total = totals.queue();
    // The server names the keys that most runs wait for; all waiting runs are in the list of runs.
    const rest = q.key ? 0 : summary.runs.QUEUED - summary.hotKeys.reduce((sum, lock) => sum + lock.waiting, 0);
    return html`${head({ title: q.key ? html`<span class="mono key">${q.key}</span>` : 'Queue', crumb: q.key && html`<a href=${href('queue')}>Queue</a> /`, state: muted(q.key ? '' : waiting(total)),
      json: q.key ? path('locks/line', { key: q.key }) : 'summary', cli: keyed('queue')(q) })}
    <form class="row" @submit=${event => { event.preventDefault(); shell.filter({ key: event.target.key.value.trim() }); }}><input name="key" .value=${q.key || ''} aria-label="key" placeholder="key" autocomplete="off"><button>Show</button><span class="grow"></span>
      ${summary.longestWait && muted(['longest wait ', span(since(summary.longestWait.since)), ' on ', summary.longestWait.lock.key])}</form>
    ${bulk(state)}${lines.map(line => block(state, line))}
    ${others.length > 0 && html`<section class="mt" aria-label="Other keys"><h2>Other keys</h2><ul class="card list attention">${others.map(short1)}${rest > 0 && html`<li><span class="what"><b>${commas(rest)} more</b> wait for keys with fewer waiting runs</span><a class="button small" href=${href('runs?state=QUEUED')}>All queued runs</a></li>`}</ul></section>`}
    ${pending.length > 0 && html`<section class="card mt" aria-label="Without a worker"><div class="row bar-top"><b>Waiting for a worker</b>${!q.key && muted(`${commas(summary.runs.PENDING)} ${summary.runs.PENDING === 1 ? 'has its key' : 'have their key'}`)}<span class="grow"></span>${summary.unserved.length > 0 && html`<span class="bad">no worker takes ${summary.unserved.map(each => each.job).join(', ')}</span> <a href=${href('workers')}>Workers and their jobs</a>`}</div>
      ${runTable('Without a worker', [...may('trigger') ? [pick(state, pending)] : [], C.run, C.key, C.job, C.waiting, C.reason], pending)}
      ${summary.runs.PENDING > pending.length && !q.key && html`<p class="row foot"><b>+${commas(summary.runs.PENDING - pending.length)} more</b><span class="grow"></span><a href=${href('runs?state=PENDING')}>All pending runs</a></p>`}</section>`}
    ${!lines.length && !pending.length && html`<div class="card mt">${empty(['The queue is empty', 'A run waits here while its key is taken, or until a worker claims it. Submit the same twice, and the second one waits:', 'interlock runs submit JOB --key ledger/4711 --on-conflict QUEUE'])}</div>`}`;
  },
};
