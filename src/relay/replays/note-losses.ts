import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Statement } from '../database/journal';
import { Retention } from '../events/retention/retention';
import { narrowEvents } from './narrow-events';
import { NOT_FROZEN, parseReplay, SELECT_REPLAY } from './replay-row';

/** Counts, while retention removes events, those that a replay has still to come to. */
@Injectable()
export class NoteLosses implements OnModuleInit {
  constructor(
    private readonly source: DataSource,
    private readonly retention: Retention,
  ) {}

  onModuleInit(): void {
    this.retention.onRemoval(() => this.statements());
  }

  private async statements(): Promise<Statement[]> {
    const rows = await this.source.query<unknown[]>(
      `${SELECT_REPLAY} WHERE r.ended_at IS NULL AND (r.position < r.until_seq OR r.until_seq = ${NOT_FROZEN})`,
    );
    return rows.map((row): Statement => {
      const { id, filter, target_ids: named, position, until_seq: until } = parseReplay(row);
      const through = until === NOT_FROZEN ? Number.MAX_SAFE_INTEGER : until;
      const events = narrowEvents(filter, named !== null, { after: position, through });
      return [
        `UPDATE replays SET gone = gone + (
           SELECT count(*) FROM temp.going g JOIN events e ON e.seq = g.seq WHERE e.seq > replays.position AND ${events.sql})
         WHERE id = ?`,
        [...events.parameters, id],
      ];
    });
  }
}
