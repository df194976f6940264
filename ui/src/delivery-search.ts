import type { DeliveryState } from '../../src/contract/delivery';
import type { TargetDeliveryFilter } from './api/deliveries';
import { DELIVERY_WORDS } from './text/delivery-words';

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
const isState = (text: string): text is DeliveryState => text in DELIVERY_WORDS;

/** The filter of a target's deliveries as its address tells it; what is not a filter is dropped. */
export function deliverySearch(search: Record<string, unknown>): TargetDeliveryFilter {
  const [status, error, type] = [search['status'], search['error'], search['type']].map(textOf);
  return {
    ...(status !== undefined && isState(status) && { status }),
    ...(error !== undefined && error !== '' && { error }),
    ...(type !== undefined && type !== '' && { type }),
  };
}
