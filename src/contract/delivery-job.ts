import { z } from 'zod';
import { deliveryJob } from './delivery';
import { blockingTarget, replayTally } from './replay';

/** A job on dead letters, with what became of the deliveries that it has created by retrying them. */
export const deliveryJobDetail = deliveryJob.extend({
  report: z.array(replayTally),
  /** Targets that get none of them for now. */
  waiting_for: z.array(blockingTarget),
});
export type DeliveryJobDetail = z.infer<typeof deliveryJobDetail>;
