// Runs and audit records as rows.
import { html, keyLink, quoted, runLink, runPill, short, span, stage, table } from './bits.js';
import { cancel } from './dialogs.js';
import { moment, since } from './time.js';

export const id = run => run.id;
/** The columns of runs. */
export const C = {
  run: ['Run', run => runLink(run.id), 'first'], key: ['Key', run => keyLink(run.key)], state: ['State', runPill], job: ['Job', run => run.job || '—'],
  by: ['By', run => run.submittedBy || '—'], place: ['#', run => run.position ?? '·'], priority: ['Prio', run => run.priority, 'num'],
  reason: ['Reason', run => quoted(run.reason)], stage: ['Stage', run => run.state === 'RUNNING' ? stage(run) : run.error ? html`<span class="mono">${run.error.code}</span>` : '—'],
  waiting: ['Waiting', run => span(since(run.submittedAt)), 'num tn age'], waited: ['Waited', run => span(since(run.submittedAt, run.startedAt || run.endedAt)), 'num tn'],
  took: ['Took', run => run.startedAt ? span(since(run.startedAt, run.endedAt)) : '—', 'num tn age'], token: ['Token', run => run.token ?? '—', 'num mono'],
  submitted: ['Submitted', run => moment(run.submittedAt)], attempts: ['Attempts', run => run.attempt + ' of ' + run.maxAttempts, 'num tn'],
  cancel: ['Do', run => html`<button class="small" aria-label="Cancel run ${short(run.id)}" @click=${() => cancel(run)}>Cancel…</button>`, 'num'],
};

/** with: columns other than when, who, what and why: key, run. */
export const auditTable = (records, ...others) => records.length ? table('Audit', [['When', each => moment(each.at), 'first'], ['Who', each => each.actor],
  ['What', each => html`${each.action} <span class="muted">${[each.before, each.after].filter(word => word).join(' → ')}</span>`],
  ...others.map(other => other === 'key' ? ['Key', each => each.key ? keyLink(each.key) : '—'] : ['Run', each => runLink(each.run)]), ['Token', each => each.token ?? '—', 'num mono'], ['Why', each => each.reason || '—']],
records, each => each.sequence) : html`<p class="muted pad0">Nothing was recorded.</p>`;
