import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { targetChangesQuery } from '../../api/audit';
import { sessionsQuery } from '../../api/sessions';
import { useDenial } from '../../components/use-denial';
import type { TimeRange } from '../../format/time-range';
import { actionLabel, actorLabel } from '../../labels/audit-labels';

const UNCHANGED = new Set(['target.test', 'target.exam', 'target.create']);
const MAX_CHANGES = 8;

/** The latest changes of a target in a range, what was changed and by whom, for who may read the audit log. */
export function useChanges(target: string, range: TimeRange) {
  const isAllowed = useDenial('admin') === null;
  const { data } = useQuery({ ...targetChangesQuery(target, range), enabled: isAllowed });
  const { data: sessions } = useQuery({ ...sessionsQuery, enabled: isAllowed });
  return useMemo(() => {
    const changes = (data ?? [])
      .filter(({ action, error }) => error === null && !UNCHANGED.has(action))
      .map(({ id, at, action, fields, actor }) => ({
        id,
        at,
        what: [actionLabel(action), ...(action === 'target.change' ? [fields.join(', ')] : [])].join(': '),
        who: actorLabel(actor, sessions),
      }));
    // What one actor repeats within a minute is said once.
    return [...new Map(changes.map((change) => [keyOf(change), change])).values()].slice(0, MAX_CHANGES);
  }, [data, sessions]);
}

const keyOf = ({ at, what, who }: { at: string; what: string; who: string }) =>
  `${at.slice(0, 16)} ${what} ${who}`;
