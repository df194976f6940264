import type { AlertSummary } from '../../../contract/alert';
import { SYSTEM_EVENT_PREFIX } from '../../../contract/constants';
import { countOf, draftIssue, type IssueCode, type IssueDraft } from './draft-issue';

/** The causes of dead letters that follow from a response 410, which disables the target. */
const GONE: readonly unknown[] = ['gone', '410'];

/**
 * Merges active alerts with what is found in the present states, so that each condition appears once: in the words of
 * its alert, if there is one.
 */
export function mergeAlerts(alerts: readonly AlertSummary[], found: readonly IssueDraft[]): IssueDraft[] {
  const drafts = alerts.map(fromAlert);
  const told = drafts
    .filter((_, index) => !followsFromGone(alerts[index]!, alerts))
    .map((draft) => {
      const same = found.find((one) => isSame(one, draft));
      return same === undefined
        ? draft
        : { ...draft, id: same.id, count: same.count ?? draft.count, since: same.since ?? draft.since };
    });
  return [
    ...told,
    ...found.filter((one) => !drafts.some((alert) => isSame(one, alert) || covers(alert, one))),
  ];
}

const isSame = (one: IssueDraft, other: IssueDraft) =>
  one.code === other.code && one.target_id === other.target_id;

/**
 * Whether an alert says why a state holds: alerts about some dead letters why there are any, one about a target why
 * it is behind.
 */
const covers = (alert: IssueDraft, { code, target_id: target }: IssueDraft) =>
  code === 'delivery.dead'
    ? alert.code === code
    : target !== null && target === alert.target_id && (COVERED[code]?.includes(alert.code) ?? false);

const COVERED: Partial<Record<IssueCode, readonly IssueCode[]>> = {
  'target.behind': ['target.address_denied', 'target.down', 'target.expiring', 'target.failing'],
  'target.down': ['target.address_denied', 'target.failing'],
  'target.failing': ['target.address_denied', 'target.down'],
};

function followsFromGone({ type, data }: AlertSummary, alerts: readonly AlertSummary[]): boolean {
  return (
    type === 'relay.delivery.dead' &&
    GONE.includes(data['error']) &&
    alerts.some(
      (other) => other.type === 'relay.target.disabled' && other.data['target_id'] === data['target_id'],
    )
  );
}

function fromAlert({ id, type, severity, sentence, remedy, data, count, since }: AlertSummary): IssueDraft {
  const text = (field: string) => (typeof data[field] === 'string' ? data[field] : null);
  return draftIssue({
    id,
    code: type.slice(SYSTEM_EVENT_PREFIX.length) as IssueCode,
    severity,
    sentence,
    remedy,
    count: count > 1 ? countOf(count, 'time') : null,
    since,
    target_id: text('target_id'),
    target_name: text('target_name'),
  });
}
