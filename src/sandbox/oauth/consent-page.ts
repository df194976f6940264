import { ENDPOINTS } from '../../protocol/endpoints';
import type { Scope } from '../../protocol/scopes';
import { html, htmlPage } from '../html-page';
import type { AuthorizationRequest } from './pending-consents';

/** What each scope grants (document, 5.5). */
const SCOPE_DESCRIPTIONS: Record<Scope, string> = {
  deals: 'Access to deals',
  contacts: 'Access to contacts and companies',
  tasks: 'Access to tasks',
  scenarios: 'Management of scenarios',
  agents: 'Management of AI agents',
  analytics: 'Access to analytics',
  webhooks: 'Management of webhooks',
};

/** Asks the user for consent; the form sends the id of the pending consent and the decision. */
export function consentPage(id: string, { application, redirectUri, scopes }: AuthorizationRequest): string {
  return htmlPage(
    `Allow ${application.name}?`,
    html`<main class="narrow">
      <section>
        <h1>Allow ${application.name}?</h1>
        <p>It requests:</p>
        <ul>
          !${scopes.map((scope) => html`<li>${SCOPE_DESCRIPTIONS[scope]} <code>${scope}</code></li>`)}
        </ul>
        <p class="quiet">You will be redirected to <code>${new URL(redirectUri).origin}</code>.</p>
        <form method="post" action="${ENDPOINTS.authorize}">
          <input type="hidden" name="consent" value="${id}" />
          <button class="primary" name="decision" value="allow">Allow</button>
          <button name="decision" value="deny">Deny</button>
        </form>
      </section>
      <p class="quiet">This is the Co-Pilot sandbox: it has no login, and you act as its user.</p>
    </main>`,
  );
}

/** Shown when there is no verified URI to redirect to. */
export function authorizationErrorPage(reason: string): string {
  return htmlPage(
    'This request cannot be authorized',
    html`<main class="narrow">
      <section>
        <h1>This request cannot be authorized</h1>
        <p>${reason}</p>
        <p class="quiet">You were not redirected, because the request could not be verified.</p>
      </section>
    </main>`,
  );
}
