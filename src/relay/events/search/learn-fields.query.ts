import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { UNREADABLE_TYPE } from '../../../contract/constants';
import type { PayloadFields, PayloadFieldsQuery } from '../../../contract/payload-field';
import { inJsonList } from '../../database/reading/dialect';
import { Reader, type RequestSignal } from '../../database/reading/reader';
import type { PayloadMask } from '../../filters/payload-mask';
import { FieldCollector } from '../../filters/field-collector';
import { eventMatcher } from '../../targets/match-event';
import { parseBody } from '../../ground/parse-body';
import { takeBytes, toBatches } from './match-bodies';

/** What is read and parsed at most: some ten milliseconds of work, whatever the events are. */
const MAX_EVENTS = 1_000;
const MAX_BYTES = 1024 * 1024;
const MAX_BODY_BYTES = 64 * 1024;

/** Learns from the newest events which fields their payloads have, with some of their values. */
@Injectable()
export class LearnFieldsQuery {
  constructor(private readonly reader: Reader) {}

  async learn(
    { type = ['*'] }: PayloadFieldsQuery,
    mask: PayloadMask | null,
    signal?: RequestSignal,
  ): Promise<PayloadFields> {
    const accepts = eventMatcher(type);
    const newest = await this.reader.all<{ seq: number; type: string; size: number }>(
      ['SELECT seq, type, length(body) AS size FROM events ORDER BY seq DESC LIMIT ?', [MAX_EVENTS]],
      signal,
    );
    const readable = newest.filter(
      (head) => head.type !== UNREADABLE_TYPE && head.size <= MAX_BODY_BYTES && accepts(head),
    );
    const heads = takeBytes(MAX_BYTES, readable);
    const collector = new FieldCollector();
    for (const batch of toBatches(heads)) {
      const rows = await this.reader.all<{ type: string; body: Uint8Array }>(
        [
          `SELECT type, body FROM events WHERE seq ${inJsonList()} ORDER BY seq DESC`,
          [JSON.stringify(batch.map(({ seq }) => seq))],
        ],
        signal,
      );
      for (const { type: of, body } of rows) {
        const payload = parseBody(body);
        collector.add(mask === null ? payload : mask.apply(of, payload));
        // Notifications are answered between two payloads.
        await setImmediate();
      }
    }
    return { checked: heads.length, fields: collector.fields() };
  }
}
