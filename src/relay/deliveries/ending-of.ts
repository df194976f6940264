import type { Ending } from '../../contract/delivery';
import type { TargetRecord } from '../targets/target-record';

/** What ends an open delivery without another attempt; null where nothing does. @param createdAt when it was made, in ms since 1970 */
export function endingOf(createdAt: number, { disabled }: Pick<TargetRecord, 'disabled'>): Ending | null {
  return disabled !== null && createdAt <= disabled.at ? 'gone' : null;
}
