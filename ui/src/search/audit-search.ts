import type { ActorKind } from '@contract/audit';
import { AUDIT_PERIODS_MS, type AuditFilter } from '../api/audit';
import { ACTOR_LABELS } from '../labels/actor-labels';

const isActor = (text: unknown): text is ActorKind => typeof text === 'string' && text in ACTOR_LABELS;
const isPeriod = (text: unknown): text is keyof typeof AUDIT_PERIODS_MS =>
  typeof text === 'string' && text in AUDIT_PERIODS_MS;

/** The filter of the audit log. */
export function auditSearch(search: Record<string, unknown>): AuditFilter {
  const { who, by, what, within, secrets } = search;
  const filter: AuditFilter = {};
  if (isActor(who)) filter.who = who;
  if (typeof by === 'string' && by !== '') filter.by = by;
  if (typeof what === 'string' && /^[a-z_]+\.\*$/.test(what)) filter.what = what;
  if (isPeriod(within)) filter.within = within;
  if (secrets === 'shown') filter.secrets = secrets;
  return filter;
}
