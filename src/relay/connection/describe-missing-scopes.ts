import type { EventType } from '../../protocol/event-types';
import { SCOPE_OF_EVENT, type Scope } from '../../protocol/scopes';

/** Required to create and maintain our webhook (document, 5.5: "management of webhooks"). */
const WEBHOOKS_SCOPE: Scope = 'webhooks';

export interface MissingScopes {
  sentence: string;
  remedy: string;
}

/**
 * What will not work without the scopes that were requested and not granted. The document does not say
 * which scope an event requires (5.5), so an event without its scope may or may not arrive.
 * @param missing at least one
 * @param events the subscribed ones
 */
export function describeMissingScopes(
  missing: readonly string[],
  events: readonly EventType[],
): MissingScopes {
  const losses = missing.map((scope) => describeLoss(scope, events));
  return {
    sentence: `Co-Pilot granted fewer scopes than were requested. ${losses.join(' ')}`,
    remedy: missing.includes(WEBHOOKS_SCOPE)
      ? 'Connect again and grant every scope: no webhook can be registered without the webhooks scope.'
      : 'Connect again and grant every scope, or remove the affected entries from COPILOT_EVENTS or COPILOT_SCOPES.',
  };
}

function describeLoss(scope: string, events: readonly EventType[]): string {
  if (scope === WEBHOOKS_SCOPE)
    return 'Without webhooks the webhook can be neither registered nor repaired, so no events may arrive.';
  const affected = events.filter((event) => SCOPE_OF_EVENT[event] === scope);
  return affected.length === 0
    ? `Without ${scope} nothing that Switchboard does is affected.`
    : `Without ${scope}, ${affected.join(', ')} may not arrive.`;
}
