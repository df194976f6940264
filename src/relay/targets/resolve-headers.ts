import type { Problem } from '../../contract/problem';
import type { TargetPatch } from '../../contract/target';
import { isReservedHeader } from './reserved-headers';
import type { ExtraHeader } from './target-record';

type Faults = NonNullable<Problem['errors']>;

/**
 * The headers that a target is to have from now on. A secret one without a value keeps the value that it has.
 * @param faults takes what is wrong, with its path
 */
export function resolveHeaders(
  wanted: NonNullable<TargetPatch['headers']>,
  before: readonly ExtraHeader[],
  faults: Faults,
): ExtraHeader[] {
  const names = wanted.map(({ name }) => name);
  return wanted.map(({ name, value, secret }, i) => {
    if (isReservedHeader(name))
      faults.push({ path: `headers.${i}.name`, message: `${name} is not the operator's to set` });
    if (names.indexOf(name) < i) faults.push({ path: `headers.${i}.name`, message: `${name} stands twice` });
    const kept = secret ? before.find((one) => one.name === name && one.secret)?.value : undefined;
    const settled = value ?? kept;
    if (settled === undefined)
      faults.push({ path: `headers.${i}.value`, message: `the value of ${name} has to be given` });
    return { name, value: settled ?? '', secret };
  });
}
