import { CONNECTION_WORDS, SUBSCRIPTION_WORDS } from '../../text/connection-words';
import { formatCount, formatMilliseconds, formatNoun } from '../../text/format-number';
import { formatSpan } from '../../text/format-relative';
import type { Known } from './find-attention';

/** How things stand, upstream to downstream, in one or two sentences. */
export function describeWellBeing({ connection, subscription, stats, targets }: Known, now: number): string {
  if (connection === undefined || subscription === undefined || stats === undefined || targets === undefined)
    return ' ';
  const words = [
    CONNECTION_WORDS[connection.state].word,
    SUBSCRIPTION_WORDS[subscription.state].word.toLowerCase(),
  ];
  const heard = subscription.last_notification_at;
  const last =
    heard === null
      ? 'no notification yet'
      : `last notification ${formatSpan(now - new Date(heard).getTime())} ago`;
  const answered = stats.ack_ms === null ? '' : `, answered within ${formatMilliseconds(stats.ack_ms.p99)}`;
  const up = targets.filter(({ enabled, paused, breaker }) => enabled && paused === null && breaker === null);
  const taking =
    targets.length === 0
      ? ''
      : up.length === targets.length
        ? ` ${formatNoun(up.length, 'target takes', 'targets take')} what comes`
        : ` ${formatCount(up.length)} of ${formatNoun(targets.length, 'target')} ${up.length === 1 ? 'takes' : 'take'} what comes`;
  const { open } = stats.deliveries;
  const waits =
    targets.length === 0 ? '' : open === 0 ? ', nothing waits.' : `, ${formatCount(open)} on their way.`;
  return `${words.join(' and ')}; ${last}${answered}.${taking}${waits}`;
}
