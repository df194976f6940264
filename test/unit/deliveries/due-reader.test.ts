import { DEFAULT_POLICY } from '../../../src/contract/default-policy';
import { PRIORITY, type DueDelivery } from '../../../src/relay/database/journal/journal';
import { DueReader } from '../../../src/relay/deliveries/queue/due-reader';
import type { DueTools } from '../../../src/relay/deliveries/queue/take-due';
import type { TargetRecord } from '../../../src/relay/targets/target-record';

const TARGET = { number: 1, policy: DEFAULT_POLICY } as TargetRecord;
const { live } = PRIORITY;

describe('due deliveries', () => {
  const backlog = Array.from({ length: 150 }, (_, i) => ({ key: { seq: i + 1 } }) as DueDelivery);
  let limits: number[];
  let onRead: () => void;
  let reader: DueReader;

  beforeEach(() => {
    limits = [];
    onRead = () => undefined;
    const takeDue = (...[, , , limit, , after]: [0, 0, 0, number, 0, DueDelivery | null]) => {
      limits.push(limit);
      onRead();
      const from = after === null ? 0 : backlog.indexOf(after) + 1;
      return Promise.resolve(backlog.slice(from, from + limit));
    };
    reader = new DueReader({ journal: { takeDue }, bounds: { latest: () => 0 } } as unknown as DueTools);
  });

  const read = async (inMemory: number) =>
    (await reader.readBlock(TARGET, live, inMemory)).map(({ key }) => key.seq);

  it('of a backlog are read once each, until there are no more', async () => {
    const seqs = [...(await read(0)), ...(await read(64)), ...(await read(128))];
    expect(seqs).toEqual(backlog.map(({ key }) => key.seq));
    expect(limits).toEqual([64, 64, 64]);
    expect(reader.mayHaveMore(live)).toBe(false);
  });

  it('are read from the start again, with those in memory, once others may be due', async () => {
    await read(0);
    reader.expectMore(live);
    expect((await read(64))[0]).toBe(65);
    reader.restart([live]);
    expect((await read(80))[0]).toBe(1);
    onRead = () => reader.restart();
    reader.restart();
    await read(80);
    expect((await read(80))[0]).toBe(1);
    expect(limits).toEqual([64, 64, 144, 144, 144]);
  });
});
