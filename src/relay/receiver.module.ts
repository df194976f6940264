import {
  Controller,
  Get,
  Injectable,
  Module,
  type DynamicModule,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { Open } from './access/access.decorator';
import { ProofController } from './api/proof.controller';
import { HealthModule } from './diagnostics/health.module';
import { HealthService } from './diagnostics/health.service';
import { RelayError } from './ground/relay-error';
import { GroundModule, type Ground } from './ground.module';
import { AckMeter } from './intake/ack-meter';
import { IntakeModule } from './intake/intake.module';
import { NotStoredWorker } from './intake/not-stored.worker';
import { QuarantineStore } from './intake/quarantine.store';

const INTERVAL_MS = 1_000;

/** As `HealthController` answers to everyone; the leader answers operators. */
@Controller()
class ReceiverHealthController {
  constructor(private readonly checks: HealthService) {}

  @Open()
  @Get('healthz')
  getLiveness(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** @throws RelayError `not_ready`, 503 */
  @Open()
  @Get('readyz')
  async getReadiness(): Promise<{ status: 'ok' }> {
    const results = await this.checks.run();
    if (results.every(({ ok }) => ok)) return { status: 'ok' };
    throw new RelayError('not_ready', 503, 'Switchboard is not ready: a health check failed.');
  }
}

/** The recurring work of what receives: nothing else runs, so there is no scheduler. */
@Injectable()
class ReceiverWorker implements OnModuleInit, OnModuleDestroy {
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly quarantine: QuarantineStore,
    private readonly notStored: NotStoredWorker,
    private readonly meter: AckMeter,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => {
      void this.quarantine.write();
      this.notStored.report();
      this.meter.report();
    }, INTERVAL_MS);
  }

  async onModuleDestroy(): Promise<void> {
    if (this.timer !== null) clearInterval(this.timer);
    this.meter.report();
    await this.quarantine.write();
  }
}

/** What a daemon runs that does not lead: it receives notifications, and leaves everything else to the leader. */
@Module({})
export class ReceiverModule {
  static with(ground: Ground): DynamicModule {
    return {
      module: ReceiverModule,
      imports: [GroundModule.with(ground), HealthModule, IntakeModule],
      controllers: [ProofController, ReceiverHealthController],
      providers: [ReceiverWorker],
    };
  }
}
