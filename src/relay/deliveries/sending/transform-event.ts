import type { TransformFailure } from '../../../contract/transform';
import type { DeliverableEvent } from '../../database/journal/journal';
import type { TargetRecord } from '../../targets/target-record';
import type { EventTransformer } from '../../transforms/event-transformer';

/** Another body no longer matches Co-Pilot's signature. */
export const UNSIGNED = { signatureHeader: '', signatureValue: '' };

/** Of an event that no expression has made. */
export const UNCHANGED = { version: null, previous: null, failure: null };

/** An event as a target is sent it. */
interface Transformed {
  event: DeliverableEvent;
  /** Of the expression that made it; null if there is none. */
  version: number | null;
  /** The `seq` of the event whose payload was `$previous`, 0 if there is none; null if the expression does not name it. */
  previous: number | null;
  failure: TransformFailure | null;
}

/**
 * Makes what a target is sent of an event with its expression, if it has one.
 * @param target its settings may change meanwhile: the present expression counts
 * @returns null if nothing is known of the outcome
 */
export async function transformEvent(
  event: DeliverableEvent,
  target: () => Pick<TargetRecord, 'number' | 'name' | 'transform' | 'transformVersion'>,
  transformer: Pick<EventTransformer, 'evaluate'>,
): Promise<Transformed | null> {
  for (;;) {
    const { transform, transformVersion: version, ...owner } = target();
    if (transform === null) return { event, ...UNCHANGED };
    const evaluated = await transformer.evaluate(transform, event, { ...owner, transformVersion: version });
    if (target().transform !== transform) continue;
    const { outcome } = evaluated;
    const previous = evaluated.previous?.seq ?? null;
    if (outcome === null) return null;
    if ('failure' in outcome) return { event, version, previous, failure: outcome.failure };
    const body = Buffer.from(outcome.body);
    const sent = { ...event, ...UNSIGNED, body, contentType: transform.content_type };
    return { event: sent, version, previous, failure: null };
  }
}
