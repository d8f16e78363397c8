// Times and durations in the words of people. Ages tick here, not on the server; offline they stand still.
import { html } from '../lit/lit-html.js';
import { keep, kept } from './store.js';

let stopped = 0;
export const now = () => stopped || Date.now();
export const standStill = still => { stopped = still ? stopped || Date.now() : 0; };
export const times = { mode: kept('times', 'relative') };
export const setTimes = mode => { times.mode = mode; keep('times', mode); };

const two = n => String(n).padStart(2, '0');

/** Milliseconds as 0.4 s, 42 s, 14:08, 2 h 41 m, 3 d 02 h. */
export function span(millis) {
  if (millis === null || millis === undefined || Number.isNaN(millis)) return '—';
  if (millis > -1000 && millis < 1000) return millis > 50 ? (millis / 1000).toFixed(1) + ' s' : '0 s';
  const s = Math.floor(Math.abs(millis) / 1000);
  const sign = millis < 0 ? '−' : '';
  if (s < 60) return sign + s + ' s';
  if (s < 3600) return sign + two(Math.floor(s / 60)) + ':' + two(s % 60);
  if (s < 86400) return sign + Math.floor(s / 3600) + ' h ' + two(Math.floor(s % 3600 / 60)) + ' m';
  return sign + Math.floor(s / 86400) + ' d ' + two(Math.floor(s % 86400 / 3600)) + ' h';
}

/** An ISO-8601 duration in milliseconds. */
export function millis(iso) {
  const m = /^(-)?P(?:(\d+)D)?(?:T(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?[\d.]+)S)?)?$/.exec(iso || '');
  return m ? (m[1] ? -1 : 1) * (((+(m[2] || 0) * 24 + +(m[3] || 0)) * 60 + +(m[4] || 0)) * 60 + +(m[5] || 0)) * 1000 : null;
}

export const since = (at, until) => at ? (until ? Date.parse(until) : now()) - Date.parse(at) : null;
export const clock = (at, zone) => {
  const d = new Date(at);
  return zone === 'local' ? [d.getHours(), d.getMinutes(), d.getSeconds()].map(two).join(':') : d.toISOString().slice(11, 19);
};

const ago = ms => ms < 1000 ? 'now' : ms < 60000 ? span(ms) + ' ago' : ms < 3600000 ? Math.floor(ms / 60000) + ' min ago' : ms < 172800000 ? Math.floor(ms / 3600000) + ' h ago' : Math.floor(ms / 86400000) + ' d ago';
/** A moment, as its reader likes it; the other form is in the title. */
export function moment(at) {
  if (!at) return '—';
  const full = new Date(at).toISOString().replace('T', ' ').slice(0, 19) + ' UTC';
  const today = new Date(at).toISOString().slice(0, 10) === new Date(now()).toISOString().slice(0, 10);
  const age = since(at);
  const said = times.mode === 'relative' ? (age < -999 ? 'in ' + span(-age) : ago(age))
    : times.mode === 'local' ? (today ? '' : new Date(at).toLocaleDateString() + ' ') + clock(at, 'local')
    : (today ? '' : full.slice(0, 11)) + clock(at);
  return html`<time datetime=${at} title=${full}>${said}</time>`;
}
