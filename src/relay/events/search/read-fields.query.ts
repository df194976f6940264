import { Injectable } from '@nestjs/common';
import { UNREADABLE_TYPE } from '../../../contract/constants';
import type { EventSummary, ListedEvent } from '../../../contract/event';
import { Reader, type RequestSignal } from '../../database/reading/reader';
import { toBatches } from './match-bodies';

/** Reads values from the payloads of listed events. */
@Injectable()
export class ReadFieldsQuery {
  constructor(private readonly reader: Reader) {}

  async addTo(
    events: readonly EventSummary[],
    paths: readonly string[],
    signal?: RequestSignal,
  ): Promise<ListedEvent[]> {
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
