import { CommandFailed } from '../command-failed';
import type { HubFlags } from '../definitions/hub-flags';
import { EXIT } from '../exit-codes';
import { readText } from './files';
import type { Hub, LocalHub } from './hub';
import { readProfiles, tokenOf, type Profile } from './profiles';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Which hub, with which token: the first of these that is given. Flags; `SWITCHBOARD_HUB`; `SWITCHBOARD_PROFILE`; the
 * folder of a daemon on this machine; the profile in use; the daemon on `./data`. The variables count in the environment
 * only: a `.env` in a folder must not send a token elsewhere.
 * @throws CommandFailed if there is no such hub or no token for it
 */
export async function findHub(flags: HubFlags, env: Environment, local: () => LocalHub): Promise<Hub> {
  const fromEnv = env['SWITCHBOARD_HUB']?.trim();
  const profile = env['SWITCHBOARD_PROFILE']?.trim();
  if (flags.hub !== undefined) return at(flags.hub, '--hub', flags, env);
  if (flags.profile !== undefined) return ofProfile(flags.profile, flags);
  if (fromEnv) return at(fromEnv, 'SWITCHBOARD_HUB', flags, env);
  if (profile) return ofProfile(profile, flags);
  const here = local();
  if (here.isNamed) return here.open();
  const { current } = readProfiles();
  return current === null ? here.open() : ofProfile(current, flags);
}

async function ofProfile(name: string, flags: HubFlags): Promise<Hub> {
  const { profiles } = readProfiles();
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile !== undefined)
    return withToken(profile.hub, name, flags, () => tokenOf(name, profile), profile.ca_file);
  throw new CommandFailed(
    EXIT.config,
    `There is no profile "${name}".`,
    'List them with "switchboard profiles", or make it with "switchboard login".',
    'profile_unknown',
  );
}

/** A token belongs to the origin that it was stored for, and is sent to no other. */
async function at(url: string, source: string, flags: HubFlags, env: Environment): Promise<Hub> {
  const { origin } = new URL(urlOf(url, source));
  const fromEnv = env['SWITCHBOARD_HUB']?.trim();
  if (flags.profile === undefined && (!fromEnv || originOf(fromEnv) === origin)) {
    const token = env['SWITCHBOARD_TOKEN']?.trim() || readToken(env['SWITCHBOARD_TOKEN_FILE']?.trim());
    if (token) return withToken(url, source, flags, async () => token, null);
  }
  const { current, profiles } = readProfiles();
  const names = flags.profile === undefined ? [current ?? '', ...Object.keys(profiles)] : [flags.profile];
  const name = names.find((one) => Object.hasOwn(profiles, one) && originOf(profiles[one]!.hub) === origin);
  if (name === undefined)
    throw new CommandFailed(
      EXIT.noAccess,
      `There is no token for ${origin}${flags.profile === undefined ? '' : `: that of the profile "${flags.profile}" belongs to another hub`}.`,
      `Log in with "switchboard login --hub ${origin}", or set SWITCHBOARD_HUB and SWITCHBOARD_TOKEN.`,
      'no_token',
    );
  const profile: Profile = profiles[name]!;
  return withToken(url, name, flags, () => tokenOf(name, profile), profile.ca_file);
}

const readToken = (file: string | undefined): string =>
  file ? readText(file, 'Correct SWITCHBOARD_TOKEN_FILE.').trim() : '';

/**
 * Checked here, so that nothing can be sent to another address than the one that was judged.
 * @param findToken called only for an address that the token may be sent to
 */
export async function withToken(
  url: string,
  source: string,
  { allowHttp }: HubFlags,
  findToken: () => Promise<string>,
  caFile: string | null,
): Promise<Hub> {
  const checked = urlOf(url, source);
  const { protocol, hostname, origin } = new URL(checked);
  if (protocol === 'http:' && !isLoopback(hostname)) {
    if (allowHttp !== true)
      throw new CommandFailed(
        EXIT.config,
        `${origin} is on another machine, and without https others could read the token.`,
        'Use its https address, or --allow-http in a private network.',
        'https_required',
      );
    process.stderr.write(`Warning: the token and all data are sent to ${origin} without encryption.\n`);
  }
  const token = await findToken();
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new CommandFailed(
      EXIT.noAccess,
      `There is no valid token (${source}): it is empty, or has characters that no token has.`,
      'Log in again with "switchboard login".',
      'no_token',
    );
  return { url: checked, source, token, caFile, isLocal: false };
}

function urlOf(text: string, source: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && `${url.username}${url.search}${url.hash}` === '')
    return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  throw new CommandFailed(
    EXIT.config,
    `The address of the hub (${source}) is not a URL such as https://hub.example.com.`,
    'Correct it.',
    'hub_invalid',
  );
}

const originOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).origin : null);

const isLoopback = (hostname: string): boolean =>
  /^(127\.\d+\.\d+\.\d+|\[::1\]|(.+\.)?localhost)$/.test(hostname);
