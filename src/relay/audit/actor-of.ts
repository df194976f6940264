import type { IncomingHttpHeaders } from 'node:http';
import type { Operator } from '../access/operator';
import type { Actor } from '../../contract/audit';
import { COMMAND_LINE_AGENT } from '../ground/version';

/**
 * The actor of an operator in the audit log. The command line uses the admin token and says so in its `user-agent`,
 * as anyone could who has that token: both are the same operator.
 */
export function actorOf(
  { via, credentialId, name }: Omit<Operator, 'mask'>,
  headers: IncomingHttpHeaders,
): Actor {
  if (via === 'user') return { kind: via, id: name, name };
  if (via !== 'token') return { kind: via, id: credentialId, name };
  const kind = headers['user-agent'] === COMMAND_LINE_AGENT ? 'command_line' : 'admin_token';
  return { kind, id: null, name };
}
