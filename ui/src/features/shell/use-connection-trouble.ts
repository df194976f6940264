import { useQuery } from '@tanstack/react-query';
import { connectionQuery } from '../../api/connection';
import { subscriptionQuery } from '../../api/subscription';
import { CONNECTION_LABELS, subscriptionLabel } from '../../labels/connection-labels';
import { needsAttention, type StateLabel } from '../../labels/state-label';

/** Why no events come from Co-Pilot, as far as is known. */
export function useConnectionTrouble(): StateLabel | undefined {
  const { data: connection } = useQuery(connectionQuery);
  const { data: subscription } = useQuery(subscriptionQuery);
  return [
    ...(connection === undefined ? [] : [CONNECTION_LABELS[connection.state]]),
    ...(subscription === undefined ? [] : [subscriptionLabel(subscription)]),
  ].find(needsAttention);
}
