import timers from 'node:timers/promises';
import { ExportPace } from '../../../src/relay/events/export-pace';
import { Signal } from '../../../src/relay/ground/signal';

const ITEMS = Array.from({ length: 24 }, (_, i) => i);

let now: number;
let commits: Signal<[object]>;
let pace: ExportPace;
let pauses: number[];

beforeEach(() => {
  now = 1_000;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  pauses = [];
  jest.spyOn(timers, 'setTimeout').mockImplementation(async (ms, value) => {
    pauses.push(ms!);
    return value!;
  });
  commits = new Signal<[object]>();
  pace = new ExportPace({ onCommit: commits.subscribe.bind(commits) } as never);
});

afterEach(() => jest.restoreAllMocks());

/** Stores events for five seconds. */
function store(perSecond: number): void {
  for (let n = 0; n < 5 * perSecond; n += 1) {
    now += 1_000 / perSecond;
    commits.emit({ events: [{}] });
  }
}

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
    expect(await turns()).toEqual(LONG);
    store(5);
    expect(await turns()).toEqual(LONG);
    expect(pace.itemsPerRead).toBe(Infinity);
    expect(pauses).toEqual([1, 1, 1, 1]);
  });

  it.each([
    [20, 1],
    [500, 10],
    [5_000, 20],
  ])('is made in short turns and reads beside %d events a second, with pauses of %d ms', async (rate, ms) => {
    store(rate);
    expect(await turns()).toEqual(SHORT);
    expect(pace.itemsPerRead).toBe(64);
    for (const pause of pauses) expect(pause).toBeCloseTo(ms, 0);
  });

  it('gives way while events wait for a slow commit, and no longer once they have ended', async () => {
    store(500);
    now += 1_000;
    expect(await turns()).toEqual(SHORT);
    now += 4_000;
    expect(await turns()).toEqual(LONG);
  });

  it('changes its pace from one turn to the next, and makes each item once', async () => {
    const made = pace.inTurns(ITEMS);
    expect((await made.next()).value).toEqual(ITEMS.slice(0, 16));
    store(20);
    expect((await made.next()).value).toEqual(ITEMS.slice(16, 20));
    now += 5_000;
    expect((await made.next()).value).toEqual(ITEMS.slice(20));
    expect((await made.next()).done).toBe(true);
  });
});
