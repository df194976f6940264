import type { EventSummary } from '../../src/contract/event';
import type { Page } from '../../src/contract/page';
import type { PayloadTypes } from '../../src/contract/payload-type';
import type { Hub } from './hubs';

export interface ScreenAddress {
  name: string;
  path: string;
}

/** What a hub has to show, each null if there is none. */
interface Shown {
  deal: EventSummary | null;
  target: string | null;
  replay: string | null;
  payloadType: string | null;
  isDemo: boolean;
}

const SCREENS = {
  overview: () => '/',
  live: () => '/live',
  events: () => '/events',
  event: ({ deal }) => deal && `/events/${deal.id}`,
  entities: () => '/entities',
  entity: ({ deal }) => deal && `/entities/${deal.entity}`,
  targets: () => '/targets',
  'new-target': () => '/targets/new',
  'test-event': () => '/targets/test',
  target: ({ target }) => target && `/targets/${target}`,
  transformation: ({ target }) => target && `/targets/${target}/transformation`,
  failures: () => '/failures',
  replays: () => '/replays',
  'new-replay': () => '/replays/new',
  replay: ({ replay }) => replay && `/replays/${replay}`,
  contract: () => '/contract',
  'payload-type': ({ payloadType }) => payloadType && `/contract/${payloadType}`,
  connection: () => '/connection',
  settings: () => '/settings',
  sandbox: ({ isDemo }) => (isDemo ? '/sandbox' : null),
  'not-found': () => '/nowhere',
} satisfies Record<string, (shown: Shown) => string | null>;

/** The names of all screens. */
export const SCREEN_NAMES = Object.keys(SCREENS);

/** The screens for which the hub has data, by URL. */
export async function everyScreen({ ask, isDemo }: Hub): Promise<ScreenAddress[]> {
  const first = async (list: string) => (await ask<Page<{ id: string }>>('GET', list)).data[0]?.id ?? null;
  const { data: deals } = await ask<Page<EventSummary>>('GET', '/events?type=deal.*&limit=1');
  const [payloadType] = (await ask<PayloadTypes>('GET', '/types')).data;
  const shown: Shown = {
    deal: deals[0] ?? null,
    target: await first('/targets'),
    replay: await first('/replays'),
    payloadType: payloadType?.type ?? null,
    isDemo,
  };
  return Object.entries(SCREENS).flatMap(([name, pathOf]) => {
    const path = pathOf(shown);
    return path === null ? [] : [{ name, path }];
  });
}
