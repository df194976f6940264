import { Injectable } from '@nestjs/common';
import { UNREADABLE_TYPE } from '../../../contract/constants';
import type { EventSummary, ListedEvent } from '../../../contract/event';
import { inJsonList, readFields } from '../../database/dialect';
import { Reader, type RequestSignal } from '../../database/reader';
import { parsePath } from '../../filters/filter-paths';
import { invalidRequest } from '../../http/describe-problem';
import { toBatches } from './match-bodies';

/** Reads values from the payloads of listed events. */
@Injectable()
export class ReadFieldsQuery {
  constructor(private readonly reader: Reader) {}

  /** @throws RelayError `invalid_request`, 400, for an invalid path */
  async addTo(
    events: readonly EventSummary[],
    paths: readonly string[],
    signal?: RequestSignal,
  ): Promise<ListedEvent[]> {
    const issues = paths.flatMap((path) => {
      const parsed = parsePath(path);
      return typeof parsed === 'string' ? [{ path: ['field'], message: parsed }] : [];
    });
    if (issues.length > 0) throw invalidRequest(issues);
    const fields = new Map<number, ListedEvent['fields']>();
    const heads = events
      .filter(({ type }) => type !== UNREADABLE_TYPE)
      .map(({ seq, size_bytes: size }) => ({ seq, size }));
    for (const batch of toBatches(heads)) {
      const rows = await this.reader.all<{ seq: number; fields: string }>(
        [
          `SELECT seq, ${readFields('body')} AS fields FROM events WHERE seq ${inJsonList()}`,
          [JSON.stringify(paths), JSON.stringify(batch.map(({ seq }) => seq))],
        ],
        signal,
      );
      for (const { seq, fields: json } of rows) fields.set(seq, JSON.parse(json) as ListedEvent['fields']);
    }
    return events.map((event) => ({ ...event, fields: fields.get(event.seq) ?? {} }));
  }
}
