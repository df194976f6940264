import { infiniteQueryOptions } from '@tanstack/react-query';
import type { AuditEntry } from '../../../src/contract/audit';
import type { Page } from '../../../src/contract/page';
import { AUDIT_SPANS, type AuditFilter } from '../search/audit-search';
import { read, type Query } from './request';

const PAGE_SIZE = 30;

/** The key prefix of every audit log query, whatever its filter. */
export const AUDIT_KEY = ['audit'];

function queryOf({ who, by, what, within, secrets }: AuditFilter): Query {
  return {
    actor: who,
    actor_id: by,
    action: what,
    since: within && new Date(Date.now() - AUDIT_SPANS[within]).toISOString(),
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
