import { z } from 'zod';
import { displayName } from './display-name';
import { instantQuery, targetId } from './primitives';

const pauseFields = {
  reason: displayName(200).optional().describe('Why, as shown to other operators.'),
  until: instantQuery
    .nullable()
    .optional()
    .describe('When deliveries are resumed automatically; null: when an operator resumes them.'),
};
/** The targets that an action applies to: either `target_ids` or `all`. */
const chosenTargets = {
  target_ids: z.array(targetId).min(1).max(200).optional().describe('These targets.'),
  all: z.boolean().optional().describe('All targets.'),
};

export const targetPause = z
  .strictObject(pauseFields)
  .prefault({})
  .describe('Pauses a target, or changes the given fields of its pause.');
export type TargetPause = z.infer<typeof targetPause>;

export const targetsPause = z
  .strictObject({ ...pauseFields, ...chosenTargets })
  .prefault({})
  .describe(
    '`all` leaves out those that are paused, whose pause stays as it is, and those that only receive system events: operators are still informed.',
  );
export type TargetsPause = z.infer<typeof targetsPause>;

export const targetsResume = z.strictObject(chosenTargets).prefault({});
export type TargetsResume = z.infer<typeof targetsResume>;

export const changedTargets = z
  .object({ target_ids: z.array(targetId).describe('Which targets were changed.') })
  .describe('The targets that an action changed.');
export type ChangedTargets = z.infer<typeof changedTargets>;
