import { z } from 'zod';
import { eventId, instant, targetId } from './primitives';
import { issueId, snooze } from './snooze';

/** Something that needs attention: an alert, or a state from which none has followed yet, or never does. */
export const issue = z.object({
  /** Identifies it, also in snoozes: for as long as it lasts, and the same before and after its alert is raised. */
  id: issueId,
  /** What is the matter: the type of its alert without `relay.`, or `<area>.<condition>` if it has none. */
  code: z.string(),
  /** `info`: only a remark. */
  severity: z.enum(['critical', 'warning', 'info']),
  /** What happened. The same words in messages, on the Overview, in `status` and in `doctor`. */
  sentence: z.string(),
  /** What to do; null if nothing. */
  remedy: z.string().nullable(),
  /** How many in words, such as `12 queued`; null if that says nothing. */
  count: z.string().nullable(),
  /** When it began; null if that is not known. */
  since: instant.nullable(),
  /** The target that it is about; null if it is about something else. */
  target_id: targetId.nullable(),
  target_name: z.string().nullable(),
  /** The event to look at; null if there is none. */
  event_id: eventId.nullable(),
  /** Whether an operator wants it so, such as a pause. */
  deliberate: z.boolean(),
  /** Its acknowledgement, and until when that hides it (null: for as long as it lasts); null if there is none. */
  snoozed: snooze.omit({ issue: true }).nullable(),
});
export type Issue = z.infer<typeof issue>;

/** Whether all is well. */
export const hubHealth = z.object({
  /** Whether no issue is critical or a warning, except those that are snoozed. */
  ok: z.boolean(),
  /** The most severe first. */
  issues: z.array(issue),
});
export type HubHealth = z.infer<typeof hubHealth>;
