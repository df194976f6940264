import type { Attempt, Delivery } from '../../contract/delivery';
import { MASKED, type PayloadMask } from '../filters/payload-mask';

/** A delivery as a caller with this mask may see it: a response may repeat what was sent, so it is masked as a whole. */
export function maskDelivery<Shown extends Delivery & { attempts?: Attempt[] }>(
  delivery: Shown,
  mask: PayloadMask | null,
): Shown {
  if (mask === null) return delivery;
  const { entity_name: name, event_type: type, attempts } = delivery;
  return {
    ...delivery,
    entity_name: name !== null && mask.coversName(type) ? MASKED : name,
    ...(attempts && { attempts: attempts.map((attempt) => maskAttempt(attempt, mask)) }),
  };
}

export const maskAttempt = (attempt: Attempt, mask: PayloadMask | null): Attempt =>
  mask === null || attempt.excerpt === null ? attempt : { ...attempt, excerpt: MASKED };
