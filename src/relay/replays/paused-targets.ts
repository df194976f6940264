import { Injectable } from '@nestjs/common';
import type { ReplaySummary } from '../../contract/replay';
import { jsonListAs } from '../database/reading/dialect';
import { Reader } from '../database/reading/reader';
import { ListenerLinks } from '../deliveries/listeners/listener-links';
import { ListenerStatesStore } from '../deliveries/listeners/listener-states.store';
import { BreakerStore } from '../deliveries/sending/breaker.store';
import type { TargetRecord } from '../targets/target-record';
import { TargetsService } from '../targets/targets.service';
import { toIso } from '../ground/iso-time';

type WaitingFor = ReplaySummary['waiting_for'];

/** Targets that nothing is sent to at the moment: paused and offline ones, and those with an open circuit breaker. */
@Injectable()
export class PausedTargets {
  constructor(
    private readonly targets: TargetsService,
    private readonly breakers: BreakerStore,
    private readonly listeners: ListenerLinks,
    private readonly states: ListenerStatesStore,
    private readonly reader: Reader,
  ) {}

  includes(target: TargetRecord): boolean {
    const { number, paused } = target;
    return paused !== null || this.listeners.isOffline(target) || this.breakers.of(number).open !== null;
  }

  /** The paused targets for which replays have queued deliveries, by replay id. */
  async waitedFor(replayIds: readonly string[]): Promise<ReadonlyMap<string, WaitingFor>> {
    const paused = this.targets.all().filter((target) => this.includes(target));
    if (replayIds.length === 0 || paused.length === 0) return new Map();
    const rows = await this.reader.all<{ id: string; number: number }>([
      `SELECT r.value AS id, t.value AS number FROM ${jsonListAs('r', 'texts')}, ${jsonListAs('t', 'numbers')} WHERE EXISTS (
         SELECT 1 FROM deliveries
         WHERE replay_id = r.value AND state IN ('waiting', 'pending', 'retrying') AND target_id = t.value)`,
      [JSON.stringify(replayIds), JSON.stringify(paused.map(({ number }) => number))],
    ]);
    return new Map(
      replayIds.map((id) => {
        const numbers = new Set(rows.filter((row) => row.id === id).map(({ number }) => number));
        const targets = paused.filter(({ number }) => numbers.has(number));
        return [id, targets.flatMap((target) => this.describe(target) ?? [])];
      }),
    );
  }

  private describe(record: TargetRecord): WaitingFor[number] | null {
    const { id, number, name, paused } = record;
    const target = { target_id: id, name };
    if (paused !== null) return { ...target, why: 'paused', since: toIso(paused.at), reason: paused.reason };
    if (this.listeners.isOffline(record))
      return {
        ...target,
        why: 'offline',
        since: toIso(this.states.since(number) ?? record.createdAt),
        reason:
          this.states.of(number)?.lostAt === null
            ? 'Its receiver refuses connections.'
            : 'No process takes its events.',
      };
    const { open } = this.breakers.of(number);
    if (open === null) return null;
    return { ...target, why: 'breaker_open', since: toIso(open.openedAt), reason: open.reason };
  }
}
