import { GAP_EVENT } from '../../../contract/constants';
import type { DeliverableEvent, Journal } from '../../database/journal/journal';
import { parseBody } from '../../ground/parse-body';
import { conditionOf, dataOf } from '../../targets/system-event-data';
import type { TargetRecord } from '../../targets/target-record';

/** Of more outages, only the first and the last are sent. */
const MAX_OUTAGES = 5;

/** With the order `strict`, the gap event itself is sent at its place. */
const asksForGaps = ({ format, policy, accepts }: TargetRecord) =>
  format === 'json' && policy.ordering !== 'strict' && accepts({ type: GAP_EVENT });

/**
 * The ids of the outages that lie between an event and the one of its entity that was sent to the target before, for
 * targets that receive gap events.
 */
export async function readGapMark(
  { seq, entity }: Pick<DeliverableEvent, 'seq' | 'entity'>,
  target: TargetRecord,
  journal: Pick<Journal, 'readGapsBefore'>,
): Promise<readonly string[]> {
  if (entity === null || !asksForGaps(target)) return [];
  const bodies = await journal.readGapsBefore(seq, target.number, entity);
  const outages = bodies
    .map((body) => conditionOf(dataOf(parseBody(body))))
    .filter((outage) => outage !== null);
  return outages.length > MAX_OUTAGES ? [outages[0]!, outages.at(-1)!] : outages;
}
