import { GAP_EVENT } from '../../contract/constants';

/** The `data` of a parsed system event; empty if it has none. */
export function dataOf(payload: unknown): Record<string, unknown> {
  const { data } = (payload ?? {}) as { data?: unknown };
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {};
}

/**
 * Whether a parsed system event is sent as a message: one about an alert or an outage, both of which have an end. A gap
 * event is not: another event is about its outage.
 */
export const isSentAsMessage = (payload: unknown): boolean =>
  conditionOf(dataOf(payload)) !== null && (payload as { event?: unknown }).event !== GAP_EVENT;

/** The id of the alert or outage that a system event is about; null without one. */
export function conditionOf({ alert_id: alert, outage_id: outage }: Record<string, unknown>): string | null {
  const id = alert ?? outage;
  return typeof id === 'string' ? id : null;
}

/** The id of the target that a parsed system event is about, if any. */
export const describedTarget = (payload: unknown): unknown => dataOf(payload)['target_id'];
