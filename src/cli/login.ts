import { text as readAll } from 'node:stream/consumers';
import { resolve } from 'node:path';
import { VERSION } from '../relay/ground/version';
import { CommandFailed } from './command-failed';
import type { HubFlags } from './definitions/hub-flags';
import { EXIT } from './exit-codes';
import { oneLine } from './printable';
import { ask } from './remote/ask';
import { withToken } from './remote/find-hub';
import { HubClient } from './remote/hub-client';
import { note, writeJson, writeLine } from './remote/output';
import { changeProfiles, tokenOf, type Profile } from './remote/profiles';

const REMEDY = 'Use --hub, and --token-stdin or --token-command.';

interface LoginFlags extends HubFlags {
  name?: string;
  tokenStdin?: true;
  tokenCommand?: string;
  caFile?: string;
}

/** Stores a hub and its token as the profile in use, after the hub has accepted it. @throws CommandFailed otherwise */
export async function login(flags: LoginFlags): Promise<void> {
  const hub = flags.hub ?? (await ask('Hub (such as https://hub.example.com): ', REMEDY));
  if (!URL.canParse(hub)) throw new CommandFailed(EXIT.usage, 'That is not a URL.', 'Give it with https://.');
  const name = flags.name ?? new URL(hub).hostname.replaceAll(/[^\w.-]/g, '');
  const profile: Profile = {
    hub: hub.replace(/\/+$/, ''),
    token: null,
    token_command: flags.tokenCommand ?? null,
    ca_file: flags.caFile === undefined ? null : resolve(flags.caFile),
  };
  const token = async () => {
    if (flags.tokenCommand === undefined) profile.token = await readToken(flags);
    return tokenOf(name, profile);
  };
  const found = await withToken(profile.hub, name, flags, token, profile.ca_file);
  const client = new HubClient(async () => found, VERSION, flags.timeout);
  const session = await client.request('GET', '/api/v1/session');
  if (!Array.isArray(session.scopes))
    throw new CommandFailed(
      EXIT.unsupported,
      `What answers at ${profile.hub} is not a Switchboard hub.`,
      'Check the address.',
      'hub_unsupported',
    );
  changeProfiles((all) => {
    all.profiles[name] = profile;
    all.current = name;
  });
  const { scopes, expires_at: expires } = session;
  if (flags.json)
    return writeJson({ profile: name, hub: profile.hub, name: session.name, scopes, expires_at: expires });
  const who = session.name === null ? 'the admin token' : `the token "${session.name}"`;
  const until = expires === null ? 'does not expire' : `expires at ${expires}`;
  await writeLine(
    oneLine(`Logged in to ${profile.hub} with ${who}: ${scopes.join(', ')}; it ${until}. Profile: ${name}.`),
  );
  const other = ['SWITCHBOARD_HUB', 'SWITCHBOARD_PROFILE'].find((one) => process.env[one]);
  if (other !== undefined) note(`${other} is set, and counts before this profile.`);
}

async function readToken({ tokenStdin }: LoginFlags): Promise<string> {
  return tokenStdin
    ? (await readAll(process.stdin)).trim()
    : ask('Token (it is not shown): ', REMEDY, 'hidden');
}
