import type { TransformFailure } from '../../../contract/transform';
import type { DeliverableEvent } from '../../database/journal/journal';
import type { InstanceId } from '../../ground/ids';
import type { TargetRecord } from '../../targets/target-record';
import { transformRequest } from '../../transforms/transform-request';
import type { Transformer } from '../../transforms/transformer';

/** Another body no longer matches Co-Pilot's signature. */
export const UNSIGNED = { signatureHeader: '', signatureValue: '' };

/** An event as a target is sent it, and the version of the expression that made it; null if there is none. */
interface Transformed {
  event: DeliverableEvent;
  version: number | null;
  failure: TransformFailure | null;
}

/**
 * Makes what a target is sent of an event with its expression, if it has one.
 * @param target its settings may change meanwhile: the present expression counts
 * @returns null if nothing is known of the outcome
 */
export async function transformEvent(
  event: DeliverableEvent,
  target: () => Pick<TargetRecord, 'name' | 'transform' | 'transformVersion'>,
  { transformer, instanceId }: { transformer: Transformer; instanceId: InstanceId },
): Promise<Transformed | null> {
  for (;;) {
    const { name, transform, transformVersion: version } = target();
    if (transform === null) return { event, version: null, failure: null };
    const outcome = await transformer.evaluate(transformRequest(transform, event, name, instanceId));
    if (target().transform !== transform) continue;
    if (outcome === null) return null;
    if ('failure' in outcome) return { event, version, failure: outcome.failure };
    const body = Buffer.from(outcome.body);
    const sent = { ...event, ...UNSIGNED, body, contentType: transform.content_type };
    return { event: sent, version, failure: null };
  }
}
