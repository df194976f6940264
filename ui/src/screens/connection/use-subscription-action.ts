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

/** What can be wished of the subscription. */
export type SubscriptionWish = 'repair' | 'pause' | 'resume' | 'rotate' | 'rotate by deleting first';

const SENDING: Record<SubscriptionWish, () => Promise<Subscription>> = {
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
    mutationFn: async (wish: SubscriptionWish) => {
      const before = cache.getQueryData(subscriptionQuery.queryKey);
      const after = await SENDING[wish]();
      cache.setQueryData(subscriptionQuery.queryKey, after);
      return { words: localizeTimes(wordsOf(wish, before, after)), state: after.state };
    },
  });
}

export type SubscriptionAct = ReturnType<typeof useSubscriptionAction>;

/** What was wished is stored in any case; how Co-Pilot took it, the subscription itself says. */
function wordsOf(wish: SubscriptionWish, before: Subscription | undefined, after: Subscription): string {
  if (wish === 'pause') return `Pause saved. ${after.sentence}`;
  if (wish === 'resume') return `Resumed. ${after.sentence}`;
  if (wish === 'repair') return `Checked. ${foundWords(before, after)}`;
  if (after.rotation !== null) return `Rotation started. ${after.rotation.sentence}`;
  return stands(after)
    ? 'Rotated. Co-Pilot now sends to a new address and signs with a new secret.'
    : `The rotation is not complete yet. ${after.sentence}`;
}

function foundWords(before: Subscription | undefined, after: Subscription): string {
  const newest = before?.drift[0]?.at ?? '';
  const found = after.drift.filter(({ at }) => at > newest).length;
  if (found > 0) return `${formatNoun(found, 'change')} detected at Co-Pilot.`;
  return stands(after) && after.remedy === null ? 'The webhook at Co-Pilot is as expected.' : after.sentence;
}

/** Whether a webhook of ours is there to act on. */
export const stands = ({ state }: Subscription): boolean => state === 'active' || state === 'paused';
