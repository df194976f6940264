import type { SelectQueryBuilder } from 'typeorm';
import type { DeliveryQuery } from '../../../contract/delivery';
import { seqOfEventId, type InstanceId } from '../../ground/ids';
import type { DeliveryEntity } from '../delivery.entity';

export type DeliveryFilter = Pick<DeliveryQuery, 'target' | 'event' | 'type' | 'error' | 'since' | 'until'>;

/** Adds the conditions of a filter to a query of deliveries `d` with their events `e` and targets `t`. */
export function filterDeliveries(
  query: SelectQueryBuilder<DeliveryEntity>,
  { target, event, type, error, since, until }: DeliveryFilter,
  instanceId: InstanceId,
): void {
  if (target !== undefined)
    query.andWhere('d.target_id = (SELECT number FROM targets WHERE id = :target)', { target });
  if (event !== undefined)
    query.andWhere('d.event_seq = :seq', { seq: seqOfEventId(event, instanceId) ?? -1 });
  if (type?.includes('*')) query.andWhere(`e.type LIKE :type ESCAPE '!'`, { type: likePattern(type) });
  else if (type !== undefined) query.andWhere('e.type = :type', { type });
  if (error !== undefined) {
    const { column, value } = errorCondition(error);
    query.andWhere(`d.${column} = :failure`, { failure: value });
  }
  if (since !== undefined) query.andWhere('d.created_at >= :since', { since });
  if (until !== undefined) query.andWhere('d.created_at < :until', { until });
}

/** An event type pattern, as an SQL LIKE pattern with the escape character `!`. */
export const likePattern = (pattern: string) =>
  pattern
    .split('*')
    .map((text) => text.replace(/[!%_]/g, '!$&'))
    .join('%');

/** The column and the value that the parameter `error` selects: an HTTP status or the name of an error. */
export const errorCondition = (error: string): { column: string; value: string | number } =>
  /^\d+$/.test(error)
    ? { column: 'last_status', value: Number(error) }
    : { column: 'last_error', value: error };
