import type { AlertSummary } from '../../contract/alert';
import type { AlertType } from './alert-types';

/** A condition that the operator must know about. */
export interface Alert {
  /** Also that of its system events. Type and subject identify an alert; raising an active one increases its count. */
  type: AlertType;
  /** Distinguishes alerts of one type, such as by a target's id or a cause; `''` if there is only one. */
  subject: string;
  severity: AlertSummary['severity'];
  /** What happened and why. */
  sentence: string;
  /** What to do. */
  remedy: string;
  /** Added to the data of its events: the current state, so each raise replaces that of the previous one. */
  data?: Record<string, unknown>;
  /** The deliveries that it was raised for. Each of its events lists those since the previous event. */
  deliveries?: readonly string[];
  /** It is resolved after this time without being raised. Absent if it lasts until `resolve` is called. */
  quietAfterMs?: number;
}
