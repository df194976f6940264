import { parentPort } from 'node:worker_threads';
import { judgeBodies, type BodyBefore } from '../../filters/body-conditions';
import { valuesAt } from '../../filters/filter-paths';
import { lowerThreadPriority } from '../../ground/lower-thread-priority';
import { parseBody } from '../../ground/parse-body';
import type { Verdict } from '../../filters/verdict';
import type { FieldsOfEvent } from '../reading/reader';

/** Bodies to check conditions on, or to read values from. */
export type BodiesRequest = { bodies: Uint8Array[] } & (
  | { conditions: readonly string[]; before: BodyBefore[]; paths?: undefined }
  | { paths: readonly string[]; conditions?: undefined }
);

/** For each body the verdicts, as `JudgeBody` returns them, or the values. */
export interface BodiesResponse {
  verdicts?: (readonly Verdict[] | null)[];
  fields?: FieldsOfEvent['fields'][];
  error?: string;
}

/** As the thread that reads from SQLite: acknowledgements do not wait while lists are read. */
const PRIORITY_STEPS = 10;

/** Each message is one request; null ends the thread. Reading thousands of bodies would block the main thread. */
const port = parentPort!;
lowerThreadPriority(PRIORITY_STEPS);

port.on('message', (request: BodiesRequest | null) => {
  if (request === null) port.close();
  else port.postMessage(respond(request));
});

function respond({ bodies, ...request }: BodiesRequest): BodiesResponse {
  try {
    if (request.paths === undefined) {
      const judge = judgeBodies(request.conditions);
      return { verdicts: bodies.map((body, i) => judge(body, request.before[i])) };
    }
    const { paths } = request;
    return { fields: bodies.map((body) => valuesAt(paths, parseBody(body)) as FieldsOfEvent['fields']) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}
