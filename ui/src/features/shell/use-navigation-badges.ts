import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { connectionQuery } from '../../api/connection';
import { replaysQuery } from '../../api/replays';
import { statsQuery } from '../../api/stats';
import { subscriptionQuery } from '../../api/subscription';
import { formatCount, formatNoun } from '../../format/number';
import { CONNECTION_LABELS, subscriptionLabel } from '../../labels/connection-labels';
import { needsAttention, type StateLabel, type Tone } from '../../labels/state-label';

/** What a link of the navigation says about its screen. */
export interface NavigationBadge {
  /** Shown; a dot if empty. */
  text: string;
  /** For screen readers. */
  description: string;
  tone: Tone;
}

const MAX_COUNT = 999;

/** The badges by the path of their screen; live messages keep them up to date. */
export function useNavigationBadges(): ReadonlyMap<string, NavigationBadge> {
  const { data: stats } = useQuery(statsQuery);
  const trouble = useConnectionTrouble();
  const { data: replays } = useInfiniteQuery({ ...replaysQuery, refetchInterval: false });
  const badges = new Map<string, NavigationBadge>();
  const dead = stats?.deliveries.dead ?? 0;
  if (dead > 0)
    badges.set('/failures', {
      text: dead > MAX_COUNT ? `${formatCount(MAX_COUNT)}+` : formatCount(dead),
      description: formatNoun(dead, 'dead letter'),
      tone: 'bad',
    });
  if (replays?.pages[0]?.data.some(({ state }) => state === 'running'))
    badges.set('/replays', { text: '', description: 'running', tone: 'busy' });
  if (trouble !== undefined)
    badges.set('/connection', { text: '!', description: trouble.description, tone: trouble.tone });
  return badges;
}

/** Why no events come from Co-Pilot, as far as is known. */
export function useConnectionTrouble(): StateLabel | undefined {
  const { data: connection } = useQuery(connectionQuery);
  const { data: subscription } = useQuery(subscriptionQuery);
  return [
    ...(connection === undefined ? [] : [CONNECTION_LABELS[connection.state]]),
    ...(subscription === undefined ? [] : [subscriptionLabel(subscription)]),
  ].find(needsAttention);
}
