import { Readable } from 'node:stream';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { UNREADABLE_TYPE, type EventNarrowing, type EventSummary } from '../../contract/event';
import { Reader, type RequestSignal } from '../database/reader';
import type { SeqRange } from '../database/walk-seqs';
import { CountEvents, type EventCount } from './search/count-events';
import { FindEvents } from './search/find-events';
import { batchesOf } from './search/matching-content';

/** So many events are looked up ahead, without their bodies; of those so many bytes at a time are read. */
const READ_EVENTS = 200;
const BUFFER_BYTES = 64 * 1024;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/**
 * Hands out all events that a query wants, oldest first, up to the newest one there is when it begins. Only as much is
 * read as the other side takes.
 */
@Injectable()
export class ExportEvents implements OnModuleDestroy {
  private readonly open = new Set<Readable>();

  constructor(
    private readonly finder: FindEvents,
    private readonly counter: CountEvents,
    private readonly reader: Reader,
  ) {}

  /** What is exported, fixed; and how many events that are. */
  async prepare(
    wanted: EventNarrowing,
    signal: RequestSignal,
  ): Promise<{ range: SeqRange; count: EventCount }> {
    const range = await this.finder.stored({ after: 0, before: Infinity }, signal);
    return { range, count: await this.counter.count(wanted, range, signal) };
  }

  /** One line of JSON for each event. */
  stream(wanted: EventNarrowing, range: SeqRange, signal: RequestSignal): Readable {
    const lines = Readable.from(this.lines(wanted, range, signal), {
      objectMode: false,
      highWaterMark: BUFFER_BYTES,
    });
    this.open.add(lines);
    return lines.once('close', () => this.open.delete(lines));
  }

  /** A reader that is slow, or stands still, holds up no stop of the daemon. */
  onModuleDestroy(): void {
    for (const lines of this.open) lines.destroy();
  }

  private async *lines(
    wanted: EventNarrowing,
    range: SeqRange,
    signal: RequestSignal,
  ): AsyncGenerator<Buffer> {
    for await (const { rows } of this.finder.walk(wanted, range, 'oldest first', READ_EVENTS, signal)) {
      for (const batch of batchesOf(
        rows.map((event) => ({ seq: event.seq, size: event.size_bytes, event })),
      )) {
        const bodies = await this.bodies(
          batch.map(({ seq }) => seq),
          signal,
        );
        const parts = batch.flatMap(({ seq, event }) => lineOf(event, bodies.get(seq)));
        if (parts.length > 0) yield Buffer.concat(parts);
      }
    }
  }

  private async bodies(seqs: readonly number[], signal: RequestSignal): Promise<Map<number, Uint8Array>> {
    const rows = await this.reader.all<{ seq: number; body: Uint8Array }>(
      ['SELECT seq, body FROM events WHERE seq IN (SELECT value FROM json_each(?))', [JSON.stringify(seqs)]],
      signal,
    );
    return new Map(rows.map(({ seq, body }) => [seq, body]));
  }
}

/**
 * The JSON of an event whose type could be read stands in its line letter for letter, so that no number changes on the way; but for
 * line breaks, which JSON has between its parts alone. What is perhaps no JSON is given as its bytes. Nothing, where retention
 * has just removed it.
 */
function lineOf(event: EventSummary, body: Uint8Array | undefined): Uint8Array[] {
  if (body === undefined) return [];
  const head = JSON.stringify(event).slice(0, -1);
  if (event.type === UNREADABLE_TYPE) {
    const base64 = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64');
    return [Buffer.from(`${head},"body":null,"body_base64":"${base64}"}\n`)];
  }
  return [Buffer.from(`${head},"body":`), inOneLine(body), Buffer.from(`,"body_base64":null}\n`)];
}

function inOneLine(json: Uint8Array): Uint8Array {
  if (!json.includes(LINE_FEED) && !json.includes(CARRIAGE_RETURN)) return json;
  return json.map((byte) => (byte === LINE_FEED || byte === CARRIAGE_RETURN ? SPACE : byte));
}
