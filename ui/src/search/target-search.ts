import type { DeliveryState } from '../../../src/contract/delivery';
import type { StatsSpan } from '../../../src/contract/stats';
import type { TargetDeliveryFilter } from '../api/deliveries';
import { DELIVERY_LABELS } from '../labels/delivery-labels';

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
const isState = (text: string): text is DeliveryState => text in DELIVERY_LABELS;

/** The filter of a target's deliveries as its address tells it; what is not a filter is dropped. */
function deliverySearch(search: Record<string, unknown>): TargetDeliveryFilter {
  const [status, error, type] = [search['status'], search['error'], search['type']].map(textOf);
  return {
    ...(status !== undefined && isState(status) && { status }),
    ...(error !== undefined && error !== '' && { error }),
    ...(type !== undefined && type !== '' && { type }),
  };
}

/** In the order in which they are offered; the day needs no word in the address. */
export const ERROR_SPANS: readonly StatsSpan[] = ['hour', 'day', 'week'];

/** The page of a target as its address tells it: the filter of its deliveries, and how far back its errors are counted. */
export function targetSearch(search: Record<string, unknown>): TargetDeliveryFilter & { errors?: StatsSpan } {
  const span = ERROR_SPANS.find((one) => one === search['errors']);
  return { ...deliverySearch(search), ...(span !== undefined && span !== 'day' && { errors: span }) };
}
