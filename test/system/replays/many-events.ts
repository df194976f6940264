import { Switchboard } from '../../support/daemon/switchboard';
import { RecordingTarget, type Hit } from '../../support/fakes/recording-target';
import type { TargetCreated } from '../../../src/contract/target';
import {
  replayDetail,
  type ReplayPreview,
  replayPreview,
  type ReplayDetail,
} from '../../../src/contract/replay';
import { until } from '../../support/until';

export const SECOND = 1_000;

export let switchboard: Switchboard;
export let receiver: RecordingTarget;
export let other: RecordingTarget;
export let target: TargetCreated;
/** Identifies the events of one test by their type. */
export let testNumber = 0;
export let type = '';

export const start = (json: object) => switchboard.read(replayDetail, '/replays', { method: 'POST', json });
export const preview = (json: object): Promise<ReplayPreview> =>
  switchboard.read(replayPreview, '/replays/preview', { method: 'POST', json });
export const get = (id: string) => switchboard.read(replayDetail, `/replays/${id}`);
export const act = (id: string, what: string) =>
  switchboard.read(replayDetail, `/replays/${id}/${what}`, { method: 'POST' });

/** Requests of one replay, in the order of their arrival. */
export const ofReplay = (id: string, at: RecordingTarget = receiver): Hit[] =>
  at.hits.filter(({ headers }) => headers['switchboard-replay'] === id);
export const idsOf = (hits: readonly Hit[]) => hits.map(({ headers }) => String(headers['webhook-id']));

export async function ended(id: string): Promise<ReplayDetail> {
  let found!: ReplayDetail;
  await until(`${id} ends`, async () => (found = await get(id)).ended_at !== null);
  return found;
}

/** Emits this many events, and waits until the target has received them live. */
export async function emitted(count: number, data: (i: number) => Record<string, unknown> = () => ({})) {
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) ids.push(await switchboard.emit(type, data(i)));
  await until('the live deliveries arrive', () => ids.every((id) => receiver.of(id).length > 0));
  for (const id of ids)
    await switchboard.deliveryOnce(
      id,
      target.id,
      ({ state }) => state !== 'pending' && state !== 'in_flight',
    );
  return ids;
}

/** Starts the daemon again on the data of the stopped one. */
export async function startAgain(): Promise<void> {
  await switchboard.restart();
}

/** Starts a daemon with two receivers, and a target for the events of each test. */
export function useReplays(): void {
  beforeAll(async () => {
    switchboard = await Switchboard.start();
    receiver = await RecordingTarget.start();
    other = await RecordingTarget.start();
  });
  beforeEach(async () => {
    testNumber += 1;
    type = `deal.number_${testNumber}`;
    receiver.respondWith(200);
    other.respondWith(200);
    target = await switchboard.addTarget(`target ${testNumber}`, receiver.url, [type]);
  });
  afterEach(() => switchboard.removeTarget(target));
  afterAll(async () => {
    await switchboard.end();
    await receiver.close();
    await other.close();
  });
}
