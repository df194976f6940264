import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Subscription } from '../../../../src/contract/subscription';
import {
  pauseSubscription,
  repairSubscription,
  resumeSubscription,
  rotateSubscription,
  subscriptionQuery,
} from '../../api/subscription';
import { formatNoun } from '../../format/number';
import { localizeTimes } from '../../format/local-times';

/** What can be done with the subscription. */
export type SubscriptionAction = 'repair' | 'pause' | 'resume' | 'rotate' | 'rotate by deleting first';

const REQUESTS: Record<SubscriptionAction, () => Promise<Subscription>> = {
  repair: repairSubscription,
  pause: pauseSubscription,
  resume: resumeSubscription,
  rotate: () => rotateSubscription({ delete_first: false }),
  'rotate by deleting first': () => rotateSubscription({ delete_first: true }),
};

/**
 * The one act on the subscription that is under way, or was last: one at a time. It answers with what it did, in words,
 * and the state that it led to: once that is another one, the words are old.
 */
export function useSubscriptionAction() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (action: SubscriptionAction) => {
      const before = cache.getQueryData(subscriptionQuery.queryKey);
      const after = await REQUESTS[action]();
      cache.setQueryData(subscriptionQuery.queryKey, after);
      return { message: localizeTimes(describeResult(action, before, after)), state: after.state };
    },
  });
}

export type SubscriptionMutation = ReturnType<typeof useSubscriptionAction>;

/** What was wished is stored in any case; how Co-Pilot took it, the subscription itself says. */
function describeResult(
  action: SubscriptionAction,
  before: Subscription | undefined,
  after: Subscription,
): string {
  if (action === 'pause') return `Pause saved. ${after.sentence}`;
  if (action === 'resume') return `Resumed. ${after.sentence}`;
  if (action === 'repair') return `Checked. ${describeFindings(before, after)}`;
  if (after.rotation !== null) return `Rotation started. ${after.rotation.sentence}`;
  return isRegistered(after)
    ? 'Rotated. Co-Pilot now sends to a new address and signs with a new secret.'
    : `The rotation is not complete yet. ${after.sentence}`;
}

function describeFindings(before: Subscription | undefined, after: Subscription): string {
  const newest = before?.drift[0]?.at ?? '';
  const found = after.drift.filter(({ at }) => at > newest).length;
  if (found > 0) return `${formatNoun(found, 'change')} detected at Co-Pilot.`;
  return isRegistered(after) && after.remedy === null
    ? 'The webhook at Co-Pilot is as expected.'
    : after.sentence;
}

/** Whether a webhook of ours is there to act on. */
export const isRegistered = ({ state }: Subscription): boolean => state === 'active' || state === 'paused';
