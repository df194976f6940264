import { Global, Module, type DynamicModule } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from './ground/clock';
import { Daemons } from './ground/daemons';
import { LeaderLink } from './ground/leader-link';
import { Leadership } from './ground/leadership';
import { TargetOwnership } from './deliveries/target-ownership';
import { DiskSpace } from './database/disk-space';
import { Journal } from './database/journal/journal';
import { Reader } from './database/reading/reader';
import { Log } from './ground/log';
import { MachineFaults } from './ground/machine-faults';
import { HostAddresses } from './network/host-addresses';
import { ConnectionLimit } from './http/connection-limit';
import { KnownRoutes } from './http/known-routes';
import { IncomingBodies } from './http/incoming-bodies';
import { Random } from './ground/random';
import { ForwardedPeers } from './secrets/forwarded-peers';
import { Sealer } from './secrets/sealer';
import { ClientAddress } from './settings/client-address';
import { PublicAddress } from './settings/public-address';
import { Settings } from './settings/settings';
import { TimeBounds } from './ground/time-bounds';
import { Tracer } from './ground/tracer';

/** What an application is made of. */
export interface ApplicationParts {
  settings: Settings;
  publicAddress: PublicAddress;
  clock: Clock;
  random: Random;
  log: Log;
  hosts: HostAddresses;
  sealer: Sealer;
  leadership: Leadership;
  leaderLink: LeaderLink;
  ownership: TargetOwnership;
  daemons: Daemons;
  connections: ConnectionLimit;
}

/** The services that all features share, created before the modules. */
export interface Ground extends ApplicationParts {
  bounds: TimeBounds;
  journal: Journal;
  source: DataSource;
  reader: Reader;
  tracer: Tracer;
}

@Global()
@Module({})
export class GroundModule {
  static with(ground: Ground): DynamicModule {
    const peers = new ForwardedPeers(ground.sealer, ground.daemons, ground.log);
    const providers = [
      { provide: IncomingBodies, useValue: new IncomingBodies(ground.settings) },
      KnownRoutes,
      { provide: Settings, useValue: ground.settings },
      { provide: ForwardedPeers, useValue: peers },
      {
        provide: ClientAddress,
        useValue: new ClientAddress(ground.settings.trustedProxies, (socket) => peers.of(socket)),
      },
      { provide: PublicAddress, useValue: ground.publicAddress },
      { provide: Clock, useValue: ground.clock },
      { provide: TimeBounds, useValue: ground.bounds },
      { provide: Random, useValue: ground.random },
      { provide: Log, useValue: ground.log },
      { provide: HostAddresses, useValue: ground.hosts },
      { provide: Sealer, useValue: ground.sealer },
      { provide: Leadership, useValue: ground.leadership },
      { provide: LeaderLink, useValue: ground.leaderLink },
      { provide: TargetOwnership, useValue: ground.ownership },
      { provide: Daemons, useValue: ground.daemons },
      { provide: MachineFaults, useValue: new MachineFaults(ground.leaderLink) },
      { provide: ConnectionLimit, useValue: ground.connections },
      { provide: Journal, useValue: ground.journal },
      { provide: DataSource, useValue: ground.source },
      { provide: Reader, useValue: ground.reader },
      { provide: Tracer, useValue: ground.tracer },
      { provide: DiskSpace, useValue: new DiskSpace(ground.settings) },
    ];
    return { module: GroundModule, providers, exports: providers };
  }
}
