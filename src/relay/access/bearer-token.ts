import type { IncomingHttpHeaders } from 'node:http';

/**
 * The token in `Authorization: Bearer <token>`, empty if there is none behind the scheme; null with no or another
 * scheme.
 */
export function bearerToken({ authorization = '' }: IncomingHttpHeaders): string | null {
  return /^bearer\s+(.*)$/i.exec(authorization)?.[1] ?? null;
}
