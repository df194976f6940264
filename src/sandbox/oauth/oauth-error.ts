/** The error codes of RFC 6749, 4.1.2.1 and 5.2 that the sandbox answers with; the document shows none (7). */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'access_denied'
  | 'unsupported_response_type'
  | 'unsupported_grant_type';

/** An OAuth request that is refused. The message is the `error_description`: for developers, without any secret. */
export class OAuthError extends Error {
  constructor(
    readonly code: OAuthErrorCode,
    description: string,
  ) {
    super(description);
  }
}

/** Refused before it is known that the redirect URI is the application's: must be shown here, never redirected. */
export class UntrustedRequest extends Error {}
