import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { LeaderLink } from '../ground/leader-link';
import { Sealer } from '../secrets/sealer';
import type { TargetRecord } from './target-record';
import { recordOf } from './target-row';
import type { TargetEntity } from './target.entity';

/** A change of a target; a target that was added or removed is the same before. */
export type TargetChange = [target: TargetRecord, before: TargetRecord];

/**
 * Applies what the leader stores to the targets in memory, and asks it to disable those that have responded with 410
 * to this daemon.
 */
@Injectable()
export class TargetFollower {
  private rows = new Map<number, TargetEntity>();
  /** By id, until the leader has stored it, or an operator has changed the target since. */
  private readonly disabling = new Map<string, TargetRecord>();

  constructor(
    private readonly sealer: Sealer,
    private readonly leaderLink: LeaderLink,
  ) {}

  /** @param before the records of the last call */
  apply(
    stored: readonly TargetEntity[],
    before: readonly TargetRecord[],
  ): { records: TargetRecord[]; changes: TargetChange[] } {
    const { rows } = this;
    this.rows = new Map(stored.map((row) => [row.number, row]));
    const changes: TargetChange[] = [];
    const records = stored.map((row) => {
      const known = before.find(({ number }) => number === row.number);
      if (known !== undefined && isDeepStrictEqual(row, rows.get(row.number))) return known;
      this.disabling.delete(row.id);
      const record = recordOf(row, this.sealer);
      changes.push([record, known ?? record]);
      return record;
    });
    for (const record of before) if (!this.rows.has(record.number)) changes.push([record, record]);
    for (const id of this.disabling.keys())
      if (!records.some((one) => one.id === id)) this.disabling.delete(id);
    for (const disabled of this.disabling.values()) this.askLeader(disabled);
    return { records, changes };
  }

  /** @param target disabled in memory already: nothing more may be sent to it */
  disable(target: TargetRecord): void {
    this.disabling.set(target.id, target);
    this.askLeader(target);
  }

  askToPause(target: string, updatedAt: number, reason: string): void {
    this.leaderLink.send({ kind: 'transform_failed', target, updatedAt, reason }, `transform of ${target}`);
  }

  private askLeader({ id, updatedAt, disabled }: TargetRecord): void {
    const reason = disabled?.reason ?? '';
    this.leaderLink.send({ kind: 'gone', target: id, updatedAt, reason }, `gone ${id}`);
  }
}
