// Sign-in, as a page or above a page whose session has ended; the URL stays.
import { root } from '../core/api.js';
import { brand, html } from '../core/bits.js';

/** The OpenID provider of this server, if it has one. */
const provider = () => document.querySelector('meta[name=provider]').getAttribute('content');
/** Why a sign-in with the provider failed, by the code that the server put into the URL. */
export const refusal = code => ({
  'no-role': `${provider()} knows you, but you have no role here. Ask an administrator of Interlock for one, then sign in again.`,
  'denied': `${provider()} did not sign you in. Try again, or use an API key.`,
  'state': 'This sign-in was begun in another browser, took more than 10 minutes, or was used already. Sign in again.',
  'provider': `${provider()} is unavailable, or its answer could not be verified. Try again; the log of the server says why.`,
  'store': 'You could not be signed in, because the store does not answer. Try again in a moment.',
  'page': 'This link leads to another site, so it was not followed. Sign in here.',
}[code] || '');
/** Signing in leads back to this page. */
const start = () => new URL('../auth/oidc?' + new URLSearchParams({ 'to': location.href.slice(root.href.length).replace(/[?&]refused=[\w-]*/, '') }), root).href;

export function signInView({ refused, enter, inside }) {
  const submit = event => {
    event.preventDefault();
    const words = event.target.proof.value.trim();
    if (words) enter(words.startsWith('ilk_') ? { apiKey: words } : { code: words });
  };
  const single = provider() && html`<p><a class="button primary wide" href=${start()}>Sign in with ${provider()}</a></p>`;
  const form = html`${single}<form @submit=${submit}><label for="proof">API key or one-time code</label>
    <div class="row"><input id="proof" name="proof" type="password" autocomplete="current-password" required><button class=${provider() ? '' : 'primary'}>${inside ? 'Sign in again' : 'Sign in'}</button></div>
    </form>${refused && html`<p class="problem" role="alert">${refused}</p>`}`;
  return inside ? html`<section class="banner c-fail signin" aria-label="Session ended"><div><p><b>Your session has ended.</b> This data may be outdated; sign in again to continue here.</p>${form}</div></section>`
    : html`<main class="sign-in"><div class="card pad"><h1>${brand}Interlock</h1><p class="muted">Who holds each key, why other runs wait, and what to do.</p>${form}
      <p class="muted">A server prints a code when it starts. Create keys with<br><code class="mono">interlock keys create --tenant T --role operator</code></p></div></main>`;
}
