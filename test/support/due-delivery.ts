import type { DueDelivery } from '../../src/relay/database/journal/journal';

/** A live delivery of event 1 to target 1, without attempts. */
export const dueDelivery = (parts: Partial<DueDelivery> = {}): DueDelivery => ({
  key: { seq: 1, target: 1, n: 0 },
  class: 0,
  lane: null,
  attempts: 0,
  uncounted: 0,
  dueAt: 0,
  createdAt: 0,
  trigger: 'live',
  replayId: null,
  ...parts,
});
