import type { ListedEvent } from '../../contract/event';
import type { Page } from '../../contract/page';
import type { HubClient } from './hub-client';
import { readProfiles } from './profiles';

const list =
  <Item>(path: string, name: (item: Item) => string) =>
  async (hub: HubClient): Promise<string[]> => {
    const { data } = await hub.request<Page<Item>>('GET', path);
    return [...new Set(data.map(name))];
  };

const targets = list<{ name: string }>('/api/v1/targets?limit=200', ({ name }) => name);

/** What completes an argument or a flag of this name. */
export const NAMES: Readonly<Record<string, (hub: HubClient) => Promise<string[]>>> = {
  target: targets,
  to: targets,
  deliveredTo: targets,
  missedBy: targets,
  replay: list<{ id: string }>('/api/v1/replays', ({ id }) => id),
  consumer: list<{ name: string }>('/api/v1/consumers', ({ name }) => name),
  type: list<ListedEvent>('/api/v1/events?limit=200', ({ type }) => type),
  profile: async () => Object.keys(readProfiles().profiles),
};
