import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ActorKind, AuditEntry } from '@contract/audit';
import type { Page } from '@contract/page';
import { resolveTimeRange, type TimeRange } from '../format/time-range';
import { read, type Query } from './request';

const PAGE_SIZE = 30;

/** The periods of the audit log's filter. */
export const AUDIT_PERIODS_MS = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;

/** A filter of the audit log; it is part of the page's URL. */
export interface AuditFilter {
  who?: ActorKind;
  /** The id of a token or session. */
  by?: string;
  /** A pattern of actions: `target.*`. */
  what?: string;
  within?: keyof typeof AUDIT_PERIODS_MS;
  secrets?: 'shown';
}

/** The key prefix of every audit log query, whatever its filter. */
export const AUDIT_KEY = ['audit'];

function queryOf({ who, by, what, within, secrets }: AuditFilter): Query {
  return {
    actor: who,
    actor_id: by,
    action: what,
    since: within && new Date(Date.now() - AUDIT_PERIODS_MS[within]).toISOString(),
    secret_shown: secrets && 'true',
  };
}

/** Who did what, newest first. */
export const auditLogQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: [...AUDIT_KEY, filter],
    queryFn: ({ pageParam }) =>
      read<Page<AuditEntry>>('/audit', { ...queryOf(filter), limit: PAGE_SIZE, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

/** What was done to a target in a range of time, newest first. */
export const targetChangesQuery = (target: string, range: TimeRange) =>
  queryOptions({
    queryKey: [...AUDIT_KEY, 'target', target, range],
    queryFn: () =>
      read<Page<AuditEntry>>('/audit', {
        subject: target,
        action: 'target.*',
        limit: PAGE_SIZE,
        ...resolveTimeRange(range, Date.now()),
      }),
    select: (page) => page.data,
  });
