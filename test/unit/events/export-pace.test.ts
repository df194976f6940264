import { ExportPace } from '../../../src/relay/events/export-pace';
import { Signal } from '../../../src/relay/ground/signal';

const ITEMS = Array.from({ length: 20 }, (_, i) => i);

let commits: Signal<[object]>;
let pace: ExportPace;

beforeEach(() => {
  commits = new Signal<[object]>();
  pace = new ExportPace({ onCommit: commits.subscribe.bind(commits) } as never);
});

async function turns(): Promise<(readonly number[])[]> {
  const made = [];
  for await (const turn of pace.inTurns(ITEMS)) made.push(turn);
  return made;
}

describe('an export', () => {
  it('is made in long turns and reads while no events are stored', async () => {
    commits.emit({ events: [] });
    expect(await turns()).toEqual([ITEMS.slice(0, 16), ITEMS.slice(16)]);
    expect(pace.itemsPerRead).toBe(256);
  });

  it('is made in shorter turns and reads once an event is stored', async () => {
    const made = pace.inTurns(ITEMS);
    expect((await made.next()).value).toHaveLength(16);
    commits.emit({ events: [{}] });
    expect((await made.next()).value).toEqual(ITEMS.slice(16));
    expect((await pace.inTurns(ITEMS).next()).value).toHaveLength(4);
    expect(pace.itemsPerRead).toBe(64);
  });
});
