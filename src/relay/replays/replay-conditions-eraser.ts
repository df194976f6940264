import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ReplayFilter } from '../../contract/replay';
import { Journal } from '../database/journal/journal';
import { update } from '../database/journal/statements';
import { bodyConditions, judgeBodies } from '../filters/body-conditions';
import { ReplayWorker } from './replay.worker';

/** In place of what a condition named. */
const ERASED = '(erased)';

/** Erases conditions of replays that name an entity, or a text of erased events. */
@Injectable()
export class ReplayConditionsEraser {
  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly worker: ReplayWorker,
  ) {}

  /** What has not ended is cancelled: with another condition, it would send other events. */
  async erase(entity: string | null, bodies: readonly Uint8Array[]): Promise<void> {
    const rows = await this.source.query<{ id: string; filter: string }[]>(
      `SELECT id, filter FROM replays WHERE filter LIKE '%"entity":%' OR filter LIKE '%"q":%'`,
    );
    for (const { id, filter: text } of rows) {
      const filter = JSON.parse(text) as ReplayFilter;
      const namesEntity = entity !== null && filter.entity === entity;
      const conditions = bodyConditions({ q: filter.q });
      const namesText =
        conditions !== null && bodies.some((body) => judgeBodies([conditions])(body)?.[0] === true);
      if (!namesEntity && !namesText) continue;
      await this.worker.transition(id, ['running', 'paused'], 'cancelling');
      const erased = { ...filter, ...(namesEntity && { entity: ERASED }), ...(namesText && { q: ERASED }) };
      await this.journal.change({ statements: [update('replays', id, { filter: JSON.stringify(erased) })] });
    }
  }
}
