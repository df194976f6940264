import {
  Injectable,
  Module,
  type DynamicModule,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { ProofController } from '../api/controllers/proof.controller';
import { FollowerHealthController } from '../api/controllers/follower-health.controller';
import { DeliveriesModule } from '../deliveries/deliveries.module';
import { DeliveryExpiryWorker } from '../deliveries/delivery-expiry.worker';
import { DispatchWorker, TICK_INTERVAL_MS } from '../deliveries/queue/dispatch.worker';
import { HealthModule } from '../diagnostics/health.module';
import { Daemons } from '../ground/daemons';
import { LeaderLink } from '../ground/leader-link';
import { GroundModule, type Ground } from '../ground.module';
import { AckMeter } from '../intake/ack-meter';
import { IntakeModule } from '../intake/intake.module';
import { NotStoredWorker } from '../intake/not-stored.worker';
import { QuarantineStore } from '../intake/quarantine.store';
import { GapBeforeStart } from '../outages/gap-before-start';
import { GapEventsModule } from '../outages/gap-events.module';

const INTERVAL_MS = 1_000;

/** PostgreSQL limits a notice to 8,000 bytes. */
const MAX_IN_FLIGHT = 150;

/** The recurring work of a daemon that does not lead: little of it, so there is no scheduler. */
@Injectable()
class FollowerWorker implements OnModuleInit, OnModuleDestroy {
  private readonly timers: NodeJS.Timeout[] = [];
  private hadInFlight = false;

  constructor(
    private readonly dispatcher: DispatchWorker,
    private readonly expiry: DeliveryExpiryWorker,
    private readonly daemons: Daemons,
    private readonly leaderLink: LeaderLink,
    private readonly quarantine: QuarantineStore,
    private readonly notStored: NotStoredWorker,
    private readonly meter: AckMeter,
  ) {}

  onModuleInit(): void {
    this.timers.push(
      setInterval(() => this.dispatcher.tick(), TICK_INTERVAL_MS),
      setInterval(() => {
        void this.quarantine.write();
        void this.expiry.tick();
        this.notStored.report();
        this.meter.report();
        this.reportInFlight();
      }, INTERVAL_MS),
    );
  }

  async onModuleDestroy(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    this.meter.report();
    await this.quarantine.write();
  }

  private reportInFlight(): void {
    const { dispatcher, daemons, leaderLink } = this;
    const hasInFlight = dispatcher.ownKeysInFlight().length > 0;
    // As they are when it is sent: the leader must not learn of an attempt after its result.
    const message = () => ({
      kind: 'in_flight' as const,
      daemon: daemons.id,
      keys: dispatcher.ownKeysInFlight().slice(0, MAX_IN_FLIGHT),
    });
    if (hasInFlight || this.hadInFlight) leaderLink.send(message, 'in flight');
    this.hadInFlight = hasInFlight;
  }
}

/** What a daemon runs that does not lead: it receives notifications and delivers; the leader does everything else. */
@Module({})
export class FollowerModule {
  static with(ground: Ground): DynamicModule {
    return {
      module: FollowerModule,
      imports: [GroundModule.with(ground), HealthModule, GapEventsModule, IntakeModule, DeliveriesModule],
      controllers: [ProofController, FollowerHealthController],
      providers: [FollowerWorker, GapBeforeStart],
    };
  }
}
