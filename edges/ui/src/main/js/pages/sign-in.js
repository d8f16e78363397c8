// Sign-in, as a page or above a page whose session has ended; the URL stays.
import { brand, html } from '../core/bits.js';

export function signInView({ refused, enter, inside }) {
  const submit = event => {
    event.preventDefault();
    const words = event.target.proof.value.trim();
    if (words) enter(words.startsWith('ilk_') ? { apiKey: words } : { code: words });
  };
  const form = html`<form @submit=${submit}><label for="proof">API key or one-time code</label>
    <div class="row"><input id="proof" name="proof" type="password" autocomplete="current-password" required><button class="primary">${inside ? 'Sign in again' : 'Sign in'}</button></div>
    ${refused && html`<p class="problem" role="alert">${refused}</p>`}</form>`;
  return inside ? html`<section class="banner c-fail signin" aria-label="Session ended"><div><p><b>Your session has ended.</b> This data may be outdated; sign in again to continue here.</p>${form}</div></section>`
    : html`<main class="sign-in"><div class="card pad"><h1>${brand}Interlock</h1><p class="muted">Who holds each key, why other runs wait, and what to do.</p>${form}
      <p class="muted">A server prints a code when it starts. Create keys with<br><code class="mono">interlock keys create --tenant T --role operator</code></p></div></main>`;
}
