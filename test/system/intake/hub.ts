import { problem } from '../../../src/contract/problem';
import { rejectionPage, type Rejection } from '../../../src/contract/rejection';
import { stats } from '../../../src/contract/stats';
import { Switchboard } from '../../support/daemon/switchboard';
import { RecordingTarget } from '../../support/fakes/recording-target';
import type { TestResponse } from '../../support/http';
import { until } from '../../support/until';

export const BODY_LIMIT_BYTES = 4_096;

export let switchboard: Switchboard;
/** Receives every event. */
export let everything: RecordingTarget;
/** Receives every readable event, by several patterns. */
export let patterns: RecordingTarget;

/** Starts a daemon that accepts bodies up to the limit. */
export function useHub(): void {
  beforeAll(async () => {
    switchboard = await Switchboard.start({
      environment: { SWITCHBOARD_BODY_LIMIT_BYTES: String(BODY_LIMIT_BYTES) },
    });
  });

  afterAll(() => switchboard.end());
}

/** Adds the two targets to the daemon. */
export function useTargets(): void {
  beforeAll(async () => {
    everything = await RecordingTarget.start();
    patterns = await RecordingTarget.start();
    await switchboard.addTarget('everything', everything.url, ['*']);
    await switchboard.addTarget('patterns', patterns.url, ['*.*', 'deal.*', 'unreadable', '**']);
  });

  afterAll(async () => {
    await everything.close();
    await patterns.close();
  });
}

export const accepted = {
  status: 200,
  json: { id: expect.stringMatching(/^evt_[0-9a-z]{26}$/), status: 'accepted' },
};
export const idOf = ({ json }: TestResponse) => (json as { id: string }).id;

export const eventsStored = async () => (await switchboard.read(stats, '/stats')).received.accepted;
export const rejections = async () =>
  (await switchboard.read(rejectionPage, '/rejections?limit=200')).data satisfies Rejection[];

export function expectProblem(response: TestResponse, status: number, code: string): void {
  expect(response).toMatchObject({ status, json: { status, code } });
  expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(problem.parse(response.json)).toEqual(response.json);
}

export async function untilReceived(target: RecordingTarget, id: string): Promise<void> {
  await until(`${id} arrives`, () => target.of(id).length > 0);
}
