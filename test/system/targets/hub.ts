import { problem } from '../../../src/contract/problem';
import { targetPatched } from '../../../src/contract/target';
import { Switchboard } from '../../support/daemon/switchboard';
import { useReceivers } from '../../support/fakes/receivers';
import type { Hit, RecordingTarget } from '../../support/fakes/recording-target';
import { until } from '../../support/until';

export let switchboard: Switchboard;
export let receiver: RecordingTarget;
export const startReceiver = useReceivers();

/** Starts a daemon and a receiver. */
export function useHub(): void {
  beforeAll(async () => {
    receiver = await startReceiver();
    switchboard = await Switchboard.start();
  });

  afterAll(() => switchboard.end());
}

/** Starts the daemon again on the data of the stopped one. */
export async function startAgain(environment: Record<string, string> = {}): Promise<void> {
  await switchboard.restart(environment);
}

let saved = 0;
export const save = (url: string, name = `saved ${(saved += 1)}`) =>
  switchboard.ask('/targets', { method: 'POST', json: { name, url, events: ['never.*'] } });

export const rejectedAddress = async (url: string) => {
  const { status, json } = await save(url);
  return { url, status, code: problem.parse(json).code };
};

export const patch = (id: string, json: object) =>
  switchboard.read(targetPatched, `/targets/${id}`, { method: 'PATCH', json });

/** Without an id, `json` is of a new target. */
export const rejected = async (json: object, id?: string) => {
  const { status, json: answer } = await switchboard.ask(id === undefined ? '/targets' : `/targets/${id}`, {
    method: id === undefined ? 'POST' : 'PATCH',
    json: id === undefined ? { name: 'rejected', url: receiver.url, ...json } : json,
  });
  const { code, errors = [] } = problem.parse(answer);
  return { status, code, paths: errors.map(({ path }) => path) };
};

export const arrived = async (id: string): Promise<Hit> => {
  await until('the request arrives', () => receiver.of(id).length > 0);
  return receiver.of(id)[0]!;
};
