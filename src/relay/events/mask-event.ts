import type { EventDetail, EventSummary, ListedEvent } from '../../contract/event';
import { maskDelivery } from '../deliveries/mask-delivery';
import { MASKED, type PayloadMask } from '../filters/payload-mask';

/** An event of a list as a caller with this mask may see it. A field is masked if anything in it is. */
export function maskEvent<Shown extends EventSummary & Pick<ListedEvent, 'fields'>>(
  event: Shown,
  mask: PayloadMask | null,
): Shown {
  if (mask === null) return event;
  const { type, name, fields } = event;
  return {
    ...event,
    name: name !== null && mask.coversName(type) ? MASKED : name,
    ...(fields && {
      fields: Object.fromEntries(
        Object.entries(fields).map(([path, value]) => [path, mask.covers(path, type) ? MASKED : value]),
      ),
    }),
  };
}

/** An event with its deliveries as a caller with this mask may see it. */
export const maskDetail = (event: EventDetail, mask: PayloadMask | null): EventDetail => ({
  ...maskEvent(event, mask),
  deliveries: event.deliveries.map((delivery) => maskDelivery(delivery, mask)),
});

/** A body as a caller with this mask may see it; null if it is masked as a whole. */
export const maskBody = (type: string, body: Uint8Array, mask: PayloadMask | null): Uint8Array | null =>
  mask === null ? body : mask.bodyOf(type, body);
