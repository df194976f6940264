import type { Ending } from '../../contract/delivery';
import type { TargetRecord } from '../targets/target-record';

type Terms = Pick<TargetRecord, 'disabled' | 'policy'>;

const SECOND = 1_000;

/**
 * What ends an open delivery without another attempt; null where nothing does.
 * @param createdAt when it was made, in ms since 1970
 * @param earliest see {@link TimeBounds}: too old is only what both clocks call so
 */
export function endingOf(createdAt: number, terms: Terms, earliest: number): Ending | null {
  if (terms.disabled !== null && createdAt <= terms.disabled.at) return 'gone';
  return createdAt <= expiredThrough(terms, earliest) ? 'expired' : null;
}

/** Whatever was made until then ends. */
export const endedThrough = (terms: Terms, earliest: number): number =>
  Math.max(terms.disabled?.at ?? -Infinity, expiredThrough(terms, earliest));

const expiredThrough = ({ policy }: Terms, earliest: number) => earliest - policy.max_age_s * SECOND;
