import type { Filter } from '../../contract/filter';
import { isJsonObject } from '../ground/parse-body';
import { RelayError } from '../ground/relay-error';
import { MASKED, type PayloadMask } from './payload-mask';

/** Conditions by which a caller would learn what a payload contains. */
interface Conditions {
  payload?: Filter | null | undefined;
  q?: string | null | undefined;
}

const COMBINING = ['$and', '$or', '$not'];

/**
 * Rejects conditions on masked values: whether an event matches would tell what the value is. @throws RelayError
 * `payload_masked`, 403
 */
export function assertNotMasked({ payload, q }: Conditions, mask: PayloadMask | null): void {
  if (mask === null) return;
  if (typeof q === 'string') throw payloadMasked('A search for text would find masked values.');
  const masked = payload && pathsIn(payload).find((path) => mask.covers(path));
  if (typeof masked === 'string') throw payloadMasked(`A condition on ${masked} would tell a masked value.`);
}

/** A filter without what it compares masked values with. @param filter already validated */
export function maskFilter(filter: Filter, mask: PayloadMask): Filter {
  const masked = Object.entries(filter).map(([key, value]) => {
    if (key === '$not') return [key, maskFilter(value as Filter, mask)] as const;
    if (COMBINING.includes(key))
      return [key, (value as Filter[]).map((one) => maskFilter(one, mask))] as const;
    return [key, mask.covers(key) ? MASKED : value] as const;
  });
  return Object.fromEntries(masked);
}

/** Why something is not shown to a caller without the scope `reveal`. */
export const payloadMasked = (
  detail: string,
  remedy = 'Use a token with the scope `reveal`, or a role that includes it.',
) => new RelayError('payload_masked', 403, detail, { remedy });

/** The paths of a filter that may be invalid. */
export function pathsIn(filter: Filter): string[] {
  const paths: string[] = [];
  const open: unknown[] = [filter];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) for (const one of next) open.push(one);
    else if (isJsonObject(next))
      for (const [key, value] of Object.entries(next)) {
        if (COMBINING.includes(key)) open.push(value);
        else paths.push(key);
      }
  }
  return paths;
}
