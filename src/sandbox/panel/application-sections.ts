import { type Html, html } from '../html-page';
import type { Applications } from '../oauth/applications';
import type { Grants } from '../oauth/grants';
import { actionButton, actionForm, section, table, time } from './panel-controls';

/** Applications, and forms to create and edit them and to renew their secrets (document, 5.1). */
export function applicationsSection(applications: Applications): Html {
  const rows = applications.all().map(({ clientId, name, redirectUris }) => {
    const path = `/applications/${clientId}`;
    return [
      html`${name}`,
      html`<code>${clientId}</code>`,
      html`!${redirectUris.map((uri) => html`<code class="line">${uri}</code>`)}`,
      html`!${actionButton(
          {
            method: 'POST',
            path: `${path}/secret`,
            successMessage: '',
            confirm: `The current Client Secret of ${name} will stop working immediately. Continue?`,
          },
          'New secret',
          name,
        )}
        <details id="change-${clientId}">
          <summary aria-label="Edit: ${name}">Edit</summary>
          !${actionForm(
            { method: 'PATCH', path, successMessage: `${name} was changed.` },
            html`<label>Name <input name="name" value="${name}" required maxlength="100" /></label>
              !${redirectUrisField(redirectUris)}
              <button>Save</button>`,
          )}
        </details>`,
    ];
  });
  return section(
    'applications',
    'Applications',
    html`!${table('application-list', ['Name', 'Client ID', 'Redirect URIs', 'Actions'], rows, 'No applications yet.')}
    !${actionForm(
      { method: 'POST', path: '/applications', successMessage: '' },
      html`<label>Name <input name="name" required maxlength="100" /></label>
        !${redirectUrisField([])}
        <button class="primary">Create application</button>`,
    )}`,
  );
}

function redirectUrisField(uris: readonly string[]): Html {
  return html`<label>
    Redirect URIs, one per line, at most 5
    <textarea name="redirect_uris" data-as="lines" rows="2" required>${uris.join('\n')}</textarea>
  </label>`;
}

/** Valid refresh tokens, which can be revoked here (document, 5.4). */
export function refreshTokensSection(grants: Grants, applications: Applications): Html {
  const rows = grants
    .validRefreshTokens()
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
          successMessage: `The refresh token …${lastFour} and all tokens of the same grant were revoked.`,
          confirm: 'The application will need a new authorization. Revoke the token?',
        },
        'Revoke',
        `the token …${lastFour}`,
      ),
    ]);
  return section(
    'refresh-tokens',
    'Refresh tokens',
    table(
      'refresh-token-list',
      ['Token', 'Application', 'Scopes', 'Issued', 'Actions'],
      rows,
      'No valid refresh tokens.',
    ),
  );
}
