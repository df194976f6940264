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

/** Asks the user; the form carries back the number of the question and the button that was pressed. */
export function consentPage(question: {
  id: string;
  name: string;
  redirectUri: string;
  scopes: readonly Scope[];
}): string {
  return htmlPage(
    `Allow ${question.name}?`,
    html`<main class="narrow">
      <section>
        <h1>Allow ${question.name}?</h1>
        <p>It asks for:</p>
        <ul>
          ${question.scopes.map((scope) => html`<li>${MEANINGS[scope]} <code>${scope}</code></li>`)}
        </ul>
        <p class="quiet">You will be sent back to <code>${new URL(question.redirectUri).origin}</code>.</p>
        <form method="post" action="${ENDPOINTS.authorize}">
          <input type="hidden" name="question" value="${question.id}" />
          <button class="primary" name="decision" value="allow">Allow</button>
          <button name="decision" value="deny">Deny</button>
        </form>
      </section>
      <p class="quiet">This is the sandbox of the Co-Pilot service: whoever sees this page is its user.</p>
    </main>`,
  );
}

/** Shown in place of a redirect that cannot be trusted. */
export function refusalPage(reason: string): string {
  return htmlPage(
    'This request cannot be authorized',
    html`<main class="narrow">
      <section>
        <h1>This request cannot be authorized</h1>
        <p>${reason}</p>
        <p class="quiet">You were not sent back, because the address to go to cannot be trusted.</p>
      </section>
    </main>`,
  );
}
