import { Injectable } from '@nestjs/common';
import type { EventFilters } from '../../../contract/event';
import { Reader, type RequestSignal } from '../../database/reading/reader';
import { indexOfSeqs, type FoundRows, type SeqIndex, type SeqRange } from '../../database/reading/walk-seqs';
import type { Head } from './match-bodies';
import { MatchingEventsQuery } from './matching-events.query';
import { spreadSeqs } from './spread-seqs';
import { splitByTime } from './split-by-time';

/** Events are examined one by one for this long, then a sample of the others for at most as long. */
const MAX_EXAMINE_MS = 1_000;
const MAX_SAMPLE_MS = 1_000;
const ROWS_PER_READ = 10_000;

/** The size of a sample, and of one read of it. */
const SAMPLE_EVENTS = 5_000;
const SAMPLE_STEP = 100;

interface Survey<Row> {
  filters: EventFilters;
  range: SeqRange;
  columns?: readonly string[];
  /** Is passed each matching event that was examined, and how many it stands for. */
  visit: (row: Row, weight: number) => void;
  signal?: RequestSignal | undefined;
}

/** Visits the matching events of a range in bounded time: all, or as many as possible and a sample of the others. */
@Injectable()
export class SurveyEventsQuery {
  constructor(
    private readonly matching: MatchingEventsQuery,
    private readonly reader: Reader,
  ) {}

  /** @returns whether the result is an estimate */
  async survey<Row extends Head>({
    filters,
    range,
    columns = [],
    visit,
    signal,
  }: Survey<Row>): Promise<{ estimated: boolean }> {
    const deadline = performance.now() + MAX_EXAMINE_MS;
    const walk = { filters, order: 'oldest first', columns, signal } as const;
    const { within, outside } = await splitByTime(filters, range, this.reader, signal);
    for (const part of [within, ...outside]) {
      for await (const { rows, lastSeq } of this.matching.walk<Row>({
        ...walk,
        range: part,
        limit: ROWS_PER_READ,
      })) {
        for (const row of rows) visit(row, 1);
        if (performance.now() <= deadline) continue;
        const rest = { ...part, after: lastSeq };
        if (part === within)
          await sample(
            rest,
            (index) => this.matching.walk<Row>({ ...walk, range: rest, limit: SAMPLE_STEP, index }),
            visit,
          );
        const isLast = part === (outside.at(-1) ?? within);
        return { estimated: !isLast || rest.before - rest.after > 1 };
      }
    }
    return { estimated: false };
  }
}

/** Visits the wanted events of an evenly spread sample; each stands for as many as the sample leaves out. */
async function sample<Row>(
  range: SeqRange,
  read: (index: SeqIndex) => AsyncGenerator<FoundRows<Row>>,
  visit: (row: Row, weight: number) => void,
): Promise<void> {
  const deadline = performance.now() + MAX_SAMPLE_MS;
  const seqs = spreadSeqs(range, SAMPLE_EVENTS);
  const found: Row[] = [];
  let examined = 0;
  while (examined < seqs.length && (examined === 0 || performance.now() < deadline)) {
    const some = seqs.slice(examined, examined + SAMPLE_STEP);
    for await (const { rows } of read(indexOfSeqs(some))) found.push(...rows);
    examined += some.length;
  }
  const weight = (range.before - 1 - range.after) / examined;
  for (const row of found) visit(row, weight);
}
