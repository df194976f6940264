import type { INestApplicationContext } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { pino } from 'pino';
import type { ReplayCreate, ReplayDetail } from '../../../src/contract/replay';
import type { DeliveryKey } from '../../../src/relay/ground/ids';
import type { TargetRecord } from '../../../src/relay/targets/target-record';
import { ENTITIES } from '../../../src/relay/relay.module';
import { NestFactory } from '@nestjs/core';
import { readSettings } from '../../../src/relay/settings/read-settings';
import { ReplayWorker } from '../../../src/relay/replays/replay.worker';
import { ReplaysModule } from '../../../src/relay/replays/replays.module';
import { ReplaysService } from '../../../src/relay/replays/replays.service';
import { RetentionWorker } from '../../../src/relay/events/retention/retention.worker';
import { TargetsService } from '../../../src/relay/targets/targets.service';
import { TimeBounds } from '../../../src/relay/ground/time-bounds';
import { groundModule, NO_COPILOT } from '../../support/daemon/test-ground';
import { draft, result, ScratchJournal } from '../../support/daemon/scratch-journal';

class Root {}

/** Replays on a journal, without scheduler and delivery: nothing happens except what a test does. */
export class ReplayHarness {
  private constructor(
    readonly scratch: ScratchJournal,
    private readonly source: DataSource,
    private readonly app: INestApplicationContext,
  ) {}

  /** Opens a journal with this many events, of which every third is about a deal. */
  static async open(events: number): Promise<ReplayHarness> {
    const scratch = await ScratchJournal.open();
    for (let n = 1; n <= events; n += 1)
      void scratch.journal.append(
        draft(n, { type: n % 3 === 0 ? 'deal.updated' : 'contact.updated' }),
        () => [],
      );
    await scratch.journal.change({});
    const source = await scratch.openSource(ENTITIES);
    const ground = groundModule({
      settings: readSettings({ ...NO_COPILOT, SWITCHBOARD_RETENTION_DAYS: '1' }),
      clock: scratch.clock,
      bounds: new TimeBounds(scratch.clock),
      log: pino({ level: 'silent' }),
      journal: scratch.journal,
      source,
      reader: scratch.reader,
    });
    const app = await NestFactory.createApplicationContext(
      { module: Root, imports: [ground, ReplaysModule] },
      { logger: false },
    );
    return new ReplayHarness(scratch, source, app);
  }

  get targets(): TargetsService {
    return this.app.get(TargetsService);
  }

  async addTarget(name: string): Promise<TargetRecord> {
    const { record } = await this.targets.create({
      name,
      url: 'http://127.0.0.1:9/',
      format: 'json',
      events: ['nothing'],
      filter: null,
      enabled: true,
      policy: {},
      headers: [],
      tls: null,
    });
    return record;
  }

  async start(targets: readonly TargetRecord[], overrides: Partial<ReplayCreate> = {}): Promise<string> {
    const target_ids = targets.map(({ id }) => id);
    const plan = { filter: {}, rate: 'as_fast_as_allowed' as const, ...overrides, target_ids };
    return (await this.app.get(ReplaysService).start(plan)).id;
  }

  get(id: string): Promise<ReplayDetail> {
    return this.app.get(ReplaysService).get(id);
  }

  async cancel(id: string): Promise<void> {
    await this.app.get(ReplaysService).cancel(id);
  }

  /** One run of the worker. */
  tick(): Promise<void> {
    return this.app.get(ReplayWorker).tick();
  }

  retention(): Promise<void> {
    return this.app.get(RetentionWorker).tick();
  }

  /** Queued deliveries of a replay, oldest first, optionally of one target. */
  open(id: string, target?: TargetRecord): DeliveryKey[] {
    return this.scratch.rows<DeliveryKey>(
      `SELECT event_seq AS seq, target_id AS target, n FROM deliveries
       WHERE replay_id = ? AND target_id = coalesce(?, target_id) AND due_at IS NOT NULL ORDER BY event_seq`,
      id,
      target?.number ?? null,
    );
  }

  /** Lets this many of them succeed. */
  async succeed(id: string, target?: TargetRecord, count = Infinity): Promise<void> {
    await Promise.all(
      this.open(id, target)
        .slice(0, count)
        .map((key) => this.scratch.journal.saveResult({ ...result(key.seq, key.target), key, replayId: id })),
    );
  }

  /** Lets everything queued succeed, step by step, until the replay has ended. */
  async runToEnd(id: string): Promise<ReplayDetail> {
    for (let turns = 0; turns < 50; turns += 1) {
      await this.tick();
      const found = await this.get(id);
      if (found.ended_at !== null) return found;
      await this.succeed(id);
    }
    throw new Error(`The replay does not end: ${JSON.stringify(await this.get(id))}`);
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.source.destroy();
    await this.scratch.remove();
  }
}
