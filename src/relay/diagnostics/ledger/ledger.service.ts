import { Injectable } from '@nestjs/common';
import type { Ledger } from '../../../contract/ledger';
import { Clock } from '../../ground/clock';
import { Reader } from '../../database/reader';
import { Breakers } from '../../deliveries/sending/breakers';
import { Dispatcher } from '../../deliveries/queue/dispatcher';
import { TargetsService } from '../../targets/targets.service';
import { TimeBounds } from '../../ground/time-bounds';
import { checkLedger } from './check-ledger';
import { Findings } from './findings';
import type { Read } from './read';
import { findStuck } from './stuck-rule';

/** Checks consistency while the daemon runs, on the thread for slow reads. */
@Injectable()
export class LedgerService {
  private checking: Promise<Ledger> | null = null;

  constructor(
    private readonly reader: Reader,
    private readonly dispatcher: Dispatcher,
    private readonly breakers: Breakers,
    private readonly targets: TargetsService,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
  ) {}

  /** Concurrent callers share one check. */
  check(): Promise<Ledger> {
    this.checking ??= this.run().finally(() => (this.checking = null));
    return this.checking;
  }

  private async run(): Promise<Ledger> {
    const { dispatcher, breakers, clock, bounds } = this;
    const at = clock.now();
    const read: Read = (statement) => this.reader.all(statement);
    const findings = await Findings.create(read);
    const checked = await checkLedger(read, findings);
    const targets = this.targets.all();
    await findStuck({ read, dispatcher, breakers, targets, now: () => bounds.latest() }, findings);
    return findings.report(checked, at);
  }
}
