import type { ValueChange } from '../../contract/entity';
import type { RepairAction, RepairOutcome } from '../../contract/repair';
import type { EntityState } from '../events/entities/entity-states.query';
import { isDeleted } from '../events/entities/present-state';
import { recordChanges } from '../events/entities/record-changes';
import { isJsonObject, parseBody } from '../ground/parse-body';

/** A deal as it was read. */
export interface ReadDeal {
  version: number | null;
  /** Parsed JSON. */
  record: unknown;
}

export type Comparison = Exclude<RepairAction, 'absent'> | Exclude<RepairOutcome, 'stored'>;

/**
 * Compares a deal that was read with what is known of it. Events that were stored since the first request win over what
 * was read, unless they are of an older version.
 * @param lowSeq the newest event before the first request
 */
export function compareDeal(deal: ReadDeal, state: EntityState | null, lowSeq: number): Comparison {
  if (state === null) return 'missing';
  const newer = deal.version === null || state.version === null ? null : deal.version - state.version;
  if (state.seq > lowSeq && (newer === null || newer <= 0)) return 'arrived_meanwhile';
  if (newer !== null && newer < 0) return 'older';
  if (isDeleted(state.type)) return newer === 0 ? 'older' : 'missing';
  return dealChanges(state, deal.record).length === 0 ? 'same' : 'changed';
}

/**
 * How a record that was read differs from the known one. What only one of both has says nothing: a list may have more
 * or fewer fields than a notification.
 */
export function dealChanges(state: Pick<EntityState, 'body'> | null, record: unknown): ValueChange[] {
  const known = state === null ? undefined : recordOf(state);
  if (!isJsonObject(known) || !isJsonObject(record)) return recordChanges(known, record);
  const shared = Object.keys(known).filter((name) => Object.hasOwn(record, name));
  const pick = (from: Record<string, unknown>) =>
    Object.fromEntries(shared.map((name) => [name, from[name]]));
  return recordChanges(pick(known), pick(record));
}

export function recordOf({ body }: Pick<EntityState, 'body'>): unknown {
  const payload = parseBody(body);
  return isJsonObject(payload) ? payload['data'] : undefined;
}
