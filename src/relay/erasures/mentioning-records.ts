import { Injectable } from '@nestjs/common';
import type { ErasurePreviewQuery } from '../../contract/erasure';
import { Journal } from '../database/journal/journal';
import type { Statement } from '../database/journal/statements';
import { BODIES_OF, Reader, type RequestSignal } from '../database/reading/reader';
import { judgeBodies } from '../filters/body-conditions';

const ROWS_PER_STEP = 200;

interface Item {
  repair: number;
  entity: string;
  record: Uint8Array;
}

/** A state in the entity floor, or what a repair has read. */
interface Found {
  entity: string;
  erase: Statement;
}

const FLOOR = `SELECT entity FROM entity_floor WHERE entity > ? ORDER BY entity LIMIT ${ROWS_PER_STEP}`;
const ITEMS = `SELECT repair, entity, record FROM repair_items
  WHERE repair > ? OR repair = ? AND entity > ? ORDER BY repair, entity LIMIT ${ROWS_PER_STEP}`;

/** Finds and erases records of other entities that mention an erased one, and that no event has any more, or not yet. */
@Injectable()
export class MentioningRecords {
  constructor(
    private readonly reader: Reader,
    private readonly journal: Journal,
  ) {}

  /**
   * @param mentions the filter that their payload meets, as JSON
   * @param record told of which entities some are about to be erased
   */
  async erase(mentions: string, record: (entities: string[]) => void): Promise<void> {
    for await (const found of this.find(mentions)) {
      record(found.map(({ entity }) => entity));
      await this.journal.change({ statements: found.map(({ erase }) => erase) });
    }
  }

  /** How many there are, without those of the entity itself. */
  async count({ entity, mentions }: ErasurePreviewQuery, signal?: RequestSignal): Promise<number> {
    if (mentions === undefined) return 0;
    let count = 0;
    for await (const found of this.find(JSON.stringify(mentions), signal))
      count += found.filter((one) => one.entity !== entity).length;
    return count;
  }

  private async *find(mentions: string, signal?: RequestSignal): AsyncGenerator<Found[]> {
    const conditions = [`{"payload":${mentions}}`];
    for await (const found of this.inFloor(conditions, signal)) if (found.length > 0) yield found;
    for await (const found of this.inItems(conditions, signal)) if (found.length > 0) yield found;
  }

  /** What retention has left. */
  private async *inFloor(conditions: readonly string[], signal?: RequestSignal): AsyncGenerator<Found[]> {
    for (let last = ''; ;) {
      const rows = await this.reader.all<{ entity: string }>([FLOOR, [last]], signal);
      if (rows.length === 0) return;
      const entities = rows.map(({ entity }) => entity);
      const found = await this.reader.matchBodies(entities, conditions, signal, BODIES_OF.floor);
      yield found
        .filter(({ verdicts }) => verdicts[0] === true)
        .map(({ key }) => ({ entity: key, erase: ['DELETE FROM entity_floor WHERE entity = ?', [key]] }));
      last = entities.at(-1)!;
    }
  }

  /** What repairs have read. */
  private async *inItems(conditions: readonly string[], signal?: RequestSignal): AsyncGenerator<Found[]> {
    const judge = judgeBodies(conditions);
    for (let last = { repair: 0, entity: '' }; ;) {
      const { repair, entity } = last;
      const rows = await this.reader.all<Item>([ITEMS, [repair, repair, entity]], signal);
      if (rows.length === 0) return;
      yield rows
        .filter(
          ({ record }) => judge(Buffer.from(`{"data":${Buffer.from(record).toString()}}`))?.[0] === true,
        )
        .map((item) => ({
          entity: item.entity,
          erase: ['DELETE FROM repair_items WHERE repair = ? AND entity = ?', [item.repair, item.entity]],
        }));
      last = rows.at(-1)!;
    }
  }
}
