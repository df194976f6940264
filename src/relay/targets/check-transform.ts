import type { TransformSettings } from '../../contract/transform';
import { RelayError, type FieldError } from '../ground/relay-error';
import { failureText } from '../transforms/failure-text';
import type { Transformer } from '../transforms/transformer';
import type { TargetSettings } from './target-record';

/**
 * Checks that the expression of a target fits its format.
 * @param errors receives an error if it does not
 */
export function checkTransform(
  { transform, format }: Pick<TargetSettings, 'transform' | 'format'>,
  errors: FieldError[],
): void {
  if (transform !== null && format !== 'json')
    errors.push({ path: 'transform', message: 'only for the format json: messages are made by Switchboard' });
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

/** @throws RelayError `target_invalid`, 422, if the expression of a target cannot be compiled */
export async function assertCompiles(
  transform: TransformSettings | null | undefined,
  transformer: Transformer,
): Promise<void> {
  if (transform === null || transform === undefined) return;
  const faults = await faultsOf([transform.expression], transformer);
  for (const message of faults.values())
    throw new RelayError('target_invalid', 422, 'The expression of the target is invalid.', {
      errors: [{ path: 'transform.expression', message }],
    });
}
