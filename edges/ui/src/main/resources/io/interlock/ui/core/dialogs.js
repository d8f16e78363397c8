// Everything that asks before it acts. The dialog stays open until the server has said yes.
import { html, render } from '../lit/lit-html.js';
import { live as bound } from '../lit/directives/live.js';
import { get, path, post } from './api.js';
import { shell, toast } from './shell.js';
import { leaseLeft, short, span } from './bits.js';
import { since } from './time.js';

/**
 * Asks. fields: {name, label, value, required, options, type, equals, hint}; send gets the values and does it.
 * What the server refuses is shown in the dialog; refused may make more words of it.
 */
export function ask({ title, body, fields = [], confirm, danger, send, refused, done }) {
  const dialog = document.createElement('dialog');
  const values = Object.fromEntries(fields.map(field => [field.name, field.value || '']));
  let problem = null;
  let busy = false;
  const complete = () => fields.every(f => (!f.required || values[f.name].trim()) && (!f.equals || values[f.name] === f.equals));
  const close = () => dialog.close();
  const submit = async event => {
    event.preventDefault();
    if (!complete() || busy) return;
    busy = true;
    draw();
    try {
      const answer = await send(values);
      close();
      toast(done(answer, values));
      shell.load();
    } catch (failure) {
      problem = refused ? await refused(failure).catch(() => failure.message) : failure.message;
      busy = false;
      draw();
    }
  };
  const control = f => f.options
    ? html`<select id="f-${f.name}" @change=${e => { values[f.name] = e.target.value; draw(); }}>${f.options.map(o => html`<option ?selected=${o === values[f.name]}>${o}</option>`)}</select>`
    : html`<input id="f-${f.name}" .value=${bound(values[f.name])} autocomplete="off" spellcheck="false" ?required=${f.required}
        @input=${e => { values[f.name] = e.target.value; draw(); }}>`;
  const draw = () => render(html`<form method="dialog" @submit=${submit}><h2 id="d-title">${title}</h2>${typeof body === 'function' ? body() : body || ''}
    ${fields.map(f => html`<label for="f-${f.name}">${f.label}${f.required ? html` <span class="muted">(required)</span>` : ''}</label>${control(f)}${f.hint ? html`<p class="hint">${f.hint}</p>` : ''}`)}
    ${problem ? html`<p class="problem" role="alert">${problem}</p>` : ''}
    <div class="row end"><button type="button" @click=${close}>${danger ? 'Keep it as it is' : 'Close'}</button>
    <button type="submit" class=${danger ? 'danger solid' : 'primary'} ?disabled=${!complete() || busy}>${confirm}</button></div></form>`, dialog);
  dialog.setAttribute('aria-labelledby', 'd-title');
  const back = document.activeElement;
  const ticking = typeof body === 'function' ? setInterval(draw, 1000) : 0;
  dialog.addEventListener('close', () => { clearInterval(ticking); dialog.remove(); back?.focus?.(); });
  document.body.append(dialog);
  draw();
  dialog.showModal();
}

const lockOf = async key => {
  const lock = (await get(path('locks', { key }))).items[0];
  return Object.assign(lock, { seen: Date.now() });
};

/** Takes a key away from whoever this page showed to have it, and from nobody else. */
export async function evict(key) {
  const lock = await lockOf(key);
  if (!lock.token) return toast(key + ' is held by nobody.', true);
  const holder = lock.holder || {};
  ask({
    title: 'Force release ' + key + '?', confirm: 'Force release', danger: true,
    body: () => html`<div class="victim"><p><b>Held by</b> ${holder.runId ? 'run ' + short(holder.runId) + ' on ' : ''}${holder.holder} for ${span(since(lock.since))}${lock.stage ? ', stage ' + lock.stage : ''}.</p>
      <p>${holder.alive ? html`<b class="bad">This holder looks alive:</b> its lease has ${span(leaseLeft(lock))} left unless it renews.`
        : html`<b>This holder looks gone:</b> its lease has ended without being given back.`}</p>
      <p><b>What happens:</b> token ${lock.token} is retired; ${holder.runId ? 'the run ends as lost' : 'the lease is lost'}${lock.waiting ? '; of ' + lock.waiting + ' in line the first comes next' : ''}.
      The program is told at its next heartbeat, and may write until then: only a resource that checks the token keeps it out.</p></div>`,
    fields: [{ name: 'reason', label: 'Reason', required: true }, { name: 'typed', label: 'Type the key to confirm', equals: key, hint: key }],
    send: ({ reason }) => post('locks/evict', { key, token: lock.token, reason: reason.trim() }),
    done: answer => 'Released: token ' + answer.releasedToken + ' is retired' + (answer.nextRun ? ', run ' + short(answer.nextRun) + ' is next' : ''),
    refused: async failure => {
      if (failure.status !== 412) return failure.message;
      const other = await lockOf(key);
      return other.token ? 'Nothing was done: since you opened this, ' + key + ' went to ' + other.holder.holder
        + (other.holder.runId ? ' (run ' + short(other.holder.runId) + ')' : '') + ' with token ' + other.token + '. Close and look again.'
        : 'Nothing was done: nobody holds ' + key + ' any more.';
    },
  });
}

export const cancel = run => ask({
  title: 'Cancel run ' + short(run.id) + '?', confirm: 'Cancel run', danger: true,
  body: html`<p>${run.state === 'RUNNING' ? 'Its work is told to stop at its next heartbeat; the key is free when it has.' : 'It has not begun; it ends at once.'}</p>`,
  fields: [{ name: 'reason', label: 'Reason', required: true }],
  send: ({ reason }) => post('runs/' + run.id + '/cancel', { reason: reason.trim() }),
  done: answer => answer.state === 'ABORTED' ? 'Run ' + short(run.id) + ' is cancelled' : 'Run ' + short(run.id) + ' was asked to stop',
});

export const pauseKey = key => ask({
  title: 'Pause ' + (key || 'keys') + '?', confirm: 'Pause',
  body: html`<p>Nobody gets a paused key. Whoever has it keeps it; whoever waits goes on waiting.</p>`,
  fields: [...key ? [] : [{ name: 'pattern', label: "Key, or the beginning of keys and a '*'", required: true }],
    { name: 'reason', label: 'Reason', required: true }, { name: 'hours', label: 'For how many hours (empty: until resumed)' }],
  send: ({ pattern, reason, hours }) => {
    const what = key || pattern.trim();
    const until = +hours > 0 ? new Date(Date.now() + hours * 3600000).toISOString() : undefined;
    return post('locks/pause', { ...what.endsWith('*') ? { pattern: what } : { key: what }, reason: reason.trim(), until });
  },
  done: answer => (answer.key || answer.pattern) + ' is paused',
});

/** Starts a run, wherever one is. */
export async function trigger(key) {
  const jobs = (await get('jobs')).items;
  if (!jobs.length) return toast('There are no jobs; name some in the configuration.', true);
  ask({
    title: 'Start a run', confirm: 'Start',
    body: html`<p>If the key is taken, the job's own rule for conflicts decides: refuse, join, queue or replace.</p>`,
    fields: [{ name: 'job', label: 'Job', options: jobs.map(job => job.name), value: jobs[0].name },
      { name: 'key', label: 'Key', required: true, value: key || '' }, { name: 'reason', label: 'Reason' }],
    send: ({ job, key: wanted, reason }) => post('runs', { job, key: wanted.trim(), ...reason.trim() ? { reason: reason.trim() } : {} }),
    done: run => run.state === 'SKIPPED' ? 'Skipped: ' + run.explanation
      : run.state === 'QUEUED' ? 'Queued as run ' + short(run.id) : (run.deduplicated ? 'Joined run ' : 'Started run ') + short(run.id),
  });
}
