import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { replaysQuery } from '../../api/replays';
import { statsQuery } from '../../api/stats';
import { formatCount, formatNoun } from '../../format/number';
import type { Tone } from '../../labels/state-label';
import { useConnectionTrouble } from './use-connection-trouble';

/** What a link of the navigation says about its screen. */
export interface NavigationBadge {
  /** Shown; a dot if empty. */
  text: string;
  /** Shown instead at the icon of a tab; the text if not given. */
  short?: string;
  /** For screen readers. */
  description: string;
  tone: Tone;
}

const MAX_COUNT = 999;
const MAX_SHORT_COUNT = 99;

const limit = (count: number, max: number) => (count > max ? `${max}+` : formatCount(count));

/** The badges by the path of their screen; live messages keep them up to date. */
export function useNavigationBadges(): ReadonlyMap<string, NavigationBadge> {
  const { data: stats } = useQuery(statsQuery);
  const trouble = useConnectionTrouble();
  const { data: replays } = useInfiniteQuery({ ...replaysQuery, refetchInterval: false });
  const badges = new Map<string, NavigationBadge>();
  const dead = stats?.deliveries.dead ?? 0;
  if (dead > 0)
    badges.set('/failures', {
      text: limit(dead, MAX_COUNT),
      short: limit(dead, MAX_SHORT_COUNT),
      description: formatNoun(dead, 'dead letter'),
      tone: 'bad',
    });
  if (replays?.pages[0]?.data.some(({ state }) => state === 'running'))
    badges.set('/replays', { text: '', description: 'running', tone: 'busy' });
  if (trouble !== undefined)
    badges.set('/connection', { text: '!', description: trouble.description, tone: trouble.tone });
  return badges;
}
