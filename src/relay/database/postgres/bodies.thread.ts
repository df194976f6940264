import { parentPort } from 'node:worker_threads';
import { compileFilter } from '../../filters/compile-filter';
import { valuesAt } from '../../filters/filter-paths';
import { parseBody } from '../../ground/parse-body';
import type { FieldsOfEvent } from '../reader';

/** JSON bodies to match against a filter, or to read values from. */
export type BodiesRequest = { bodies: Uint8Array[] } & (
  | { filter: string; paths?: undefined }
  | { paths: readonly string[]; filter?: undefined }
);

/** For each body whether it matches, or the values. */
export interface BodiesResponse {
  matching?: boolean[];
  fields?: FieldsOfEvent['fields'][];
  error?: string;
}

/** Each message is one request; null ends the thread. Parsing thousands of bodies would block the main thread. */
const port = parentPort!;

port.on('message', (request: BodiesRequest | null) => {
  if (request === null) port.close();
  else port.postMessage(respond(request));
});

function respond({ bodies, filter, paths }: BodiesRequest): BodiesResponse {
  try {
    const values = bodies.map(parseBody);
    if (paths !== undefined)
      return { fields: values.map((value) => valuesAt(paths, value) as FieldsOfEvent['fields']) };
    const matches = compileFilter(JSON.parse(filter) as Record<string, unknown>);
    return { matching: values.map((value) => matches(value)) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}
