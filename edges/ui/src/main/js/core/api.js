// The REST interface. All URLs are relative to the URL of this file, so a path prefix needs no setting.
import { keep, kept, tick } from './time.js';

export const root = new URL('../../', import.meta.url);
const api = new URL('../api/v1/', root);
const RANKS = ['read', 'trigger', 'worker', 'operator', 'admin'];

/** bare: the reason why the store keeps no runs, once known. */
export const session = { tenant: '', role: '', label: '', csrfToken: '', bare: '', tenants: [], provider: false };
export const may = role => RANKS.indexOf(session.role) >= RANKS.indexOf(role);
export const href = to => new URL(to, root).pathname + new URL(to, root).search;
/** A file that belongs to this version of the UI. */
export const asset = name => new URL(name, import.meta.url).href;
export const apiHref = to => new URL(to, api).href;
/** Called when the session has ended; app.js sets it to ask for a new sign-in. */
export const guard = { expired() {} };

// Requests long after the last input are background requests, which do not keep the session alive.
const ALONE_AFTER = 60000;
let touched = tick();
['pointerdown', 'wheel', 'keydown'].forEach(kind => window.addEventListener(kind, () => { touched = tick(); }, { capture: true, passive: true }));

/** A refusal by the server, with its message; errors names the fields that are wrong, as {pointer, detail}. */
export class Problem extends Error {
  constructor(status, { detail, title, errors = [] }, request = '') {
    super(errors.map(error => error.detail).join('. ') || detail || title || 'Something went wrong.');
    this.status = status;
    this.request = request;
    this.errors = errors;
    this.title = title || 'Error ' + status;
  }
  /** What is wrong with the field of this name, if anything. */
  about(name) {
    return this.errors.filter(error => error.pointer.split('/').at(-1) === name).map(error => error.detail).join('. ');
  }
}

/** Sends a request for the tenant chosen in this browser. */
export async function request(to, options = {}) {
  const tenant = kept('tenant');
  const before = session.csrfToken;
  const headers = { ...tenant && { 'X-Tenant': tenant }, ...tick() - touched > ALONE_AFTER && { 'X-Background': 'true' }, ...options.headers };
  const answer = await fetch(apiHref(to), { ...options, headers }).catch(() => {
    throw new Problem(0, { title: 'No connection', detail: 'The server does not answer. This data may be outdated.' });
  });
  // The user may have signed in again during this request.
  if (answer.status === 401 && to !== 'session' && before === session.csrfToken) guard.expired();
  return answer;
}

export async function call(method, to, body = null) {
  const headers = { Accept: 'application/json', ...body && { 'Content-Type': 'application/json' } };
  if (method !== 'GET' && session.csrfToken) headers['X-CSRF-Token'] = session.csrfToken;
  const answer = await request(to, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  let json = {};
  try { json = JSON.parse(text || '{}'); } catch { json = { title: 'Unexpected answer', detail: text.slice(0, 200) }; }
  if (answer.ok) return json;
  if (answer.status === 501) session.bare = json.detail;
  throw new Problem(answer.status, json, answer.headers.get('X-Request-Id'));
}
export const get = to => call('GET', to);
const BARE = /^(locks|config|keys)/;
/** A list; empty if the store keeps leases only, which is checked once. */
export async function look(to) {
  try {
    if (!session.bare || BARE.test(to)) return await get(to);
  } catch (problem) {
    if (problem.status !== 501) throw problem;
  }
  return { items: [] };
}
const jobs = new Map();
/** A job of the configuration, loaded once; without a name if there is none. */
export async function jobOf(name) {
  if (!jobs.has(name)) jobs.set(name, await look('jobs/' + encodeURIComponent(name)).catch(problem => { if (problem.status !== 404) throw problem; return {}; }));
  return jobs.get(name);
}
export const post = (to, body) => call('POST', to, body);

/** A path with all parameters that have a value. */
export function path(start, parameters) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value));
  return query.size ? start + '?' + query : start;
}

export async function whoAmI() {
  try {
    Object.assign(session, { anyTenant: false, bare: '', label: '', tenants: [], provider: false }, await get('session'));
  } catch (problem) {
    // The tenant was chosen with the bootstrap key; this session uses another key.
    if (problem.status !== 403 || !kept('tenant')) throw problem;
    keep('tenant', '');
    await whoAmI();
  }
}
export async function signIn(proof) {
  session.csrfToken = (await post('session', proof)).csrfToken;
  await whoAmI();
}
export async function signOut() {
  await call('DELETE', 'session');
  // The provider would sign the user in again without a question.
  if (session.provider) { location.assign(new URL('../auth/oidc/end', root)); return; }
  Object.assign(session, { tenant: '', role: '', csrfToken: '' });
}

/** Tenants that were chosen in this browser; there is no list of all. */
export const tenants = () => kept('tenants').split(' ').filter(name => name);
export const remember = name => keep('tenants', [name, ...tenants().filter(other => other !== name)].slice(0, 8).join(' '));
/** All tabs share one stream, so they all show the same tenant. */
export function actFor(tenant) {
  keep('tenant', tenant);
  location.reload();
}
