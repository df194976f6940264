import { Injectable } from '@nestjs/common';
import type { FilterPreview, FilterPreviewQuery } from '../../contract/filter';
import { Reader } from '../database/reader';
import { compileFilter } from '../targets/compile-filter';
import { eventMatcher } from '../targets/match-event';
import { FindEvents } from './find-events';
import { parseStored } from './parse-stored';

/** How many of the matches are shown. */
const SHOWN = 20;

/** So much is read and parsed in one turn, and so much in all. */
const BATCH_BYTES = 512 * 1024;
const MOST_BYTES = 32 * 1024 * 1024;

interface Head {
  seq: number;
  type: string;
  unreadable: string | null;
  size: number;
}

/** Tries globs and a filter on what is stored already. */
@Injectable()
export class PreviewFilter {
  constructor(
    private readonly reader: Reader,
    private readonly findEvents: FindEvents,
  ) {}

  /** @throws RelayError `filter_refused`, 422 */
  async preview({ events, filter, last }: FilterPreviewQuery): Promise<FilterPreview> {
    const accepts = eventMatcher(events);
    const matches = filter === null ? null : compileFilter(filter);
    const newest = await this.reader.all<Head>([
      'SELECT seq, type, unreadable, length(body) AS size FROM events ORDER BY seq DESC LIMIT ?',
      [last],
    ]);
    const heads = matches === null ? newest : within(MOST_BYTES, newest);
    let matching = heads.filter(accepts);
    if (matches !== null) {
      const readable = matching.filter(({ unreadable }) => unreadable === null);
      const holding = new Set<number>();
      for (const batch of batchesOf(readable)) {
        for (const { seq, body } of await this.bodies(batch))
          if (matches(parseStored(body))) holding.add(seq);
      }
      matching = readable.filter(({ seq }) => holding.has(seq));
    }
    return {
      looked_at: heads.length,
      matched: matching.length,
      data: await this.findEvents.of(matching.slice(0, SHOWN).map(({ seq }) => seq)),
    };
  }

  private bodies(heads: readonly Head[]): Promise<{ seq: number; body: Uint8Array }[]> {
    const seqs = heads.map(({ seq }) => seq);
    return this.reader.all([
      `SELECT seq, body FROM events WHERE seq IN (${seqs.map(() => '?').join(', ')})`,
      seqs,
    ]);
  }
}

function within(bytes: number, heads: readonly Head[]): Head[] {
  let total = 0;
  return heads.filter(({ size }) => (total += size) <= bytes);
}

function batchesOf(heads: readonly Head[]): Head[][] {
  const batches: Head[][] = [];
  let size = Infinity;
  for (const head of heads) {
    if (size + head.size > BATCH_BYTES) {
      batches.push([]);
      size = 0;
    }
    batches.at(-1)!.push(head);
    size += head.size;
  }
  return batches;
}
