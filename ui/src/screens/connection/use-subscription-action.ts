import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Subscription } from '@contract/subscription';
import {
  pauseSubscription,
  repairSubscription,
  resumeSubscription,
  rotateSubscription,
  subscriptionQuery,
} from '../../api/subscription';
import { formatNoun } from '../../format/number';
import { localizeTimes } from '../../format/exact';

/** An action on the subscription. */
export type SubscriptionAction = 'repair' | 'pause' | 'resume' | 'rotate' | 'rotate_delete_first';

const REQUESTS: Record<SubscriptionAction, () => Promise<Subscription>> = {
  repair: repairSubscription,
  pause: pauseSubscription,
  resume: resumeSubscription,
  rotate: () => rotateSubscription({ delete_first: false }),
  rotate_delete_first: () => rotateSubscription({ delete_first: true }),
};

/**
 * The running or last action on the subscription; there is one at a time. It returns a message, the resulting state,
 * and whether that is as wanted; the message is outdated once the state has changed.
 */
export function useSubscriptionAction() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (action: SubscriptionAction) => {
      const before = cache.getQueryData(subscriptionQuery.queryKey);
      const after = await REQUESTS[action]();
      cache.setQueryData(subscriptionQuery.queryKey, after);
      const message = localizeTimes(describeResult(action, before, after));
      return { message, state: after.state, isPartial: !isAsWanted(after) };
    },
  });
}

export type SubscriptionMutation = ReturnType<typeof useSubscriptionAction>;

/** The outcome of an action. Pausing is saved even if Co-Pilot cannot be reached. */
function describeResult(
  action: SubscriptionAction,
  before: Subscription | undefined,
  after: Subscription,
): string {
  if (action === 'pause') return `Pause saved. ${after.sentence}`;
  if (action === 'resume') return `Resumed. ${after.sentence}`;
  if (action === 'repair') return describeCheck(before, after);
  if (after.rotation !== null) return `Rotation started. ${after.rotation.sentence}`;
  return isRegistered(after)
    ? 'Rotated. Co-Pilot now sends to a new address and signs with a new secret.'
    : `The rotation is not complete yet. ${after.sentence}`;
}

function describeCheck(before: Subscription | undefined, after: Subscription): string {
  const newest = before?.drift[0]?.at ?? '';
  const count = after.drift.filter(({ at }) => at > newest).length;
  if (count > 0) return `Checked. ${formatNoun(count, 'change')} detected at Co-Pilot.`;
  if (isAsWanted(after)) return 'Checked. The webhook at Co-Pilot is as expected.';
  // The problem is part of the description.
  if (after.problem === null) return after.sentence;
  return `The ${isRegistered(after) ? 'check' : 'registration'} failed for the reason above.`;
}

/** Whether there is a registered webhook, and nothing is known to be wrong with it. */
const isAsWanted = (subscription: Subscription): boolean =>
  isRegistered(subscription) && subscription.problem === null;

/** Whether there is a registered webhook. */
export const isRegistered = ({ state }: Subscription): boolean => state === 'active' || state === 'paused';
