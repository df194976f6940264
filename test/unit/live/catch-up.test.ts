import type { EventSummary } from '../../../src/contract/event';
import type { FindEventsQuery } from '../../../src/relay/events/search/find-events.query';
import { CatchUp } from '../../../src/relay/live/catch-up';

const event = (seq: number) => ({ seq }) as EventSummary;
const batch = (afterSeq: number, throughSeq: number, seqs: number[]) => ({
  afterSeq,
  throughSeq,
  gap: null,
  events: seqs.map(event),
});

it('a socket receives once what it has read before that was published', async () => {
  const finder = { after: () => Promise.resolve([event(2), event(3)]) } as unknown as FindEventsQuery;
  const catchUp = new CatchUp(1, finder, () => undefined);
  await catchUp.read();
  const first = catchUp.take(batch(1, 2, [2]));
  expect(first).toMatchObject({ isCaughtUp: false, isAhead: true, events: [{ seq: 2 }, { seq: 3 }] });
  const second = catchUp.take(batch(2, 4, [3, 4]));
  expect(second).toMatchObject({ isCaughtUp: true, events: [{ seq: 4 }] });
});
