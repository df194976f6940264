import type { HubClient } from '../remote/hub-client';
import type { HubFlags } from './hub-flags';

/** An action that is imported on use, so that a command loads only what it needs. */
export const onUse =
  (load: () => Promise<(...words: never[]) => unknown>) =>
  async (...words: unknown[]): Promise<void> => {
    await (
      await load()
    )(...(words as never[]));
  };

/** What a command does with a hub, which it is passed before the arguments and the flags. */
type LoadVerb = () => Promise<(hub: HubClient, ...words: never[]) => Promise<void>>;

/**
 * An action that is imported on use, on the hub that the flags and the environment name.
 * @param changes says first which hub that is
 */
export const onHub =
  (load: LoadVerb, changes?: 'changes') =>
  async (...words: unknown[]): Promise<void> => {
    const flags = words.at(-2) as HubFlags;
    const [{ openHub }, verb] = await Promise.all([import('../open-hub.js'), load()]);
    const hub = openHub(flags);
    if (changes === 'changes' && flags.json !== true) await hub.announce();
    await verb(hub, ...(words as never[]));
  };

/** The same on the daemon on this machine, unless flags name another hub. */
export const onHubHere =
  (load: LoadVerb) =>
  async (...words: unknown[]): Promise<void> => {
    const [{ openHubHere }, verb] = await Promise.all([import('../open-hub.js'), load()]);
    await verb(openHubHere(words.at(-2) as HubFlags), ...(words as never[]));
  };
