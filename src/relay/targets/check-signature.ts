import type { FieldError } from '../ground/relay-error';
import { isReservedHeader } from './reserved-headers';
import type { TargetSettings } from './target-record';

/**
 * Checks that the signatures of a target fit its other settings.
 * @param errors receives an error for each field that does not
 */
export function checkSignature(
  {
    signature,
    ed25519,
    format,
    headers,
  }: Pick<TargetSettings, 'signature' | 'ed25519' | 'format' | 'headers'>,
  errors: FieldError[],
): void {
  if (format !== 'json')
    for (const [path, isSet] of Object.entries({ signature: signature !== null, ed25519 }))
      if (isSet) errors.push({ path, message: 'only for the format json: messages are not signed' });
  if (signature === null) return;
  const { header: name } = signature;
  const path = 'signature.header';
  if (isReservedHeader(name)) errors.push({ path, message: `${name} is set by Switchboard` });
  if (headers.some((header) => header.name === name))
    errors.push({ path, message: `${name} is also one of the headers` });
}
