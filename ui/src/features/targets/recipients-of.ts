import type { EventDetail } from '@contract/event';
import type { Target } from '@contract/target';

/** The ids of the targets that an event was sent to, without those deleted since. */
export const recipientsOf = ({ deliveries }: EventDetail, targets: readonly Target[]): string[] =>
  targets.map(({ id }) => id).filter((id) => deliveries.some((one) => one.target_id === id));
