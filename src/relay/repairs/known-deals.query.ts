import { Injectable } from '@nestjs/common';
import { Reader } from '../database/reading/reader';

const CHUNK = 500;

/** The entities of a kind lie between its colon and the character after it. */
const FIRST = 'deal:';
const END = 'deal;';

const IS_NEXT = 'entity > ? AND entity < ?';

const ENTITIES = `SELECT entity FROM (
    SELECT DISTINCT entity FROM event_entities WHERE ${IS_NEXT}
    UNION SELECT entity FROM events
      WHERE seq > (SELECT indexed_through FROM instance) AND unreadable IS NULL AND ${IS_NEXT}
  ) known ORDER BY entity LIMIT ${CHUNK}`;

/** Finds every deal of which anything is known. */
@Injectable()
export class KnownDealsQuery {
  constructor(private readonly reader: Reader) {}

  /** The entities, by their text. */
  async *walk(): AsyncGenerator<string[]> {
    let after = FIRST;
    for (;;) {
      const place = [after, END];
      const rows = await this.reader.all<{ entity: string }>([ENTITIES, [...place, ...place]]);
      if (rows.length > 0) yield rows.map(({ entity }) => entity);
      if (rows.length < CHUNK) return;
      after = rows.at(-1)!.entity;
    }
  }
}
