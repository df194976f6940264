import { parentPort } from 'node:worker_threads';
import { compileConditions } from '../../filters/body-conditions';
import { valuesAt } from '../../filters/filter-paths';
import { parseBody } from '../../ground/parse-body';
import type { FieldsOfEvent } from '../reading/reader';

/** Bodies to check conditions on, or to read values from. */
export type BodiesRequest = { bodies: Uint8Array[] } & (
  | { conditions: string; paths?: undefined }
  | { paths: readonly string[]; conditions?: undefined }
);

/** For each body whether it matches, or the values. */
export interface BodiesResponse {
  matching?: boolean[];
  fields?: FieldsOfEvent['fields'][];
  error?: string;
}

/** Each message is one request; null ends the thread. Reading thousands of bodies would block the main thread. */
const port = parentPort!;

port.on('message', (request: BodiesRequest | null) => {
  if (request === null) port.close();
  else port.postMessage(respond(request));
});

function respond({ bodies, conditions, paths }: BodiesRequest): BodiesResponse {
  try {
    if (paths === undefined) return { matching: bodies.map(compileConditions(conditions)) };
    return { fields: bodies.map((body) => valuesAt(paths, parseBody(body)) as FieldsOfEvent['fields']) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}
