import type { SelectQueryBuilder } from 'typeorm';
import type { EventNarrowing } from '../../../contract/event';
import { bodyText, lowerLatin } from '../../database/text-index/body-text';
import type { EventEntity } from '../event.entity';
import { rankOfStatus, STATUS_RANK } from './event-status';

const WENT_TO = `EXISTS (SELECT 1 FROM deliveries w JOIN targets t ON t.number = w.target_id
  WHERE w.event_seq = e.seq AND t.id = :target)`;

/** Holds events `e` to what a query asks for. */
export function narrowQuery(
  rows: SelectQueryBuilder<EventEntity>,
  { type, entity, status, target, since, until, q }: EventNarrowing,
): SelectQueryBuilder<EventEntity> {
  if (type !== undefined && type.length > 0) {
    // LIKE knows no case: a type without a pattern is compared as it is, as along the index.
    const any = type.map((glob, i) =>
      isPattern(glob) ? `e.type LIKE :type${i} ESCAPE '!'` : `e.type = :type${i}`,
    );
    const values = type.map((glob, i) => [`type${i}`, isPattern(glob) ? likePattern(glob) : glob] as const);
    rows.andWhere(`(${any.join(' OR ')})`, Object.fromEntries(values));
  }
  if (entity !== undefined) rows.andWhere('e.entity = :entity', { entity });
  if (status !== undefined) rows.andWhere(`${STATUS_RANK} = :rank`, { rank: rankOfStatus(status) });
  if (target !== undefined) rows.andWhere(WENT_TO, { target });
  if (since !== undefined) rows.andWhere('e.received_at >= :since', { since });
  if (until !== undefined) rows.andWhere('e.received_at < :until', { until });
  if (q !== undefined)
    rows.andWhere(`${bodyText('e')} LIKE :text ESCAPE '!'`, { text: `%${escapeLike(lowerLatin(q))}%` });
  return rows;
}

export const isPattern = (glob: string) => glob.includes('*');

const escapeLike = (text: string) => text.replace(/[!%_]/g, '!$&');

const likePattern = (glob: string) => glob.split('*').map(escapeLike).join('%');
