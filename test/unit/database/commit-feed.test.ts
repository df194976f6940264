import { setImmediate as nextTurn } from 'node:timers/promises';
import { CommitFeed } from '../../../src/relay/database/postgres/commit-feed';
import type { RecordedCommit } from '../../../src/relay/database/postgres/writer/record-commit';

const settle = async () => {
  for (let turns = 0; turns < 5; turns += 1) await nextTurn();
};

it('commits that are announced are read at once, also of a writer that was not known', async () => {
  const rows = [{ writer: 'other', n: 1, content: '{"results":[1]}' }];
  const published: RecordedCommit[] = [];
  const pool = {
    query: async (_: string, [writers, through]: [string[] | string, number[]]) => ({
      rows: Array.isArray(writers)
        ? rows.filter(({ writer, n }) => n > (through[writers.indexOf(writer)] ?? Infinity))
        : [],
    }),
  };
  const feed = new CommitFeed(pool as never, 0, 'own', true, (commit) => published.push(commit), {
    warn: () => undefined,
  } as never);
  feed.start();
  await settle();
  expect(published).toEqual([]);
  feed.poll('own');
  await settle();
  expect(published).toEqual([]);
  feed.poll('other');
  await settle();
  expect(published).toEqual([{ results: [1] }]);
  await feed.stop();
});
