import type { HubClient } from './hub-client';
import { readProfiles } from './profiles';

const ALL = { query: { limit: 200 } };

const targets = async (hub: HubClient) =>
  (await hub.request('GET', '/api/v1/targets', ALL)).data.map(({ name }) => name);

/** What completes an argument or a flag of this name. */
export const NAMES: Readonly<Record<string, (hub: HubClient) => Promise<string[]>>> = {
  target: targets,
  to: targets,
  deliveredTo: targets,
  missedBy: targets,
  replay: async (hub) => (await hub.request('GET', '/api/v1/replays')).data.map(({ id }) => id),
  consumer: async (hub) => (await hub.request('GET', '/api/v1/consumers')).data.map(({ name }) => name),
  entity: async (hub) => (await hub.request('GET', '/api/v1/entities', ALL)).data.map(({ entity }) => entity),
  repair: async (hub) => (await hub.request('GET', '/api/v1/repairs')).data.map(({ id }) => id),
  type: async (hub) => [
    ...new Set((await hub.request('GET', '/api/v1/events', ALL)).data.map(({ type }) => type)),
  ],
  profile: async () => Object.keys(readProfiles().profiles),
};
