import type { SelectQueryBuilder } from 'typeorm';
import type { DeliveryQuery } from '../../../contract/delivery';
import { seqOfEventId } from '../../ground/ids';
import type { DeliveryEntity } from '../delivery.entity';

export type DeliveryFilter = Pick<DeliveryQuery, 'target' | 'event' | 'type' | 'error' | 'since' | 'until'>;

/** Leaves of deliveries `d`, with their events `e` and targets `t`, those that match. */
export function narrowDeliveries(
  query: SelectQueryBuilder<DeliveryEntity>,
  { target, event, type, error, since, until }: DeliveryFilter,
  hub: number,
): void {
  if (target !== undefined)
    query.andWhere('d.target_id = (SELECT number FROM targets WHERE id = :target)', { target });
  if (event !== undefined) query.andWhere('d.event_seq = :seq', { seq: seqOfEventId(event, hub) ?? -1 });
  if (type?.includes('*')) query.andWhere(`e.type LIKE :type ESCAPE '!'`, { type: likePattern(type) });
  else if (type !== undefined) query.andWhere('e.type = :type', { type });
  if (error !== undefined) {
    const { column, value } = failureOf(error);
    query.andWhere(`d.${column} = :failure`, { failure: value });
  }
  if (since !== undefined) query.andWhere('d.created_at >= :since', { since });
  if (until !== undefined) query.andWhere('d.created_at < :until', { until });
}

/** A glob as LIKE takes it, with `!` before what means itself. */
export const likePattern = (glob: string) =>
  glob
    .split('*')
    .map((text) => text.replace(/[!%_]/g, '!$&'))
    .join('%');

/** How the last attempt failed, or the status that was answered, and where it stands. */
export const failureOf = (error: string): { column: string; value: string | number } =>
  /^\d+$/.test(error)
    ? { column: 'last_status', value: Number(error) }
    : { column: 'last_error', value: error };
