import type { SelectQueryBuilder } from 'typeorm';
import type { DeliveryQuery } from '../../contract/delivery';
import { seqOfEventId } from '../ids';
import type { DeliveryEntity } from './delivery.entity';

export type DeliveryFilter = Pick<DeliveryQuery, 'target' | 'event' | 'type' | 'error' | 'since' | 'until'>;

/** Leaves of deliveries `d`, with their events `e` and targets `t`, those that match. */
export function narrowDeliveries(
  query: SelectQueryBuilder<DeliveryEntity>,
  { target, event, type, error, since, until }: DeliveryFilter,
  hub: number,
): void {
  if (target !== undefined) query.andWhere('t.id = :target', { target });
  if (event !== undefined) query.andWhere('d.event_seq = :seq', { seq: seqOfEventId(event, hub) ?? -1 });
  if (type?.includes('*')) query.andWhere(`e.type LIKE :type ESCAPE '!'`, { type: likePattern(type) });
  else if (type !== undefined) query.andWhere('e.type = :type', { type });
  if (error !== undefined && /^\d+$/.test(error))
    query.andWhere('d.last_status = :lastStatus', { lastStatus: Number(error) });
  else if (error !== undefined) query.andWhere('d.last_error = :error', { error });
  if (since !== undefined) query.andWhere('d.created_at >= :since', { since });
  if (until !== undefined) query.andWhere('d.created_at < :until', { until });
}

const likePattern = (glob: string) =>
  glob
    .split('*')
    .map((text) => text.replace(/[!%_]/g, '!$&'))
    .join('%');
