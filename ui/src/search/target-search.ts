import type { DeliveryState } from '@contract/delivery';
import type { TargetDeliveryFilter } from '../api/deliveries';
import { parseTimeRange, type TimeRange } from '../format/time-range';
import { DELIVERY_LABELS } from '../labels/delivery-labels';

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
const isState = (text: string): text is DeliveryState => text in DELIVERY_LABELS;

/** The parameters of a target's page: the filter of its deliveries, and the time of which all its panels are. */
export type TargetSearch = TargetDeliveryFilter & TimeRange;

export function targetSearch(search: Record<string, unknown>): TargetSearch {
  const [status, error, type] = [search['status'], search['error'], search['type']].map(textOf);
  return {
    ...(status !== undefined && isState(status) && { status }),
    ...(error !== undefined && error !== '' && { error }),
    ...(type !== undefined && type !== '' && { type }),
    ...parseTimeRange(search),
  };
}
