import type { EventType } from '../../protocol/event-types';
import { SCOPE_OF_EVENT, type Scope } from '../../protocol/scopes';

/** Creating and keeping our webhook wants this one (document, 5.5: "management of webhooks"). */
const WEBHOOKS: Scope = 'webhooks';

export interface MissingScopes {
  sentence: string;
  remedy: string;
}

/**
 * What will not work without the scopes that were asked for and not granted. Which scope an event requires is not shown
 * (document, 5.5), so an event without its scope may not arrive, and may.
 * @param missing at least one
 * @param events those that are wanted
 */
export function describeMissingScopes(
  missing: readonly string[],
  events: readonly EventType[],
): MissingScopes {
  const losses = missing.map((scope) => lossWithout(scope, events));
  return {
    sentence: `Co-Pilot granted fewer scopes than were asked for. ${losses.join(' ')}`,
    remedy: missing.includes(WEBHOOKS)
      ? 'Connect again and grant every scope: without webhooks nothing can be registered.'
      : 'Connect again and grant every scope, or take what is concerned out of COPILOT_EVENTS or COPILOT_SCOPES.',
  };
}

function lossWithout(scope: string, events: readonly EventType[]): string {
  if (scope === WEBHOOKS)
    return 'Without webhooks our webhook can be neither registered nor repaired, so nothing may arrive.';
  const concerned = events.filter((event) => SCOPE_OF_EVENT[event] === scope);
  return concerned.length === 0
    ? `Without ${scope} nothing is lost that Switchboard does.`
    : `Without ${scope}, ${concerned.join(', ')} may not arrive.`;
}
