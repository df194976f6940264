import type { ActorKind } from '../../../src/contract/audit';
import { ACTOR_LABELS } from '../labels/audit-labels';

/** Spans that the audit log can be narrowed to, in ms. */
export const AUDIT_SPANS = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;

/** What of the audit log is shown. */
export interface AuditFilter {
  who?: ActorKind;
  /** The id of a token, or what stands for a session. */
  by?: string;
  /** `target.*` */
  what?: string;
  within?: keyof typeof AUDIT_SPANS;
  secrets?: 'shown';
}

const isActor = (text: unknown): text is ActorKind => typeof text === 'string' && text in ACTOR_LABELS;
const isSpan = (text: unknown): text is keyof typeof AUDIT_SPANS =>
  typeof text === 'string' && text in AUDIT_SPANS;

/** The audit log's filter as the address tells it; what is not a filter is dropped. */
export function auditSearch(search: Record<string, unknown>): AuditFilter {
  const { who, by, what, within, secrets } = search;
  const filter: AuditFilter = {};
  if (isActor(who)) filter.who = who;
  if (typeof by === 'string' && by !== '') filter.by = by;
  if (typeof what === 'string' && /^[a-z_]+\.\*$/.test(what)) filter.what = what;
  if (isSpan(within)) filter.within = within;
  if (secrets === 'shown') filter.secrets = secrets;
  return filter;
}
