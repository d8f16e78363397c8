// Readable times and durations. Ages are counted in the browser; offline they stop.
import { html } from '../lit/lit-html.js';

/** Preferences stored in this browser; nothing depends on them. */
export const kept = (name, otherwise = '') => {
  try { return localStorage.getItem('interlock.' + name) ?? otherwise; } catch { return otherwise; }
};
export const keep = (name, value) => {
  try { localStorage.setItem('interlock.' + name, value); } catch { /* then it is forgotten */ }
};

/**
 * The time of this machine, which continues while ages are stopped.
 * @noinline
 */
export const tick = () => Date.now();
let stopped = 0;
export const now = () => stopped || tick();
export const standStill = still => { stopped = still ? stopped || tick() : 0; };
/** @noinline */
export const at = instant => +new Date(instant);
export const since = (from, until) => from ? (until ? at(until) : now()) - at(from) : null;

/** @noinline */
const two = n => String(n).padStart(2, '0');
/** Milliseconds as 0.4 s, 42 s, 14:08, 2 h 41 m, 3 d 02 h; nothing for null. */
export function span(millis) {
  if (millis === null || Number.isNaN(+millis)) return '';
  if (Math.abs(millis) < 1000) return millis > 50 ? (millis / 1000).toFixed(1) + ' s' : '0 s';
  const s = Math.floor(Math.abs(millis) / 1000);
  const [m, h, d] = [60, 3600, 86400].map(unit => Math.floor(s / unit));
  return (millis < 0 ? '−' : '') + (d ? d + ' d ' + two(h % 24) + ' h' : h ? h + ' h ' + two(m % 60) + ' m' : m ? two(m) + ':' + two(s % 60) : s + ' s');
}

/** An ISO-8601 duration in milliseconds, also without the T; 0 if it is invalid. */
export function millis(iso) {
  const [, d = 0, h = 0, m = 0, s = 0] = /^P(?:(\d+)D)?T?(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?[\d.]+)S)?$/i.exec(iso || '') || [];
  return iso ? (((+d * 24 + +h) * 60 + +m) * 60 + +s) * 1000 : null;
}

export const zone = () => kept('times', 'relative');
/** The time of day, in UTC or local time as the user prefers. */
export function clock(instant, local = zone() === 'local') {
  const day = new Date(instant);
  return local ? [day.getHours(), day.getMinutes(), day.getSeconds()].map(two).join(':') : day.toISOString().slice(11, 19);
}

const ago = ms => ms < 1000 ? 'now' : ms < 60000 ? span(ms) + ' ago' : ms < 3600000 ? Math.floor(ms / 60000) + ' min ago'
  : ms < 172800000 ? Math.floor(ms / 3600000) + ' h ago' : Math.floor(ms / 86400000) + ' d ago';
/** A moment in the user's preferred form; the title has the other form. */
export function moment(instant, past = ago) {
  if (!instant || Number.isNaN(at(instant))) return instant || '';
  const iso = new Date(instant).toISOString();
  const full = iso.replace('T', ' ').slice(0, 19);
  const age = since(instant);
  const day = age < 86400000 ? '' : full.slice(0, 11);
  return html`<time datetime=${iso} title="${full} UTC">${zone() !== 'relative' ? day + clock(instant) : age < -999 ? 'in ' + span(-age) : past(age)}</time>`;
}
