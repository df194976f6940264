import { createHash } from 'node:crypto';
import { versionOfBody } from '../../../src/relay/ground/record-version';
import { expectedPrevious, type ModelEvent } from '../entity-model';
import type { WitnessTarget } from '../fakes/witness-target';

export const ROUTED = 'routed';
const WON = ' (won)';

/** What is appended to the name of a deal by the number of its notification, so that deals are won and lost again. */
export const wonOrLost = (n: number) => ((n * 2_654_435_761) % 7 < 3 ? WON : '');

/** A target that is to receive each event by which a deal was won. */
export const WON_ONLY = {
  events: ['deal.*'],
  filter: { 'data.name': { $became: { $contains: WON } } },
  policy: { ordering: 'entity', concurrency: 64 },
} as const;

/** Statements for both engines. */
export const SELECT_EVENTS =
  'SELECT CAST(seq AS INTEGER) AS seq, entity, body FROM events WHERE entity IS NOT NULL ORDER BY seq';
export const SELECT_DELIVERIES = `SELECT CAST(event_seq AS INTEGER) AS seq, CAST(n AS INTEGER) AS n, state
  FROM deliveries WHERE target_id = (SELECT number FROM targets WHERE name = '${ROUTED}')`;
export const SELECT_LAG = `SELECT CAST((SELECT max(seq) FROM events) - position AS INTEGER) AS lag FROM router`;

export interface EventRow {
  seq: number;
  entity: string;
  body: Uint8Array;
}

export interface DeliveryRow {
  seq: number;
  n: number;
  state: string;
}

/** These must be empty: `seq`s of events, and what was delivered of others. */
export const NOTHING_MISROUTED = {
  missing: [],
  unexpected: [],
  again: [],
  unfinished: [],
  unreceived: [],
  foreign: 0,
};

/** Compares the deliveries of the routed target with what the model of states says of the stored events. */
export function findMisrouted(
  events: readonly EventRow[],
  deliveries: readonly DeliveryRow[],
  target: WitnessTarget,
): typeof NOTHING_MISROUTED & { expected: number } {
  const won = wonIn(events);
  const expected = new Map(
    won.map(({ seq, body }) => [seq, createHash('sha256').update(body).digest('hex')]),
  );
  const seqs = new Set(deliveries.map(({ seq }) => seq));
  const received = new Set(target.succeeded.map(({ hash }) => hash));
  const hashes = new Set(expected.values());
  return {
    expected: expected.size,
    missing: seqsOf(won.filter(({ seq }) => !seqs.has(seq))),
    unexpected: seqsOf(deliveries.filter(({ seq }) => !expected.has(seq))),
    again: seqsOf(deliveries.filter(({ n }) => n > 0)),
    unfinished: seqsOf(deliveries.filter(({ state }) => state !== 'succeeded')),
    unreceived: seqsOf(won.filter(({ seq }) => !received.has(expected.get(seq)!))),
    foreign: target.received.filter(({ hash }) => !hashes.has(hash)).length,
  };
}

const seqsOf = (rows: readonly { seq: number }[]) => rows.map(({ seq }) => seq) as [];

/** Those by which a deal was won; also the first one of a deal that is won, as it may have been won by that. */
function wonIn(events: readonly EventRow[]): EventRow[] {
  const byDeal = new Map<string, EventRow[]>();
  for (const event of events) {
    const rows = byDeal.get(event.entity);
    if (rows === undefined) byDeal.set(event.entity, [event]);
    else rows.push(event);
  }
  return [...byDeal.values()].flatMap((rows) => {
    const isWon = new Map(rows.map(({ seq, body }) => [seq, Buffer.from(body).includes(`${WON}"`)]));
    const model = rows.map(({ seq, entity, body }): ModelEvent => ({
      seq,
      entity,
      version: versionOfBody(body),
      isReadable: true,
    }));
    return rows.filter(({ seq }, i) => {
      const { previous } = expectedPrevious(model, model[i]!);
      return isWon.get(seq)! && (previous === null || !isWon.get(previous.seq)!);
    });
  });
}
