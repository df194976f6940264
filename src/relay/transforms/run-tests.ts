import { isDeepStrictEqual } from 'node:util';
import type { TransformSettings, TransformTest, TransformTestResults } from '../../contract/transform';
import { entityOf } from '../ground/entity-of';
import { originOf } from '../ground/ids';
import { toIso } from '../ground/iso-time';
import { isJsonObject, writeJson } from '../ground/parse-body';
import { outputOf } from './output-of';
import type { TransformRequest } from './transform-messages';
import { transformUnavailable } from './transform-unavailable';
import type { Transformer } from './transformer';

type Result = TransformTestResults['data'][number];

/** What is tested of the settings of a target. */
export type Tested = Pick<TransformSettings, 'expression' | 'content_type' | 'tests'>;

/** Each of these takes a second, so that other tests are not run. */
const COSTLY = ['too_slow', 'process_ended'];

/** No event has it. */
const NO_EVENT = `evt_${'0'.repeat(26)}`;

/**
 * Runs the tests of an expression.
 * @param name of the target
 * @throws RelayError `transform_unavailable`, 503
 */
export async function runTests(
  tested: Tested,
  name: string,
  transformer: Transformer,
): Promise<TransformTestResults> {
  const data: Result[] = [];
  for (const test of tested.tests ?? []) {
    const outcome = await transformer.evaluate(requestOf(test, tested, name));
    if (outcome === null) throw transformUnavailable();
    if ('failure' in outcome) data.push({ name: test.name, ok: false, error: outcome.failure });
    else data.push(compare(test, outputOf(outcome.body, tested.content_type)));
    if ('failure' in outcome && COSTLY.includes(outcome.failure.code)) break;
  }
  return { failed: data.filter(({ ok }) => !ok).length, data };
}

/** What an event with this payload would be evaluated with. */
function requestOf(
  { input, previous, from_event_id: id = NO_EVENT }: TransformTest,
  { expression, content_type: contentType }: Tested,
  name: string,
): TransformRequest {
  const { receivedAt, seq } = originOf(id);
  const { event, data } = isJsonObject(input) ? input : {};
  const type = typeof event === 'string' ? event : '';
  const entity = isJsonObject(data) ? entityOf(type, data) : null;
  return {
    expression,
    contentType,
    payload: writeJson(input),
    previous: previous === undefined ? undefined : writeJson(previous),
    event: { id, seq, type, entity, received_at: toIso(receivedAt) },
    target: { name },
  };
}

function compare({ name, expected }: TransformTest, output: unknown): Result {
  const differences = differencesOf(expected, output);
  return differences.length === 0 ? { name, ok: true, output } : { name, ok: false, output, differences };
}

function differencesOf(expected: unknown, output: unknown, path = ''): NonNullable<Result['differences']> {
  if (isDeepStrictEqual(expected, output)) return [];
  if (!isJsonObject(expected) || !isJsonObject(output)) return [{ path, expected, output }];
  const names = new Set([...Object.keys(expected), ...Object.keys(output)]);
  return [...names].flatMap((name) =>
    differencesOf(expected[name], output[name], path === '' ? name : `${path}.${name}`),
  );
}
