import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { UNPRINTABLE } from '../../contract/constants';
import type { Scope } from '../../contract/token';
import { RelayError } from '../ground/relay-error';
import { isSameSecret } from '../secrets/is-same-secret';
import { ClientAddress } from '../settings/client-address';
import { Settings } from '../settings/settings';
import { readRole } from './read-role';
import { SCOPES_OF_ROLE } from './scopes';

const MAX_NAME_LENGTH = 100;

export interface User {
  name: string;
  scopes: readonly Scope[];
}

type UserRequest = Pick<IncomingMessage, 'headersDistinct' | 'socket'>;

/**
 * The user that a proxy has authenticated and names in headers (forward authentication). They are read only if a
 * trusted proxy sent them: anyone can send headers.
 */
@Injectable()
export class ForwardedUser {
  constructor(
    private readonly settings: Settings,
    private readonly clientAddress: ClientAddress,
  ) {}

  /** Whether a proxy that can name users named none. */
  isMissing(request: UserRequest): boolean {
    const isExpected = this.settings.userHeaders !== null && this.clientAddress.isFromProxy(request);
    return isExpected && this.of(request) === null;
  }

  /**
   * Null if the proxy names no user, or is not trusted.
   * @returns RelayError `user_rejected`, 403, if the headers are ambiguous or grant no role
   */
  of(request: UserRequest): User | RelayError | null {
    const { userHeaders } = this.settings;
    if (userHeaders === null || !this.clientAddress.isFromProxy(request)) return null;
    const names = request.headersDistinct[userHeaders.user] ?? [];
    const roles = request.headersDistinct[userHeaders.role] ?? [];
    // A proxy that adds its header to one that the client sent would let the client choose.
    if (names.length > 1 || roles.length > 1)
      return rejected('The proxy sent a user header twice.', 'Make the proxy replace these headers.');
    const name = decodeName(names[0] ?? '');
    if (name === '') return null;
    if (!this.hasSecret(request))
      return rejected(
        'The request names a user, but lacks the secret of the proxy.',
        'Make the proxy send the header of SWITCHBOARD_AUTH_SECRET_HEADER once, and with that value.',
      );
    if (name.length > MAX_NAME_LENGTH || UNPRINTABLE.test(name) || name !== name.trim())
      return rejected(
        'The user name that the proxy sent cannot be used.',
        `Send at most ${MAX_NAME_LENGTH} printable characters, without a space at either end.`,
      );
    const { userRoles } = this.settings;
    const role = readRole(decodeName(roles[0] ?? ''), userRoles);
    if (role === null)
      return rejected(
        `The proxy grants ${name} no role in Switchboard.`,
        `Make the proxy send ${[...userRoles.keys()].join(' or ')} as ${userHeaders.role} for this user, or change SWITCHBOARD_AUTH_ROLES.`,
      );
    return { name, scopes: SCOPES_OF_ROLE[role] };
  }

  private hasSecret({ headersDistinct }: UserRequest): boolean {
    const { userSecret } = this.settings;
    if (userSecret === null) return true;
    const [given = '', ...others] = headersDistinct[userSecret.name] ?? [];
    return others.length === 0 && isSameSecret(given, userSecret.secret);
  }
}

/** Node reads headers as Latin-1; proxies send names in UTF-8. */
function decodeName(raw: string): string {
  const bytes = Buffer.from(raw, 'latin1');
  const text = bytes.toString('utf8');
  return trimmed(text.includes('\ufffd') ? raw : text);
}

/** `trim` would also remove what is not white space in HTTP (RFC 9110, 5.6.3), and so make two names equal. */
const trimmed = (value: string) => value.replace(/^[ \t]+|[ \t]+$/g, '');

const rejected = (detail: string, remedy: string) => new RelayError('user_rejected', 403, detail, { remedy });
