import type { EventSummary } from '../../src/contract/event';
import type { Page } from '../../src/contract/page';
import type { PayloadTypes } from '../../src/contract/payload-type';
import type { Hub } from './hubs';

export interface ScreenAddress {
  name: string;
  path: string;
}

/** The screens for which the hub has data, by URL. */
export async function everyScreen({ ask, isDemo }: Hub): Promise<ScreenAddress[]> {
  const first = async (list: string) => (await ask<Page<{ id: string }>>('GET', list)).data[0]?.id;
  const { data: deals } = await ask<Page<EventSummary>>('GET', '/events?type=deal.*&limit=1');
  const target = await first('/targets');
  const replay = await first('/replays');
  const [payloadType] = (await ask<PayloadTypes>('GET', '/types')).data;
  const screens: [string, string | false][] = [
    ['overview', '/'],
    ['live', '/live'],
    ['events', '/events'],
    ['event', deals[0] !== undefined && `/events/${deals[0].id}`],
    ['entities', '/entities'],
    ['entity', deals[0] !== undefined && `/entities/${deals[0].entity}`],
    ['targets', '/targets'],
    ['new-target', '/targets/new'],
    ['test-event', '/targets/test'],
    ['target', target !== undefined && `/targets/${target}`],
    ['transformation', target !== undefined && `/targets/${target}/transformation`],
    ['failures', '/failures'],
    ['replays', '/replays'],
    ['new-replay', '/replays/new'],
    ['replay', replay !== undefined && `/replays/${replay}`],
    ['contract', '/contract'],
    ['payload-type', payloadType !== undefined && `/contract/${payloadType.type}`],
    ['connection', '/connection'],
    ['settings', '/settings'],
    ['sandbox', isDemo && '/sandbox'],
    ['not-found', '/nowhere'],
  ];
  return screens.flatMap(([name, path]) => (path === false ? [] : [{ name, path }]));
}
