import { z } from 'zod';
import { deliveryJob } from './delivery';
import { blockingTarget, replayTally } from './replay';

export const deliveryJobDetail = deliveryJob
  .extend({
    report: z.array(replayTally).describe('What became of them, by target.'),
    waiting_for: z.array(blockingTarget).describe('Targets that get none of them for now.'),
  })
  .describe(
    'A job on dead letters, with what became of the deliveries that it has created by retrying them.',
  );
export type DeliveryJobDetail = z.infer<typeof deliveryJobDetail>;
