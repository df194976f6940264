import { ENDED_BY_ERASURE, ERASED_NOTE, ERASURE_RULES, erasureParameters } from '../../erasure-rules';
import type { Committed, EraseStep } from '../../journal/journal';
import type { DeliveryKey } from '../../../ground/ids';
import type { Connection } from '../sqlite-driver';
import type { SqliteDeliveries } from './deliveries';

/** Erases events. @returns the deliveries that were ended */
export function eraseEvents(
  connection: Connection,
  deliveries: SqliteDeliveries,
  step: EraseStep,
): Committed['ended'] {
  const parameters = erasureParameters(step);
  const keys = connection.prepare<[object], DeliveryKey>(ENDED_BY_ERASURE).all(parameters);
  const cancelled = keys.flatMap((key) => {
    const ended = deliveries.end({ key, note: ERASED_NOTE, at: step.at });
    return ended === null ? [] : [{ key, ...ended, deadLetter: null }];
  });
  for (const sql of Object.values(ERASURE_RULES).flat()) connection.prepare(sql).run(parameters);
  return cancelled;
}
