import { fitText } from './fit-text';
import { jsonMessage, type Message } from './message';
import type { MessageContent } from './message-content';

/** PagerDuty, "PD-CEF": the summary has at most 1,024 characters. */
const MAX_SUMMARY = 1_024;
/** PagerDuty, "Send an alert event": a deduplication key has at most 255 characters. */
const MAX_KEY = 255;

/**
 * An event for the Events API v2 of PagerDuty (developer.pagerduty.com/docs/events-api-v2-overview). All events about
 * one alert have the same key: repetitions update its incident, its end resolves it.
 * @param routingKey the integration key of the service
 */
export function pagerdutyMessage(content: MessageContent, routingKey: string): Message {
  const { state, severity, title, sentence, remedy, alertId, type, count, since, hub } = content;
  const identity = { routing_key: routingKey, dedup_key: fitText(`switchboard ${alertId}`, MAX_KEY) };
  if (state === 'resolved') return jsonMessage({ ...identity, event_action: 'resolve' });
  return jsonMessage({
    ...identity,
    event_action: 'trigger',
    payload: {
      summary: fitText(`${title}. ${sentence}`, MAX_SUMMARY),
      source: hub.name,
      severity,
      timestamp: since,
      class: type,
      custom_details: { what_to_do: remedy, count },
    },
    client: 'Switchboard',
    client_url: hub.url,
    links: [{ href: hub.url, text: 'Dashboard' }],
  });
}
