import type { DeliveryResult, EventDraft, ScheduleDraft } from '../../../src/relay/database/journal/journal';
import { draft, result, START, type ScratchStore } from '../../support/daemon/scratch-journal';

export const LATER = START + 3_600_000;

interface Row {
  key: string;
  state: string;
  due: number | null;
}

export let scratch: ScratchStore;
let appended: number;

/** Opens a store of its own in each test. */
export function useLanes(open: () => Promise<ScratchStore>): void {
  beforeEach(async () => {
    appended = 0;
    scratch = await open();
  });

  afterEach(() => scratch.remove());
}

/** Events are numbered from 1 in each test. */
export const nextDraft = (): EventDraft => draft((appended += 1));

/** Appends an event to each of the lanes, in this order; null is no lane. */
export const appendTo = (...lanes: (string | null)[]) =>
  Promise.all(lanes.map((lane) => scratch.journal.append(nextDraft(), () => [{ target: 1, lane }])));

/** A delivery of a replay, in a lane of its own. */
export const replayed = (seq: number): ScheduleDraft => ({
  seq,
  target: 1,
  trigger: 'replay',
  replayId: 'rpl_1',
  at: START,
  lane: 'rpl_1/deal:1',
});

export const finish = (seq: number, lane: string, parts: Partial<DeliveryResult> = {}) =>
  scratch.journal.saveResult(result(seq, 1, { lane, ...parts }));

export const rows = async () =>
  await scratch.rows<Row>(
    `SELECT event_seq || '.' || n AS key, state, due_at AS due FROM deliveries ORDER BY event_seq, n`,
  );

export const states = async () => (await rows()).map(({ key, state }) => `${key} ${state}`);

export const promoted = () =>
  scratch.groups.flatMap((group) => group.promoted.map(({ seq, n }) => `${seq}.${n}`));
