import { isDeepStrictEqual } from 'node:util';
import type { TransformSettings } from '../../contract/transform';
import { writeJson } from '../ground/parse-body';
import { RelayError, type FieldError } from '../ground/relay-error';
import { failurePlace, failureText } from '../transforms/failure-text';
import { runTests } from '../transforms/run-tests';
import type { Transformer } from '../transforms/transformer';
import type { TargetSettings } from './target-record';

/**
 * Checks that the expression of a target fits its format, and that its tests can be stored.
 * @param errors receives an error if they do not
 */
export function checkTransform(
  { transform, format }: Pick<TargetSettings, 'transform' | 'format'>,
  errors: FieldError[],
): void {
  if (transform !== null && format !== 'json')
    errors.push({ path: 'transform', message: 'only for the format json: messages are made by Switchboard' });
  transform?.tests?.forEach((test, i) => {
    if (!isDeepStrictEqual(JSON.parse(writeJson(test)), test))
      errors.push({ path: `transform.tests.${i}`, message: 'has a number that would be rounded' });
  });
}

/** What is wrong with each of the expressions that cannot be compiled. */
export async function faultsOf(
  expressions: readonly string[],
  transformer: Transformer,
): Promise<Map<string, string>> {
  const faults = new Map<string, string>();
  for (const expression of new Set(expressions)) {
    const failure = await transformer.check(expression);
    if (failure !== null) faults.set(expression, failureText(failure));
  }
  return faults;
}

/**
 * @param name of the target
 * @throws RelayError `target_invalid`, `transform_tests_failed`, 422, if the expression of a target cannot be compiled,
 * or, unless it is saved all the same, tests of it fail; `transform_unavailable`, 503, if they cannot be run
 */
export async function assertUsable(
  transform: TransformSettings | null | undefined,
  { name, force }: { name: string; force: boolean },
  transformer: Transformer,
): Promise<void> {
  if (transform === null || transform === undefined) return;
  const faults = await faultsOf([transform.expression], transformer);
  for (const message of faults.values())
    throw new RelayError('target_invalid', 422, 'The expression of the target is invalid.', {
      errors: [{ path: 'transform.expression', message }],
    });
  if (!force) assertNone(await failedTests(transform, name, transformer));
}

/** The tests that fail and why, without values of payloads. @throws RelayError `transform_unavailable`, 503 */
export async function failedTests(
  transform: TransformSettings,
  name: string,
  transformer: Transformer,
): Promise<FieldError[]> {
  const { data } = await runTests(transform, name, transformer);
  return data.flatMap(({ ok, name: test, error, differences = [] }, i) => {
    if (ok) return [];
    const where = differences.map(({ path }) => path || 'the output').join(', ');
    const why = error === undefined ? `not as expected: ${where}` : `failed: ${failurePlace(error)}`;
    return [{ path: `transform.tests.${i}`, message: `"${test}" ${why}` }];
  });
}

/** @throws RelayError `transform_tests_failed`, 422 */
export function assertNone(failed: FieldError[]): void {
  if (failed.length === 0) return;
  throw new RelayError('transform_tests_failed', 422, 'Tests of the expression fail.', {
    remedy:
      'Correct the expression or the tests: POST /api/v1/targets/<id>/transform/test shows the values. Or save it all the same with "force": true.',
    errors: failed,
  });
}
