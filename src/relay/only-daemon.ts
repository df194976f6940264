import type { ApplicationParts } from './ground.module';
import type { Clock } from './ground/clock';
import { newId } from './ground/ids';
import { LeaderLink } from './ground/leader-link';
import type { Random } from './ground/random';
import { VERSION } from './ground/version';

/** How far ahead a daemon without others says that its lease ends. */
const LEASE_MS = 10_000;

/** The parts of an application of a daemon that has its database to itself. */
export function onlyDaemon(
  clock: Clock,
  random: Random,
  address: () => string,
): Pick<ApplicationParts, 'leadership' | 'leaderLink' | 'daemons' | 'ownership'> {
  const id = newId('dmn', clock.now(), random);
  return {
    leadership: { leads: true, isShared: false, holdsLease: () => true },
    leaderLink: new LeaderLink(),
    daemons: {
      id,
      ownAddress: null,
      endpoints: [],
      list: async () => [
        {
          id,
          address: address(),
          version: VERSION,
          aliveUntil: clock.now() + LEASE_MS,
          isAlive: true,
          isLeader: true,
          targets: null,
        },
      ],
    },
    ownership: { delivers: () => true },
  };
}
