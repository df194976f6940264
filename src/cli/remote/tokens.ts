import type { Scope, Token, TokenCreated } from '../../contract/token';
import type { HubFlags } from '../definitions/hub-flags';
import { confirm } from './ask';
import type { HubClient } from './hub-client';
import { writeItems, type ListFlags } from './items';
import { note, writeJson, writeLine, type Column } from './output';
import { withSecretFile } from './secret-file';

const COLUMNS: readonly Column<Token>[] = [
  { head: 'id', text: ({ id }) => id },
  { head: 'name', text: ({ name }) => name, isFlexible: true },
  { head: 'scopes', text: ({ scopes }) => scopes.join(', ') },
  { head: 'ends with', text: ({ hint }) => hint },
  {
    head: 'state',
    text: ({ state }) => state,
    style: ({ state }) => (state === 'expired' ? 'dim' : undefined),
  },
  { head: 'expires', text: ({ expires_at: at }) => at ?? 'never' },
  { head: 'last used', text: ({ last_used_at: at }) => at ?? 'never' },
];

/** `token list`. */
export const listTokens = (hub: HubClient, flags: ListFlags): Promise<void> =>
  writeItems((query) => hub.request('GET', '/api/v1/tokens', { query }), COLUMNS, 'token', flags);

interface CreateFlags extends HubFlags {
  scope: Scope[];
  /** Seconds. */
  expires?: number;
  out?: string;
}

/** `token create`: its secret alone on standard output. */
export async function createToken(hub: HubClient, name: string, flags: CreateFlags): Promise<void> {
  const { scope, expires, out, json } = flags;
  const expiry = expires === undefined ? null : new Date(Date.now() + 1_000 * expires).toISOString();
  const body = { name, scopes: scope, expires_at: expiry };
  const token = await withSecretFile<Partial<TokenCreated>>(out, () =>
    hub.request('POST', '/api/v1/tokens', { body }),
  );
  if (json) return writeJson(token);
  note(
    `Created ${token.name} (${token.id}), which ${expiry === null ? 'does not expire' : `expires at ${expiry}`}.`,
  );
  if (token.secret !== undefined) await writeLine(token.secret);
}

/** `token revoke`. */
export async function revokeToken(
  hub: HubClient,
  id: string,
  { yes, json }: HubFlags & { yes?: true },
): Promise<void> {
  await confirm(`Revoke ${id}? Who uses it is locked out.`, 'Not revoked', yes);
  await hub.request('DELETE', '/api/v1/tokens/{id}', { path: { id } });
  await (json ? writeJson({ id }) : writeLine(`Revoked ${id}.`));
}
