import { Injectable } from '@nestjs/common';
import type { EventFilters } from '../../../contract/event';
import { Reader, type RequestSignal } from '../../database/reading/reader';
import { indexOfSeqs, type FoundRows, type SeqIndex, type SeqRange } from '../../database/reading/walk-seqs';
import type { Head } from './match-bodies';
import { MatchingEventsQuery } from './matching-events.query';

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
        const read = (index: SeqIndex) =>
          this.matching.walk<Row>({ ...walk, range: rest, limit: SAMPLE_STEP, index });
        if (part === within) await sample(rest, read, visit);
        const isLast = part === (outside.at(-1) ?? within);
        return { estimated: !isLast || rest.before - rest.after > 1 };
      }
    }
    return { estimated: false };
  }
}

/** Visits the wanted events of an evenly spread sample; each stands for as many as the sample leaves out. */
export async function sample<Row>(
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

/** Receipt and commit may be this far apart: a body may arrive slowly. */
const SLACK_MS = 60_000;

/**
 * Splits a range into the events that were probably received between two times, and the others. `seq` follows the
 * time of receipt unless the clock was set back, so this is only about what to examine first.
 */
async function splitByTime(
  { since, until }: Pick<EventFilters, 'since' | 'until'>,
  range: SeqRange,
  reader: Reader,
  signal?: RequestSignal,
): Promise<{ within: SeqRange; outside: SeqRange[] }> {
  const first =
    since === undefined ? range.after + 1 : await firstSince(since - SLACK_MS, range, reader, signal);
  const end = until === undefined ? range.before : await firstSince(until + SLACK_MS, range, reader, signal);
  const within = { after: first - 1, before: Math.max(first, end) };
  const outside = [
    { after: within.before - 1, before: range.before },
    { after: range.after, before: first },
  ].filter(({ after, before }) => before - after > 1);
  return { within, outside };
}

/** The first event of a range that was received at or after a time, or its end, by bisection. */
export async function firstSince(
  time: number,
  range: SeqRange,
  reader: Reader,
  signal?: RequestSignal,
): Promise<number> {
  let [low, high] = [range.after + 1, range.before];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    // Retention leaves gaps.
    const [event] = await reader.all<{ seq: number; at: number }>(
      [
        'SELECT seq, received_at AS at FROM events WHERE seq >= ? AND seq < ? ORDER BY seq LIMIT 1',
        [middle, high],
      ],
      signal,
    );
    if (event === undefined || event.at >= time) high = middle;
    else low = event.seq + 1;
  }
  return low;
}

/** The fractional part of the golden ratio: its multiples, modulo 1, are distributed most evenly. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * Different `seq`s of a range, at most `count`. They are distributed evenly, as are the first of them, however many
 * those are, and they follow no pattern that the events may have.
 */
export function spreadSeqs({ after, before }: SeqRange, count: number): number[] {
  const size = Math.max(0, before - 1 - after);
  if (size <= count) return Array.from({ length: size }, (_, i) => after + 1 + i);
  const seqs = new Set<number>();
  for (let i = 0; i < count; i += 1) seqs.add(after + 1 + Math.floor(((i * GOLDEN) % 1) * size));
  return [...seqs];
}
