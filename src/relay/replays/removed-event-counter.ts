import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { jsonListAs, REMOVED_EVENTS } from '../database/reading/dialect';
import type { Statement } from '../database/journal/statements';
import { RetentionWorker } from '../events/retention/retention.worker';
import { eventsInReplay, type Condition } from './replay-conditions';
import { UNTIL_SEQ_PENDING, parseReplay, SELECT_REPLAY } from './replay-row';

/** Counts the events that are removed or erased before a replay has reached them. */
@Injectable()
export class RemovedEventCounter implements OnModuleInit {
  constructor(
    private readonly source: DataSource,
    private readonly retention: RetentionWorker,
  ) {}

  onModuleInit(): void {
    this.retention.onRemoval(() =>
      this.statements({ sql: `${REMOVED_EVENTS} r JOIN events e ON e.seq = r.seq`, parameters: [] }),
    );
  }

  /** To be run before these events are erased. */
  statementsFor(seqs: readonly number[]): Promise<Statement[]> {
    const sql = `${jsonListAs('r', 'numbers')} JOIN events e ON e.seq = r.value`;
    return this.statements({ sql, parameters: [JSON.stringify(seqs)] });
  }

  private async statements(removed: Condition): Promise<Statement[]> {
    const rows = await this.source.query<unknown[]>(
      `${SELECT_REPLAY} WHERE r.ended_at IS NULL AND (r.position < r.until_seq OR r.until_seq = ${UNTIL_SEQ_PENDING})`,
    );
    return rows.map((row): Statement => {
      const { id, filter, target_ids: targetIds, position, until_seq: until } = parseReplay(row);
      const through = until === UNTIL_SEQ_PENDING ? Number.MAX_SAFE_INTEGER : until;
      const to = targetIds === null ? 'enabled' : 'named';
      const events = eventsInReplay(filter, to, { after: position, through }, id);
      return [
        `UPDATE replays SET removed = removed + (
           SELECT count(*) FROM ${removed.sql} WHERE e.seq > replays.position AND ${events.sql})
         WHERE id = ?`,
        [...removed.parameters, ...events.parameters, id],
      ];
    });
  }
}
