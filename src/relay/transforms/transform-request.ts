import type { DeliverableEvent } from '../database/journal/journal';
import { eventId, type InstanceId } from '../ground/ids';
import { toIso } from '../ground/iso-time';
import { bodyText } from '../ground/parse-body';
import type { TransformRequest } from './transform-messages';

/** The request to evaluate an expression with an event. @param name of the target */
export function transformRequest(
  { expression, content_type: contentType }: { expression: string; content_type: string },
  { seq, type, entity, receivedAt, body }: DeliverableEvent,
  name: string,
  instanceId: InstanceId,
): TransformRequest {
  return {
    expression,
    contentType,
    payload: bodyText(body),
    event: { id: eventId(receivedAt, seq, instanceId), seq, type, entity, received_at: toIso(receivedAt) },
    target: { name },
  };
}
