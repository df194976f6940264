import { Injectable } from '@nestjs/common';
import type { Ledger } from '../../../contract/ledger';
import { Clock } from '../../ground/clock';
import { Reader } from '../../database/reading/reader';
import { BreakerStore } from '../../deliveries/sending/breaker.store';
import { ListenerLinks } from '../../deliveries/listeners/listener-links';
import { DispatchWorker } from '../../deliveries/queue/dispatch.worker';
import { TargetsService } from '../../targets/targets.service';
import { TimeBounds } from '../../ground/time-bounds';
import { checkLedger } from './check-ledger';
import { Findings, type Read } from './findings';
import { findStuck } from './stuck-rule';
import { SharedRun } from '../../ground/shared-run';

/** Checks consistency while the daemon runs, on the thread for slow reads. */
@Injectable()
export class LedgerService {
  private readonly checks = new SharedRun(() => this.run());

  constructor(
    private readonly reader: Reader,
    private readonly dispatcher: DispatchWorker,
    private readonly breakers: BreakerStore,
    private readonly listeners: ListenerLinks,
    private readonly targets: TargetsService,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
  ) {}

  /** Concurrent callers share one check. */
  check(): Promise<Ledger> {
    return this.checks.run();
  }

  private async run(): Promise<Ledger> {
    const { dispatcher, breakers, listeners, clock, bounds } = this;
    const at = clock.now();
    const read: Read = (statement) => this.reader.all(statement);
    const findings = await Findings.create(read);
    const checked = await checkLedger(read, findings);
    const targets = this.targets.all();
    const now = () => bounds.latest();
    await findStuck({ read, dispatcher, breakers, listeners, targets, now }, findings);
    return findings.report(checked, at);
  }
}
