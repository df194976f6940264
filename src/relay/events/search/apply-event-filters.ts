import type { SelectQueryBuilder } from 'typeorm';
import { SYSTEM_EVENT_PREFIX, UNREADABLE_TYPE } from '../../../contract/constants';
import type { EventFilters } from '../../../contract/event';
import { NOT_ERASED } from '../../database/erasure-rules';
import { inJsonList, matchesPattern } from '../../database/reading/dialect';
import type { EventEntity } from '../event.entity';
import { rankOfStatus, statusRank } from './event-status';

const HAS_DELIVERY_TO_TARGET = `EXISTS (SELECT 1 FROM deliveries w JOIN targets t ON t.number = w.target_id
  WHERE w.event_seq = e.seq AND t.id = :target)`;

const IS_SYSTEM_EVENT = matchesPattern('e.type', `'${SYSTEM_EVENT_PREFIX}*'`);
const IS_UNSIGNED = `e.signature_header = ''`;

const ORIGINS: Record<NonNullable<EventFilters['origin']>, string> = {
  copilot: `NOT ${IS_UNSIGNED}`,
  switchboard: IS_SYSTEM_EVENT,
  synthetic: `${IS_UNSIGNED} AND NOT ${IS_SYSTEM_EVENT}`,
  not_switchboard: `NOT ${IS_SYSTEM_EVENT}`,
};

/**
 * Limits a query on events `e` to those that match the filters of a list, except for those that need the body
 * (`bodyConditions`). Only readable events can meet conditions on the payload.
 */
export function applyEventFilters(
  rows: SelectQueryBuilder<EventEntity>,
  { seq, type, entity, status, target, since, until, q, payload, origin }: EventFilters,
): SelectQueryBuilder<EventEntity> {
  if (seq !== undefined) rows.andWhere(`e.seq ${inJsonList(':seqs')}`, { seqs: JSON.stringify(seq) });
  if (type !== undefined && type.length > 0) {
    // LIKE ignores case: a type without `*` is compared exactly, as in the index.
    const conditions = type.map((pattern, i) =>
      isPattern(pattern) ? `e.type LIKE :type${i} ESCAPE '!'` : `e.type = :type${i}`,
    );
    const values = type.map(
      (pattern, i) => [`type${i}`, isPattern(pattern) ? likePattern(pattern) : pattern] as const,
    );
    rows.andWhere(`(${conditions.join(' OR ')})`, Object.fromEntries(values));
  }
  if (entity !== undefined) rows.andWhere('e.entity = :entity', { entity });
  if (status !== undefined)
    rows.andWhere(`${statusRank({ target })} = :rank`, { rank: rankOfStatus(status) });
  if (target !== undefined) rows.andWhere(HAS_DELIVERY_TO_TARGET, { target });
  if (since !== undefined) rows.andWhere('e.received_at >= :since', { since });
  if (until !== undefined) rows.andWhere('e.received_at < :until', { until });
  if (payload !== undefined || q !== undefined) rows.andWhere(NOT_ERASED);
  if (payload !== undefined) rows.andWhere(`e.type <> '${UNREADABLE_TYPE}'`);
  if (origin !== undefined) rows.andWhere(ORIGINS[origin]);
  return rows;
}

export const isPattern = (type: string) => type.includes('*');

const escapeLike = (text: string) => text.replace(/[!%_]/g, '!$&');

const likePattern = (type: string) => type.split('*').map(escapeLike).join('%');
