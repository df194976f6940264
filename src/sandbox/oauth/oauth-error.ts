/** The error codes of RFC 6749, 4.1.2.1 and 5.2 that the sandbox uses; the document shows none (7). */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'access_denied'
  | 'unsupported_response_type'
  | 'unsupported_grant_type';

/** A rejected OAuth request. The message is sent as `error_description`, so it must not contain secrets. */
export class OAuthError extends Error {
  constructor(
    readonly code: OAuthErrorCode,
    description: string,
  ) {
    super(description);
  }
}

/** Rejected without a verified redirect URI: a page is shown, and nobody is redirected. */
export class UntrustedRequest extends Error {}
