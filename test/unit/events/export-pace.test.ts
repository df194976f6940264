import { ExportPace } from '../../../src/relay/events/export-pace';
import { Signal } from '../../../src/relay/ground/signal';

const ITEMS = Array.from({ length: 24 }, (_, i) => i);

let now: number;
let commits: Signal<[object]>;
let pace: ExportPace;

beforeEach(() => {
  now = 1_000;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  commits = new Signal<[object]>();
  pace = new ExportPace({ onCommit: commits.subscribe.bind(commits) } as never);
});

afterEach(() => jest.restoreAllMocks());

async function turns(): Promise<number[]> {
  const made = [];
  for await (const turn of pace.inTurns(ITEMS)) made.push(turn.length);
  return made;
}

const LONG = [16, 8];
const SHORT = [4, 4, 4, 4, 4, 4];

describe('an export', () => {
  it('is made in long turns while no events are stored, or few', async () => {
    commits.emit({ events: [] });
    commits.emit({ events: [{}] });
    now += 100;
    commits.emit({ events: [{}] });
    expect(await turns()).toEqual(LONG);
    expect(pace.itemsPerRead).toBe(Infinity);
  });

  it.each([
    ['that are stored together', () => commits.emit({ events: [{}, {}] })],
    [
      'within a tenth of a second',
      () => {
        commits.emit({ events: [{}] });
        now += 99;
        commits.emit({ events: [{}] });
      },
    ],
  ])('is made in short turns and reads for a second after events %s', async (_, store) => {
    store();
    now += 999;
    expect(await turns()).toEqual(SHORT);
    expect(pace.itemsPerRead).toBe(64);
    now += 1;
    expect(await turns()).toEqual(LONG);
  });

  it('changes its pace from one turn to the next, and makes each item once', async () => {
    const made = pace.inTurns(ITEMS);
    expect((await made.next()).value).toEqual(ITEMS.slice(0, 16));
    commits.emit({ events: [{}, {}] });
    expect((await made.next()).value).toEqual(ITEMS.slice(16, 20));
    now += 1_000;
    expect((await made.next()).value).toEqual(ITEMS.slice(20));
    expect((await made.next()).done).toBe(true);
  });
});
