import { Injectable } from '@nestjs/common';
import { Journal } from '../database/journal/journal';
import type { Statement } from '../database/journal/statements';
import { inJsonList } from '../database/reading/dialect';
import { BODIES_OF, Reader } from '../database/reading/reader';
import { judgeBodies } from '../filters/body-conditions';

const ROWS_PER_STEP = 200;

interface Item {
  repair: number;
  entity: string;
  record: Uint8Array;
}

const FLOOR = `SELECT entity FROM entity_floor WHERE entity > ? ORDER BY entity LIMIT ${ROWS_PER_STEP}`;
const ITEMS = `SELECT repair, entity, record FROM repair_items
  WHERE repair > ? OR repair = ? AND entity > ? ORDER BY repair, entity LIMIT ${ROWS_PER_STEP}`;

/** Erases records of other entities that mention an erased one, and that no event has any more, or not yet. */
@Injectable()
export class MentioningRecords {
  constructor(
    private readonly reader: Reader,
    private readonly journal: Journal,
  ) {}

  /** @param mentions the filter that their payload meets, as JSON */
  async erase(mentions: string): Promise<void> {
    const conditions = [`{"payload":${mentions}}`];
    await this.eraseFloor(conditions);
    await this.eraseItems(conditions);
  }

  /** What retention has left. */
  private async eraseFloor(conditions: readonly string[]): Promise<void> {
    for (let last = ''; ;) {
      const rows = await this.reader.all<{ entity: string }>([FLOOR, [last]]);
      if (rows.length === 0) return;
      const entities = rows.map(({ entity }) => entity);
      const found = await this.reader.matchBodies(entities, conditions, undefined, BODIES_OF.floor);
      const mentioning = found.filter(({ verdicts }) => verdicts[0] === true).map(({ key }) => key);
      await this.journal.change({
        statements: [
          [`DELETE FROM entity_floor WHERE entity ${inJsonList('?', 'texts')}`, [JSON.stringify(mentioning)]],
        ],
      });
      last = entities.at(-1)!;
    }
  }

  /** What repairs have read. */
  private async eraseItems(conditions: readonly string[]): Promise<void> {
    const judge = judgeBodies(conditions);
    for (let last = { repair: 0, entity: '' }; ;) {
      const { repair, entity } = last;
      const rows = await this.reader.all<Item>([ITEMS, [repair, repair, entity]]);
      if (rows.length === 0) return;
      const mentioning = rows.filter(
        ({ record }) => judge(Buffer.from(`{"data":${Buffer.from(record).toString()}}`))?.[0] === true,
      );
      const statements = mentioning.map((item): Statement => [
        'DELETE FROM repair_items WHERE repair = ? AND entity = ?',
        [item.repair, item.entity],
      ]);
      await this.journal.change({ statements });
      last = rows.at(-1)!;
    }
  }
}
