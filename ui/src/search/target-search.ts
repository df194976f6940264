import type { DeliveryState } from '@contract/delivery';
import type { StatsPeriod } from '@contract/stats';
import type { TargetDeliveryFilter } from '../api/deliveries';
import { DELIVERY_LABELS } from '../labels/delivery-labels';

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
const isState = (text: string): text is DeliveryState => text in DELIVERY_LABELS;

/** The filter of a target's deliveries. */
function deliverySearch(search: Record<string, unknown>): TargetDeliveryFilter {
  const [status, error, type] = [search['status'], search['error'], search['type']].map(textOf);
  return {
    ...(status !== undefined && isState(status) && { status }),
    ...(error !== undefined && error !== '' && { error }),
    ...(type !== undefined && type !== '' && { type }),
  };
}

/** In display order. The day is the default and is left out of the URL. */
export const ERROR_PERIODS: readonly StatsPeriod[] = ['hour', 'day', 'week'];

/** The parameters of a target's page: the filter of its deliveries and the period of its errors. */
export function targetSearch(
  search: Record<string, unknown>,
): TargetDeliveryFilter & { errors?: StatsPeriod } {
  const period = ERROR_PERIODS.find((one) => one === search['errors']);
  return { ...deliverySearch(search), ...(period !== undefined && period !== 'day' && { errors: period }) };
}
