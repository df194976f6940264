import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ListedOutage, Outage } from '../../contract/outage';
import { isoOrNull, toIso } from '../ground/iso-time';
import { parseRepair } from './repair-row';

/** So many are searched for those of an outage. */
const MAX_APPLIED = 100;

/** How outages were repaired. */
@Injectable()
export class AppliedRepairsQuery {
  constructor(private readonly source: DataSource) {}

  /** Adds the repairs that were applied to each outage, newest first. */
  async addTo(outages: readonly Outage[]): Promise<ListedOutage[]> {
    const rows = await this.source.query<Record<string, unknown>[]>(
      'SELECT * FROM repairs WHERE actions IS NOT NULL ORDER BY number DESC LIMIT ?',
      [MAX_APPLIED],
    );
    const applied = rows.map(parseRepair);
    return outages.map((outage) => ({
      ...outage,
      repairs: applied
        .filter(({ outage_ids: ids }) => ids.includes(outage.id))
        .map(({ id, state, created_at: createdAt, ended_at: endedAt, progress }) => ({
          id,
          state,
          created_at: toIso(createdAt),
          ended_at: isoOrNull(endedAt),
          events: progress.applied!.events,
        })),
    }));
  }
}
