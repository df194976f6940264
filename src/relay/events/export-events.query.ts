import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { EventCount, EventFilters, ExportFormat } from '../../contract/event';
import type { RequestSignal } from '../database/reading/reader';
import type { SeqRange } from '../database/reading/walk-seqs';
import { oneAhead } from '../ground/one-ahead';
import { Downloads } from './downloads.service';
import { ExportPace } from './export-pace';
import { CountEventsQuery } from './search/count-events.query';
import { FindEventsQuery } from './search/find-events.query';
import { toBatches } from './search/match-bodies';
import type { PayloadMask } from '../filters/payload-mask';
import { FORMATS } from './export-formats';
import { maskBody, maskEvent } from './mask-event';

/** Events found per read, without their bodies; bodies are then read up to a number of bytes at a time. */
const EVENTS_PER_READ = 200;

/** What to export, and how. */
interface Export {
  filters: EventFilters;
  range: SeqRange;
  format: ExportFormat;
  mask: PayloadMask | null;
}

/** Streams all matching events, oldest first, up to the newest one at its start, as fast as the client reads. */
@Injectable()
export class ExportEventsQuery {
  constructor(
    private readonly findEvents: FindEventsQuery,
    private readonly countEvents: CountEventsQuery,
    private readonly downloads: Downloads,
    private readonly pace: ExportPace,
  ) {}

  /** Fixes the range to export, and counts its matching events. @throws RelayError `filter_invalid`, 422 */
  async prepare(
    filters: EventFilters,
    signal: RequestSignal,
  ): Promise<{ range: SeqRange; total: EventCount }> {
    const range = await this.findEvents.storedRange({ after: 0, before: Infinity }, signal);
    return { range, total: await this.countEvents.countRange(filters, range, signal) };
  }

  stream(wanted: Export, signal: RequestSignal): Readable {
    return this.downloads.stream(this.chunks(wanted, signal));
  }

  private async *chunks(
    { filters, range, format, mask }: Export,
    signal: RequestSignal,
  ): AsyncGenerator<Buffer> {
    const { head, separator, tail, write } = FORMATS[format];
    const between = Buffer.from(separator);
    if (head !== '') yield Buffer.from(head);
    let isFirst = true;
    for await (const { heads, bodies } of oneAhead(this.batches(filters, range, signal)))
      for await (const some of this.pace.inTurns(heads)) {
        const parts: Uint8Array[] = [];
        for (const { seq, event } of some) {
          const body = bodies.get(seq);
          // Retention may have removed it in the meantime, or it was erased.
          if (body === undefined && event.erased_at === null) continue;
          if (!isFirst) parts.push(between);
          isFirst = false;
          const shown = body === undefined ? null : maskBody(event.type, body, mask);
          parts.push(...write(maskEvent(event, mask), shown));
        }
        if (parts.length > 0) yield Buffer.concat(parts);
      }
    if (tail !== '') yield Buffer.from(tail);
  }

  /** Two of them are in memory at a time. */
  private async *batches(filters: EventFilters, range: SeqRange, signal: RequestSignal) {
    const order = 'oldest first';
    for await (const { rows } of this.findEvents.walk(filters, range, order, EVENTS_PER_READ, signal)) {
      const sized = rows.map((event) => ({ seq: event.seq, size: event.size_bytes, event }));
      for (const heads of toBatches(sized)) {
        const seqs = heads.map(({ seq }) => seq);
        yield { heads, bodies: await this.findEvents.bodies(seqs, signal) };
      }
    }
  }
}
