import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Committed } from '../../../src/relay/database/journal/journal';
import { EventFeed } from '../../../src/relay/database/postgres/event-feed';

type StoredEvent = Committed['events'][number];

const event = (seq: number) => ({ seq, draft: {}, planned: [] }) as unknown as StoredEvent;

it('events that are stored while those of other daemons are read are published afterwards', async () => {
  const reads: ((rows: object[]) => void)[] = [];
  const published: [seq: number, maybeSent: boolean][] = [];
  const pool = { query: () => new Promise((resolve) => reads.push((rows) => resolve({ rows }))) };
  const feed = new EventFeed(
    pool as never,
    0,
    0,
    (events) =>
      published.push(...events.map(({ seq, maybeSent = false }): [number, boolean] => [seq, maybeSent])),
    {} as never,
  );
  const endRead = async (...rows: object[]) => {
    reads.shift()!(rows);
    await nextTurn();
  };
  feed.start();
  feed.add([event(1)]);
  await endRead();
  expect(published).toEqual([[1, true]]);
  await endRead();
  feed.add([event(2)]);
  feed.add([event(4)]);
  await endRead({ seq: 3, headers: '[]', planned: null });
  expect(published).toEqual([
    [1, true],
    [2, false],
    [3, true],
    [4, true],
  ]);
  for (const end of reads) end([]);
  await feed.stop();
});
