import { type Html, html } from '../html-page';
import type { Applications } from '../oauth/applications';
import type { Grants } from '../oauth/grants';
import { actionButton, actionForm, section, table, time } from './panel-controls';

/** Applications: their Client IDs, their redirect URIs, new secrets (document, 5.1). */
export function applicationsSection(applications: Applications): Html {
  const rows = applications.all().map(({ clientId, name, redirectUris }) => {
    const path = `/applications/${clientId}`;
    return [
      html`${name}`,
      html`<code>${clientId}</code>`,
      html`${redirectUris.map((uri) => html`<code class="line">${uri}</code>`)}`,
      html`${actionButton(
          {
            method: 'POST',
            path: `${path}/secret`,
            done: '',
            confirm: `The present Client Secret of ${name} ends to be valid at once. Go on?`,
          },
          'New secret',
          name,
        )}
        <details id="change-${clientId}">
          <summary aria-label="Change: ${name}">Change</summary>
          ${actionForm(
            { method: 'PATCH', path, done: `${name} was changed.` },
            html`<label>Name <input name="name" value="${name}" required maxlength="100" /></label>
              ${redirectUrisField(redirectUris)}
              <button>Save</button>`,
          )}
        </details>`,
    ];
  });
  return section(
    'applications',
    'Applications',
    html`${table('application-list', ['Name', 'Client ID', 'Redirect URIs', 'Acts'], rows, 'None is registered.')}
    ${actionForm(
      { method: 'POST', path: '/applications', done: '' },
      html`<label>Name <input name="name" required maxlength="100" /></label>
        ${redirectUrisField([])}
        <button class="primary">Create application</button>`,
    )}`,
  );
}

function redirectUrisField(uris: readonly string[]): Html {
  return html`<label>
    Redirect URIs, one a line, at most 5
    <textarea name="redirect_uris" data-as="lines" rows="2" required>${uris.join('\n')}</textarea>
  </label>`;
}

/** Refresh tokens that can be used, and their revocation (document, 5.4). */
export function refreshTokensSection(grants: Grants, applications: Applications): Html {
  const rows = grants
    .liveRefreshTokens()
    .toReversed()
    .map(({ id, grant, lastFour, issuedAt }) => [
      html`<code>…${lastFour}</code>`,
      html`${applications.find(grant.clientId)?.name ?? grant.clientId}`,
      html`${grant.scopes.join(' ')}`,
      time(issuedAt),
      actionButton(
        {
          method: 'DELETE',
          path: `/refresh-tokens/${id}`,
          done: `The refresh token …${lastFour} and all access tokens of its consent were revoked.`,
          confirm: 'The application then needs a new consent. Revoke the token?',
        },
        'Revoke',
        `the token …${lastFour}`,
      ),
    ]);
  return section(
    'refresh-tokens',
    'Refresh tokens',
    table('refresh-token-list', ['Token', 'Application', 'Scopes', 'Issued', 'Acts'], rows, 'None is valid.'),
  );
}
