import { VERSION } from '../relay/ground/version';
import type { HubFlags } from './definitions/hub-flags';
import { localHub } from './local-hub';
import { findHub } from './remote/find-hub';
import { HubClient } from './remote/hub-client';

/** The hub that flags, environment and profiles name; nothing is sent before the first request. */
export function openHub(flags: HubFlags): HubClient {
  if (flags.color === false) {
    process.env['NO_COLOR'] = '1';
    delete process.env['FORCE_COLOR'];
  }
  return new HubClient(
    () => findHub(flags, process.env, () => localHub(flags.dataDir)),
    VERSION,
    flags.timeout,
  );
}

/** The daemon on this machine, unless flags name another hub. */
export const openHubHere = (flags: HubFlags): HubClient =>
  flags.hub === undefined && flags.profile === undefined
    ? new HubClient(() => localHub(flags.dataDir).open(), VERSION)
    : openHub(flags);
