import { RelayError } from '../ground/relay-error';

/** @param userIsMissing whether a proxy that can name users named none */
export function unauthorized(userIsMissing = false): RelayError {
  return new RelayError(
    'unauthorized',
    401,
    userIsMissing
      ? 'Authentication is required: the proxy named no user, and the request has no valid token or session.'
      : 'Authentication is required: the request has no valid token or session.',
    {
      remedy: `${userIsMissing ? 'Sign in at the proxy, and check that it sends the user header. Or send' : 'Send'} Authorization: Bearer <token> (DATA_DIR/admin.token), or log in with the link that \`switchboard login-link\` prints.`,
    },
  );
}
