// The REST interface. All addresses are found from where this file came from, so a path prefix needs no setting.
export const root = new URL('../../../', import.meta.url);
const api = new URL('../api/v1/', root);
const RANKS = ['read', 'trigger', 'worker', 'operator', 'admin'];

export const session = { known: false, tenant: '', role: '', label: '', csrfToken: '' };
export const href = path => new URL(path, root).pathname + new URL(path, root).search;
export const apiHref = path => new URL(path, api).href;
export const may = role => session.known && RANKS.indexOf(session.role) >= RANKS.indexOf(role);

let expired = () => {};
export const onExpired = listener => { expired = listener; };

/** What the server refused, in its own words. */
export class Problem extends Error {
  constructor(status, body, request) {
    super(body.detail || body.title || 'Something went wrong.');
    Object.assign(this, { status, body, request, code: body.code || '', title: body.title || 'Error ' + status });
  }
}

export async function call(method, path, body) {
  const headers = { Accept: 'application/json' };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (method !== 'GET' && session.csrfToken) headers['X-CSRF-Token'] = session.csrfToken;
  let answer;
  try {
    answer = await fetch(apiHref(path), { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new Problem(0, { title: 'No connection', detail: 'The server does not answer. What you see may be old.' });
  }
  const text = await answer.text();
  let json = {};
  try { json = text ? JSON.parse(text) : {}; } catch { json = { title: 'Not understood', detail: text.slice(0, 200) }; }
  if (answer.ok) return json;
  if (answer.status === 401 && path !== 'session') expired();
  throw new Problem(answer.status, json, answer.headers.get('X-Request-Id'));
}

export const get = path => call('GET', path);
export const post = (path, body) => call('POST', path, body);

/** A path with those parameters that have a value. */
export function path(start, parameters) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== null && value !== '') query.set(name, value);
  }
  return query.size ? start + '?' + query : start;
}

async function signed(promise) {
  Object.assign(session, { label: '', csrfToken: '' }, await promise, { known: true });
}
export const whoAmI = () => signed(get('session'));
export const signIn = proof => signed(post('session', proof));
export async function signOut() {
  await call('DELETE', 'session');
  Object.assign(session, { known: false, tenant: '', role: '', csrfToken: '' });
}
