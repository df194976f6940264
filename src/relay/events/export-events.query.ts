import { Readable } from 'node:stream';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { UNREADABLE_TYPE } from '../../contract/constants';
import type { EventFilters, EventSummary } from '../../contract/event';
import { Reader, type RequestSignal } from '../database/reader';
import type { SeqRange } from '../database/walk-seqs';
import { CountEventsQuery, type EventCount } from './search/count-events.query';
import { FindEventsQuery } from './search/find-events.query';
import { toBatches } from './search/match-bodies';
import { inJsonList } from '../database/dialect';

/** Events found per read, without their bodies; bodies are then read up to a number of bytes at a time. */
const EVENTS_PER_READ = 200;
const BUFFER_BYTES = 64 * 1024;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/**
 * Streams all matching events, oldest first, up to the newest one at its start. It reads only as fast as the
 * client does.
 */
@Injectable()
export class ExportEventsQuery implements OnModuleDestroy {
  private readonly openStreams = new Set<Readable>();

  constructor(
    private readonly findEvents: FindEventsQuery,
    private readonly countEvents: CountEventsQuery,
    private readonly reader: Reader,
  ) {}

  /** Fixes the range to export, and counts its matching events. */
  async prepare(
    filters: EventFilters,
    signal: RequestSignal,
  ): Promise<{ range: SeqRange; count: EventCount }> {
    const range = await this.findEvents.storedRange({ after: 0, before: Infinity }, signal);
    return { range, count: await this.countEvents.count(filters, range, signal) };
  }

  /** One line of JSON for each event. */
  stream(filters: EventFilters, range: SeqRange, signal: RequestSignal): Readable {
    const lines = Readable.from(this.lines(filters, range, signal), {
      objectMode: false,
      highWaterMark: BUFFER_BYTES,
    });
    this.openStreams.add(lines);
    return lines.once('close', () => this.openStreams.delete(lines));
  }

  /** A slow client must not delay the daemon's shutdown. */
  onModuleDestroy(): void {
    for (const lines of this.openStreams) lines.destroy();
  }

  private async *lines(
    filters: EventFilters,
    range: SeqRange,
    signal: RequestSignal,
  ): AsyncGenerator<Buffer> {
    for await (const { rows } of this.findEvents.walk(
      filters,
      range,
      'oldest first',
      EVENTS_PER_READ,
      signal,
    )) {
      for (const batch of toBatches(
        rows.map((event) => ({ seq: event.seq, size: event.size_bytes, event })),
      )) {
        const bodies = await this.bodies(
          batch.map(({ seq }) => seq),
          signal,
        );
        const parts = batch.flatMap(({ seq, event }) => toLine(event, bodies.get(seq)));
        if (parts.length > 0) yield Buffer.concat(parts);
      }
    }
  }

  private async bodies(seqs: readonly number[], signal: RequestSignal): Promise<Map<number, Uint8Array>> {
    const rows = await this.reader.all<{ seq: number; body: Uint8Array }>(
      [`SELECT seq, body FROM events WHERE seq ${inJsonList()}`, [JSON.stringify(seqs)]],
      signal,
    );
    return new Map(rows.map(({ seq, body }) => [seq, body]));
  }
}

/**
 * The JSON of a readable event is copied verbatim, so that no number changes; only line breaks, which occur
 * only between tokens, are replaced. Bodies that may not be JSON are encoded in base64. Empty if retention
 * has just removed the event.
 */
function toLine(event: EventSummary, body: Uint8Array | undefined): Uint8Array[] {
  if (body === undefined) return [];
  const head = JSON.stringify(event).slice(0, -1);
  if (event.type === UNREADABLE_TYPE) {
    const base64 = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64');
    return [Buffer.from(`${head},"body":null,"body_base64":"${base64}"}\n`)];
  }
  return [Buffer.from(`${head},"body":`), withoutLineBreaks(body), Buffer.from(`,"body_base64":null}\n`)];
}

function withoutLineBreaks(json: Uint8Array): Uint8Array {
  if (!json.includes(LINE_FEED) && !json.includes(CARRIAGE_RETURN)) return json;
  return json.map((byte) => (byte === LINE_FEED || byte === CARRIAGE_RETURN ? SPACE : byte));
}
