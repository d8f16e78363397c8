// Readable times and durations. Ages are counted in the browser; offline they stop.
import { html } from '../lit/lit-html.js';

/** Preferences stored in this browser; nothing depends on them. */
export const kept = (name, otherwise = '') => {
  try { return window.localStorage.getItem('interlock.' + name) ?? otherwise; } catch { return otherwise; }
};
export const keep = (name, value) => {
  try { window.localStorage.setItem('interlock.' + name, value); } catch { /* then it is forgotten */ }
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
export const since = (from, until = null) => from ? (until ? at(until) : now()) - at(from) : null;

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

/** How the user wants to read times: relative, UTC or local. */
export const zone = () => kept('times', 'relative');
const isLocal = () => zone() === 'local';
/** The zone of all times that are not relative, as it stands beside an axis. */
export const zoneName = () => isLocal() ? new Intl.DateTimeFormat('en', { timeZoneName: 'short' }).formatToParts(new Date()).find(part => part.type === 'timeZoneName').value : 'UTC';
/** A date whose UTC fields are those of the user's zone. */
const shown = instant => new Date(at(instant) - (isLocal() ? new Date(instant).getTimezoneOffset() * 60000 : 0));
/** The time of day, in UTC or local time as the user prefers. */
export const clock = (instant, digits = 8) => shown(instant).toISOString().slice(11, 11 + digits);
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** The date, such as 16 Nov. */
export const day = instant => shown(instant).getUTCDate() + ' ' + MONTHS[shown(instant).getUTCMonth()];
/** The time of day, with the date if it is not today's. */
export const stamp = (instant, digits = 8) => (day(instant) === day(now()) ? '' : day(instant) + ' ') + clock(instant, digits);

/** An estimated time: with seconds if it is near. */
export const about = instant => '≈ ' + stamp(instant, Math.abs(at(instant) - now()) < 600000 ? 8 : 5);

const ago = ms => ms < 1000 ? 'now' : ms < 60000 ? span(ms) + ' ago' : ms < 3600000 ? Math.floor(ms / 60000) + ' min ago'
  : ms < 172800000 ? Math.floor(ms / 3600000) + ' h ago' : Math.floor(ms / 86400000) + ' d ago';
/** A moment in the user's preferred form, or always as a time of day; the title has the whole of it. */
export function moment(instant, past = ago, absolute = false) {
  if (!instant || Number.isNaN(at(instant))) return instant || '';
  const iso = new Date(instant).toISOString();
  const age = since(instant);
  return html`<time datetime=${iso} title="${iso.replace('T', ' ').slice(0, 19)} UTC">${absolute || zone() !== 'relative' ? stamp(instant) : age < -999 ? 'in ' + span(-age) : past(age)}</time>`;
}

/** A time of day, with or without 'yesterday', as an instant in the past; anything else is left to the server. */
export function pastOf(words) {
  const [, yesterday, time] = /^(yesterday )?(\d{1,2}:\d\d)$/.exec(words.trim().toLowerCase()) || [];
  if (!time) return words;
  const today = shown(tick()).toISOString().slice(0, 10);
  const moment = at(`${today}T${time.padStart(5, '0')}:00Z`) + tick() - +shown(tick());
  return new Date(yesterday || moment > tick() ? moment - 86400000 : moment).toISOString();
}

const UNITS = { s: 1000, m: 60000, h: 3600000, d: 86400000 };
/** When something ends that a user wrote as 90m, 2h, 1d 12h, 18:00, tomorrow 09:00 or 2026-11-20 09:00; NaN if it is none of these. */
export function endOf(words) {
  const written = words.trim().toLowerCase();
  if (/^(\d+(\.\d+)?\s*[smhd]\s*)+$/.test(written)) {
    return tick() + [...written.matchAll(/([\d.]+)\s*([smhd])/g)].reduce((sum, [, number, unit]) => sum + number * UNITS[unit], 0);
  }
  const [, date, tomorrow, time] = /^(?:(\d{4}-\d\d-\d\d)[ t]|(tomorrow) )?(\d{1,2}:\d\d)$/.exec(written) || [];
  if (!time) return NaN;
  const today = shown(tick()).toISOString().slice(0, 10);
  const end = at(`${date || today}T${time.padStart(5, '0')}:00Z`) + tick() - +shown(tick());
  return tomorrow || (!date && end <= tick()) ? end + UNITS.d : end;
}
