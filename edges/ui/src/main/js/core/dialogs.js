// Dialogs that ask before they act. A dialog stays open until the server has accepted.
import { render } from '../lit/lit-html.js';
import { live as bound } from '../lit/directives/live.js';
import { get, may, path, post, session } from './api.js';
import { act, shell, toast } from './shell.js';
import { button, html, isOver, leaseLeft, muted, short } from './bits.js';
import { at, endOf, since, span, stamp, tick, zoneName } from './time.js';

export const REASON = { name: 'reason', label: 'Reason', required: true };

/**
 * Opens a dialog. fields: {name, label, value, required, options, lines, check, equals, hint, wrong, when}: hint may be a function of the value, wrong
 * says what is wrong with the value, and when says whether the values of other fields make this one necessary. send gets the values and acts,
 * and done describes the result; tell shows progress, and returns false once the dialog is closed. The dialog shows refusals of the server, at the field if they
 * name one; refused may extend the message.
 */
export function ask({ title, body, fields: all = [], confirm = '', danger = false, send = null, refused = failure => failure.message, done = null }) {
  const dialog = document.createElement('dialog');
  const values = Object.fromEntries(all.map(field => [field.name, field.value || '']));
  let failed = null;
  let problem = '';
  let busy = false;
  let told = '';
  const tell = words => { told = words; draw(); return dialog.open; };
  const asked = () => all.filter(f => !f.when || f.when(values));
  const wrong = f => values[f.name].trim() && f.wrong?.(values[f.name].trim()) || failed?.about?.(f.name) || '';
  const complete = () => asked().every(f => (!f.required || values[f.name].trim()) && (!f.equals || values[f.name] === f.equals) && !f.wrong?.(values[f.name].trim()));
  const submit = async event => {
    event.preventDefault();
    if (!complete() || busy) return;
    busy = true;
    draw();
    try {
      const answer = await send(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.trim() || undefined])), tell);
      dialog.close();
      const words = done(answer);
      if (words) toast(words);
      shell.load();
    } catch (failure) {
      failed = failure;
      // What is said at a field is not said again.
      problem = failure.errors?.length && asked().some(f => failure.about(f.name)) ? '' : await refused(failure);
      busy = false;
      tell('');
    }
  };
  const control = f => {
    const change = event => { values[f.name] = event.target.value; failed = null; draw(); };
    if (f.check) return html`<input id="f-${f.name}" type="checkbox" .checked=${values[f.name] === 'yes'} @change=${event => { values[f.name] = event.target.checked ? 'yes' : ''; }}>`;
    if (f.lines) return html`<textarea id="f-${f.name}" class="mono" rows=${f.lines} .value=${bound(values[f.name])} spellcheck="false" aria-invalid=${wrong(f) ? 'true' : false} aria-describedby=${wrong(f) ? 'w-' + f.name : false} @input=${change}></textarea>`;
    return f.options ? html`<select id="f-${f.name}" @change=${change}>${f.options.map(o => html`<option ?selected=${o === values[f.name]}>${o}</option>`)}</select>`
      : html`<input id="f-${f.name}" .value=${bound(values[f.name])} autocomplete="off" spellcheck="false" ?required=${f.required}
        aria-invalid=${wrong(f) ? 'true' : false} aria-describedby=${wrong(f) ? 'w-' + f.name : false} @input=${change}>`;
  };
  const hint = f => typeof f.hint === 'function' ? f.hint(values[f.name].trim()) : f.hint;
  const note = f => wrong(f) ? html`<p class="wrong" id="w-${f.name}" role="alert">${wrong(f)}</p>` : hint(f) && html`<p class="hint">${hint(f)}</p>`;
  const draw = () => render(html`<form method="dialog" @submit=${submit}><h2 id="d-title">${title}</h2>${typeof body === 'function' ? body() : body}
    ${asked().map(f => html`${f.check && control(f)}<label for="f-${f.name}">${f.label}${f.required && muted(' (required)')}</label>${!f.check && control(f)}${note(f)}`)}
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}${told && html`<p class="hint" role="status">${told}</p>`}
    <div class="row end">${button(busy ? 'Stop' : danger ? 'Change nothing' : confirm ? 'Cancel' : 'Close', () => dialog.close())}
    ${confirm && html`<button type="submit" class=${danger ? 'danger solid' : 'primary'} ?disabled=${!complete() || busy}>${confirm}</button>`}</div></form>`, dialog, undefined);
  const ticking = setInterval(draw, 1000);
  dialog.setAttribute('aria-labelledby', 'd-title');
  // The browser restores the focus.
  dialog.addEventListener('close', () => { clearInterval(ticking); dialog.remove(); });
  document.body.append(dialog);
  draw();
  dialog.showModal();
}

const lockOf = async key => ({ ...(await get(path('locks', { key }))).items[0], seen: tick() });

/** Requests a run to stop, and waits a while. Returns why no eviction is needed, or nothing if it is. Closing the dialog ends the wait without an eviction. */
async function stops(runId, reason, tell) {
  await post('runs/' + runId + '/cancel', { reason });
  for (let left = 30; ; left--) {
    if (isOver(await get('runs/' + runId))) return ' has stopped';
    if (!tell('Asked to stop; waiting ' + left + ' s more.')) return ' was asked to stop';
    if (!left) return '';
    await new Promise(done => { setTimeout(done, 1000); });
  }
}

/** Evicts the holder that the key had when the dialog opened, and no other. */
export async function evict(key) {
  const lock = await lockOf(key);
  if (!lock.token) return toast(key + ' is free.', true);
  const { runId, holder, alive } = lock.holder || {};
  const first = lock.waiting > 0 && (await get(path('locks/line', { key, limit: 1 }))).items[0];
  const next = first ? 'run ' + short(first.id) + ' is next' + (lock.waiting > 1 ? ' of ' + lock.waiting + ' in the queue' : '') : 'no run is waiting';
  return ask({
    title: 'Force release ' + key + '?', confirm: 'Force release', danger: true,
    body: () => html`<div class="victim"><p><b>Held by</b> ${runId && 'run ' + short(runId) + ' on '}${holder} for ${span(since(lock.since))}${lock.stage && ', stage ' + lock.stage}.</p>
      <p>${alive ? html`<b class="bad">This holder looks alive:</b> its lease has ${span(leaseLeft(lock))} left unless it renews.`
        : html`<b>This holder looks gone:</b> its lease expired without a release.`}</p>
      <p><b>What happens:</b> ${runId ? 'the run ends as lost' : 'the lease is lost'}; ${next}.</p>
      ${leaseLeft(lock) > 0 && html`<p><b>When the key opens:</b> as soon as the holder confirms that it has stopped, at the latest in ${span(leaseLeft(lock))}, when its lease would have ended.
      Until then the holder may still write; only a resource that checks the token (now ${lock.token}) keeps it out.</p>`}</div>`,
    fields: [...runId ? [{ name: 'ask', check: true, value: 'yes', label: 'First ask the run to stop, and wait up to 30 s (recommended)' }] : [],
      REASON, { name: 'typed', label: 'Type the key to confirm', equals: key, hint: key }],
    send: async ({ ask: before, reason }, tell) => {
      const spared = before && await stops(runId, reason, tell);
      return spared ? { spared } : post('locks/evict', { key, token: lock.token, reason });
    },
    done: answer => answer.spared ? 'Run ' + short(runId) + answer.spared + '; nothing was evicted'
      : 'Token ' + answer.releasedToken + ' is retired' + (at(answer.opensAt) > tick() ? '; the key is closing and opens within ' + span(at(answer.opensAt) - tick()) : '; the key is open')
        + (answer.nextRun ? ', run ' + short(answer.nextRun) + ' is next' : ''),
    refused: async failure => {
      if (failure.status !== 412) return failure.message;
      const { token, holder: now } = await lockOf(key);
      return 'Nothing was done: ' + (token ? 'since you opened this, ' + key + ' was granted to ' + now.holder + (now.runId ? ' (run ' + short(now.runId) + ')' : '')
        + ' with token ' + token + '.' : key + ' is free now.');
    },
  });
}

/** Does something with one run after the other, so that each has its own answer; closing the dialog leaves the rest alone. If all are refused, the first refusal is an error. */
async function each(runs, tell, doing) {
  const refused = [];
  let count = 0;
  for (const run of runs) {
    if (!tell(runs.length > 9 ? `${count} of ${runs.length} done` : '')) break;
    await doing(run).catch(problem => refused.push(short(run.id) + ': ' + problem.message));
    count++;
  }
  if (refused.length && refused.length === runs.length) throw new Error(refused[0]);
  return { count: count - refused.length, rest: runs.length - count, refused };
}
/** What became of them, after how many were done. */
const others = ({ rest, refused }) => (rest ? `, ${rest} left alone` : '') + (refused.length ? `, ${refused.length} refused: ${refused[0]}` : '');

export const cancel = run => ask({
  title: 'Cancel run ' + short(run.id) + '?', confirm: 'Cancel run', danger: true, fields: [REASON],
  body: html`<p>${run.state === 'RUNNING' ? 'It gets the request with its next heartbeat; the key is free when it has stopped.' : 'It has not started; it ends at once.'}</p>`,
  send: body => post('runs/' + run.id + '/cancel', body),
  done: answer => 'Run ' + short(run.id) + (answer.state === 'ABORTED' ? ' is cancelled' : ' was asked to stop'),
});

/** Cancels runs; which describes them. */
export const cancelAll = (runs, over = null, which = '') => ask({
  title: `Cancel ${runs.length === 1 ? 'run ' + short(runs[0].id) : runs.length + ' runs'}?`, confirm: 'Cancel ' + (runs.length === 1 ? 'run' : runs.length), danger: true, fields: [REASON],
  body: html`<p>${which} Runs that have not started end at once. The others get the request with their next heartbeat.</p>`,
  send: (body, tell) => each(runs, tell, run => post('runs/' + run.id + '/cancel', body)),
  done: answer => {
    over?.();
    return answer.count + ' cancelled' + others(answer);
  },
});

/** Moves runs before all others of their keys; the last one first, so that they keep their order. */
export const frontAll = (runs, over = null) => ask({
  title: `Move ${runs.length === 1 ? 'run' : runs.length + ' runs'} to the front?`, confirm: 'Move to front', fields: [REASON],
  body: html`<p>${runs.length === 1 ? 'It gets' : 'They get'} the key before all others that wait for it. The audit log names you and the reason.</p>`,
  send: (body, tell) => each([...runs].reverse(), tell, run => post('runs/' + run.id + '/front', body)),
  done: answer => {
    over?.();
    return answer.count + ' moved to the front' + others(answer);
  },
});

const LENGTH = {
  name: 'end', label: 'For how long (empty: until resumed)',
  wrong: words => words && Number.isNaN(endOf(words)) ? `“${words}” is not understood: write 90m, 2h, 3d, 18:00 or tomorrow 09:00.` : words && endOf(words) <= tick() ? 'This is over already.' : '',
  hint: words => words ? `Ends ${stamp(endOf(words), 5)} ${zoneName()}, in ${span(endOf(words) - tick())}.` : '2h, 30m, 18:00, tomorrow 09:00',
};
export const pauseKey = key => ask({
  title: 'Pause ' + (key || 'keys') + '?', confirm: 'Pause',
  body: html`<p>A paused key is not granted. A current holder keeps it; queued runs keep waiting.</p>`,
  fields: [...key ? [] : [{ name: 'pattern', label: "Key, or a prefix of keys followed by '*'", required: true }], REASON, LENGTH,
    { name: 'everything', label: `This pauses every key of tenant ${session.tenant}. Type the tenant's name to confirm`, when: values => /^\**$/.test((values.pattern || 'x').trim()), equals: session.tenant, hint: session.tenant }],
  send: ({ pattern = key, reason, end }) => post('locks/pause', { [pattern.endsWith('*') ? 'pattern' : 'key']: pattern, reason, until: end && new Date(endOf(end)).toISOString() }),
  done: answer => (answer.key || answer.pattern) + ' is paused' + (answer.until ? ' until ' + stamp(answer.until, 5) + ' ' + zoneName() : ' until it is resumed'),
});
export function resume({ key, pattern, reason, until }) {
  const what = key ? { key } : { pattern };
  const undo = () => act((key || pattern) + ' is paused again', () => post('locks/pause', { ...what, reason, until }));
  return act((key || pattern) + ' is resumed', () => post('locks/resume', what), undo);
}

const isObject = words => { try { return JSON.parse(words)?.constructor === Object; } catch { return false; } };
const pairs = words => words.split(/[\s,]+/).filter(word => word);
const OPTIONS = [
  { name: 'parameters', label: 'Parameters', lines: 3, hint: 'a JSON object, such as {"month": 11}', wrong: words => words && !isObject(words) ? 'This is not a JSON object, such as {"month": 11}.' : '' },
  { name: 'priority', label: 'Priority', hint: 'from -100 to 100, the higher first; empty: that of the job', wrong: words => words && !(/^-?\d+$/.test(words) && Math.abs(+words) <= 100) ? 'This is not a whole number from -100 to 100.' : '' },
  { name: 'labels', label: 'Labels', hint: 'team=finance month=11', wrong: words => pairs(words).every(pair => /^[^=]+=/.test(pair)) ? '' : 'Write each label as name=value.' },
];
/** Starts a run, from any page. */
export async function trigger(key, job = '') {
  const jobs = (await get('jobs')).items.map(job => job.name);
  ask({
    title: 'Start a run', confirm: 'Start',
    body: html`<p>If the key is taken, the job's conflict policy decides: refuse, join, queue or replace.</p>`,
    fields: [{ name: 'job', label: 'Job', options: jobs, value: job || jobs[0] }, { name: 'key', label: 'Key', required: true, value: key }, { name: 'reason', label: 'Reason' }, ...OPTIONS],
    send: ({ parameters, priority, labels, ...body }) => post('runs', { ...body, parameters: parameters && JSON.parse(parameters), priority: priority && +priority,
      labels: labels && Object.fromEntries(pairs(labels).map(pair => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])) }),
    done: run => run.state === 'SKIPPED' ? 'Skipped: ' + run.explanation : (run.state === 'QUEUED' ? 'Queued as run ' : run.deduplicated ? 'Joined run ' : 'Started run ') + short(run.id),
  });
}
export const startButton = (key = '') => may('trigger') && !session.bare && button('Start a run…', () => trigger(key), 'primary');

/** Of one group, so many are retried by one action. */
export const MOST_RETRIED = 200;
/** Starts the work of failed runs once more. Each counts once: one that was retried from here already is left alone. */
export function rerunAll(runs, which) {
  const what = 'Retry ' + (runs.length === 1 ? 'run ' + short(runs[0].id) : runs.length);
  let before = 0;
  ask({
    title: what + '?', confirm: what, fields: [REASON],
    body: html`<p>${which} Each becomes a new run under its key, with the same parameters. The run has your reason, and the audit log names you.</p>`,
    send: (body, tell) => each(runs, tell, run => post('runs/' + run.id + '/rerun', { ...body, idempotencyKey: 'retry-of-' + run.id }).then(answer => { if (answer.deduplicated) before++; })),
    done: answer => answer.count - before + ' retried' + (before ? `, ${before} ${before === 1 ? 'was' : 'were'} retried before` : '') + others(answer),
  });
}

export const retry = run => act('Run ' + short(run.id) + ' is retried', () => post('runs/' + run.id + '/redrive', {}));
/** Settles dead letters; which describes them. */
export function settle(runs, again, which, over = null) {
  const what = (again ? 'Retry ' : 'Discard ') + (runs.length === 1 ? 'run ' + short(runs[0].id) : runs.length);
  ask({
    title: what + '?', confirm: what, danger: !again, fields: [{ ...REASON, required: !again }],
    body: html`<p>${which} ${again ? 'Each becomes a new run under its key.' : 'No further attempt is made; the run and its output stay in the history.'}</p>`,
    send: (body, tell) => each(runs, tell, run => post('runs/' + run.id + (again ? '/redrive' : '/discard'), body)),
    done: answer => {
      over?.();
      return answer.count + (again ? ' retried' : ' discarded') + others(answer);
    },
  });
}
