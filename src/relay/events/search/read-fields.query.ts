import { Injectable } from '@nestjs/common';
import { UNREADABLE_TYPE } from '../../../contract/constants';
import type { EventSummary, ListedEvent } from '../../../contract/event';
import { Reader, type RequestSignal } from '../../database/reading/reader';
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
      const seqs = batch.map(({ seq }) => seq);
      for (const { seq, fields: values } of await this.reader.readFields(seqs, paths, signal))
        fields.set(seq, values);
    }
    return events.map((event) => ({ ...event, fields: fields.get(event.seq) ?? {} }));
  }
}
