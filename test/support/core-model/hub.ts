import type { Journal } from '../../../src/relay/database/journal/journal';
import type { Reader } from '../../../src/relay/database/reading/reader';
import type { DataSource } from 'typeorm';
import { DeliveryExpiryWorker } from '../../../src/relay/deliveries/delivery-expiry.worker';
import { ListenerLinks } from '../../../src/relay/deliveries/listeners/listener-links';
import { Backlog } from '../../../src/relay/deliveries/queue/backlog';
import { DispatchWorker } from '../../../src/relay/deliveries/queue/dispatch.worker';
import { InFlightOfOthers } from '../../../src/relay/deliveries/queue/in-flight-of-others';
import { BreakerStore } from '../../../src/relay/deliveries/sending/breaker.store';
import type { TargetOwnership } from '../../../src/relay/deliveries/target-ownership';
import { TargetStates } from '../../../src/relay/deliveries/target-states';
import { EntityStatesQuery } from '../../../src/relay/events/entities/entity-states.query';
import { EntityFloor } from '../../../src/relay/events/retention/entity-floor.service';
import { PrunableEventsQuery } from '../../../src/relay/events/retention/prunable-events.query';
import { RetentionWorker } from '../../../src/relay/events/retention/retention.worker';
import type { Clock } from '../../../src/relay/ground/clock';
import { LeaderLink } from '../../../src/relay/ground/leader-link';
import type { Leadership } from '../../../src/relay/ground/leadership';
import type { Log } from '../../../src/relay/ground/log';
import type { Random } from '../../../src/relay/ground/random';
import type { TimeBounds } from '../../../src/relay/ground/time-bounds';
import { Tracer } from '../../../src/relay/ground/tracer';
import { PausedTargets } from '../../../src/relay/replays/paused-targets';
import { PreviewReplayQuery } from '../../../src/relay/replays/preview-replay.query';
import { RemovedEventCounter } from '../../../src/relay/replays/removed-event-counter';
import { ReplayCompletion } from '../../../src/relay/replays/replay-completion';
import { ReplayScheduler } from '../../../src/relay/replays/replay-scheduler';
import { ReplayWorker } from '../../../src/relay/replays/replay.worker';
import { ReplaysService } from '../../../src/relay/replays/replays.service';
import { RouterWorker } from '../../../src/relay/router/router.worker';
import { Sealer } from '../../../src/relay/secrets/sealer';
import { TargetFollower } from '../../../src/relay/targets/target-follower';
import { TargetsService } from '../../../src/relay/targets/targets.service';
import type { Receiver } from './receiver';

export const RETENTION_DAYS = 2;
export const DEAD_LETTER_DAYS = 5;

const SETTINGS = {
  targets: [],
  retentionDays: RETENTION_DAYS,
  deadLetterDays: DEAD_LETTER_DAYS,
  entityDays: 0,
  retentionBytes: 0,
  postgresUrl: null,
};

/** Any address may be used; nothing is resolved. */
const GUARD = {
  routeTo: () => ({}),
  literalCheckFor: () => () => null,
  assertAllowed: async () => undefined,
};

export interface HubParts {
  journal: Journal;
  reader: Reader;
  source: DataSource;
  clock: Clock;
  bounds: TimeBounds;
  random: Random;
  log: Log;
  receiver: Receiver;
  leadership: Leadership;
  ownership: TargetOwnership;
}

/** The core of one daemon, composed as its modules do. Its timers of Nest run when `tick` is called. */
export class Hub {
  readonly targets: TargetsService;
  readonly dispatcher: DispatchWorker;
  readonly backlog: Backlog;
  readonly breakers: BreakerStore;
  readonly replays: ReplaysService;
  readonly retention: RetentionWorker;
  readonly states: EntityStatesQuery;
  readonly journal: Journal;
  private readonly router: RouterWorker;
  private readonly expiry: DeliveryExpiryWorker;
  private readonly replayWorker: ReplayWorker;
  private readonly removedEvents: RemovedEventCounter;

  constructor(parts: HubParts) {
    const { journal, reader, source, clock, bounds, random, log, leadership, ownership, receiver } = parts;
    this.journal = journal;
    const leaderLink = new LeaderLink();
    const links = new ListenerLinks();
    const sealer = new Sealer(Buffer.alloc(32, 7), random);
    const follower = new TargetFollower(sealer, leaderLink);
    this.targets = new TargetsService(
      ...provide(
        TargetsService,
        SETTINGS,
        source,
        journal,
        sealer,
        GUARD,
        clock,
        random,
        leadership,
        follower,
        {},
        log,
      ),
    );
    const states = new TargetStates(this.targets, journal);
    this.breakers = new BreakerStore(source, journal, clock, bounds, states, this.targets, ownership, log);
    this.dispatcher = new DispatchWorker(
      ...provide(
        DispatchWorker,
        this.targets,
        leadership,
        ownership,
        new InFlightOfOthers(journal, leaderLink, clock),
        journal,
        GUARD,
        receiver,
        links,
        this.breakers,
        clock,
        bounds,
        random,
        new Tracer(),
        {},
        {},
        log,
      ),
    );
    this.backlog = new Backlog(source, reader, this.targets, journal, leadership, bounds, log);
    this.expiry = new DeliveryExpiryWorker(
      ...([
        this.targets,
        this.dispatcher,
        reader,
        journal,
        clock,
        bounds,
        leadership,
        ownership,
        log,
      ] as const),
    );
    const events = new PrunableEventsQuery(reader, clock);
    this.states = new EntityStatesQuery(reader);
    const floor = new EntityFloor(reader, journal, this.states);
    this.router = new RouterWorker(reader, journal, this.targets, this.backlog, leadership, log);
    const noDisk = { read: async () => null };
    const noAlerts = { raise: () => undefined, resolve: () => undefined };
    this.retention = new RetentionWorker(
      ...provide(RetentionWorker, SETTINGS, journal, events, floor, noDisk, noAlerts, clock, bounds, log),
    );
    this.removedEvents = new RemovedEventCounter(source, this.retention);
    const preview = new PreviewReplayQuery(reader, this.targets);
    const paused = new PausedTargets(
      ...provide(PausedTargets, this.targets, this.breakers, links, {}, reader),
    );
    const scheduler = new ReplayScheduler(journal, clock);
    const completion = new ReplayCompletion(source, reader, journal, clock, log);
    this.replayWorker = new ReplayWorker(
      ...([
        source,
        reader,
        journal,
        this.targets,
        paused,
        preview,
        scheduler,
        completion,
        clock,
        log,
      ] as const),
    );
    this.replays = new ReplaysService(
      ...([source, reader, journal, preview, this.replayWorker, paused, clock, random, log] as const),
    );
  }

  async start(): Promise<void> {
    await this.targets.onModuleInit();
    await this.breakers.onModuleInit();
    await this.backlog.onModuleInit();
    await this.replayWorker.onModuleInit();
    this.removedEvents.onModuleInit();
    this.dispatcher.onListening();
    this.router.onListening();
  }

  async close(): Promise<void> {
    await this.router.onModuleDestroy();
    await this.journal.close();
  }

  /** What recurs within a second. */
  tick(): void {
    this.dispatcher.tick();
    void this.expiry.tick();
    void this.replayWorker.tick();
  }
}

type Constructor = new (...given: never[]) => unknown;

/** The arguments of a constructor, of which some are stand-ins. */
const provide = <Provider extends Constructor>(_provider: Provider, ...given: unknown[]) =>
  given as ConstructorParameters<Provider>;
