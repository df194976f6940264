import { ENDPOINTS } from '../../protocol/endpoints';
import type { Scope } from '../../protocol/scopes';
import { html, htmlPage } from '../html-page';

/** What each scope grants (document, 5.5). */
const MEANINGS: Record<Scope, string> = {
  deals: 'Access to deals',
  contacts: 'Access to contacts and companies',
  tasks: 'Access to tasks',
  scenarios: 'Management of scenarios',
  agents: 'Management of AI agents',
  analytics: 'Access to analytics',
  webhooks: 'Management of webhooks',
};

/** Asks the user for consent; the form returns the id of the request and the decision. */
export function consentPage(consent: {
  id: string;
  name: string;
  redirectUri: string;
  scopes: readonly Scope[];
}): string {
  return htmlPage(
    `Allow ${consent.name}?`,
    html`<main class="narrow">
      <section>
        <h1>Allow ${consent.name}?</h1>
        <p>It requests:</p>
        <ul>
          ${consent.scopes.map((scope) => html`<li>${MEANINGS[scope]} <code>${scope}</code></li>`)}
        </ul>
        <p class="quiet">You will be redirected to <code>${new URL(consent.redirectUri).origin}</code>.</p>
        <form method="post" action="${ENDPOINTS.authorize}">
          <input type="hidden" name="consent" value="${consent.id}" />
          <button class="primary" name="decision" value="allow">Allow</button>
          <button name="decision" value="deny">Deny</button>
        </form>
      </section>
      <p class="quiet">This is the Co-Pilot sandbox: it has no login, and you act as its user.</p>
    </main>`,
  );
}

/** Shown instead of redirecting to an untrusted URI. */
export function refusalPage(reason: string): string {
  return htmlPage(
    'This request cannot be authorized',
    html`<main class="narrow">
      <section>
        <h1>This request cannot be authorized</h1>
        <p>${reason}</p>
        <p class="quiet">You were not redirected, because the redirect URI cannot be trusted.</p>
      </section>
    </main>`,
  );
}
