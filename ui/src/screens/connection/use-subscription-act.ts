import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Subscription } from '../../../../src/contract/subscription';
import {
  pauseSubscription,
  repairSubscription,
  resumeSubscription,
  rotateSubscription,
  subscriptionQuery,
} from '../../api/subscription';
import { formatNoun } from '../../text/format-number';

/** What can be wished of the subscription. */
export type SubscriptionWish = 'repair' | 'pause' | 'resume' | 'rotate' | 'rotate by deleting first';

const SENDING: Record<SubscriptionWish, () => Promise<Subscription>> = {
  repair: repairSubscription,
  pause: pauseSubscription,
  resume: resumeSubscription,
  rotate: () => rotateSubscription({ delete_first: false }),
  'rotate by deleting first': () => rotateSubscription({ delete_first: true }),
};

/** The one act on the subscription that is under way, or was last: one at a time. It answers with what it did, in words. */
export function useSubscriptionAct() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (wish: SubscriptionWish) => {
      const before = cache.getQueryData(subscriptionQuery.queryKey);
      const after = await SENDING[wish]();
      cache.setQueryData(subscriptionQuery.queryKey, after);
      return wordsOf(wish, before, after);
    },
  });
}

export type SubscriptionAct = ReturnType<typeof useSubscriptionAct>;

function wordsOf(wish: SubscriptionWish, before: Subscription | undefined, after: Subscription): string {
  if (wish === 'pause') return 'Paused. Co-Pilot sends nothing until you resume.';
  if (wish === 'resume') return 'Resumed. Co-Pilot sends again.';
  if (wish === 'repair') return checkedWords(before, after);
  return after.rotation === null
    ? 'Rotated. Co-Pilot signs with a new secret and sends to a new address.'
    : `The rotation has begun. ${after.rotation.sentence}`;
}

function checkedWords(before: Subscription | undefined, after: Subscription): string {
  const newest = before?.drift[0]?.at ?? '';
  const found = after.drift.filter(({ at }) => at > newest).length;
  if (found > 0)
    return `Checked. ${formatNoun(found, 'thing was', 'things were')} otherwise at Co-Pilot; see below.`;
  return after.state === 'active' || after.state === 'paused'
    ? 'Checked. Co-Pilot has it as it should be.'
    : 'Checked. What came of it stands above.';
}
