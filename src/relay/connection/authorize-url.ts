import { ENDPOINTS } from '../../protocol/endpoints';
import { SCOPE_SEPARATOR } from '../../protocol/scopes';

interface AuthorizeRequest {
  baseUrl: string;
  clientId: string;
  redirectUri: string;
  scopes: readonly string[];
  state: string;
}

/** The URL at which the operator gives consent (document, 4.1). */
export function authorizeUrl({ baseUrl, clientId, redirectUri, scopes, state }: AuthorizeRequest): string {
  const url = new URL(`${baseUrl}${ENDPOINTS.authorize}`);
  url.searchParams.set('response_type', 'code');
  url.searchParams.set('client_id', clientId);
  url.searchParams.set('redirect_uri', redirectUri);
  url.searchParams.set('scope', scopes.join(SCOPE_SEPARATOR.authorizeRequest));
  url.searchParams.set('state', state);
  return url.href;
}
