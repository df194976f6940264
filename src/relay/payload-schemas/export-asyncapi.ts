import { schemaOf } from './export-json-schema';
import { typeNames } from './export-names';
import type { SchemaNode } from './schema-node';

/** Of the headers of a delivery, those that every one has. */
const HEADERS = {
  'webhook-id': 'Id of the event, the same on every retry and replay.',
  'webhook-timestamp': 'When the attempt was made, in seconds since 1970.',
  'webhook-signature': 'Signature by Standard Webhooks.',
  'switchboard-event-type': 'Event type.',
  'switchboard-delivery': 'Id of the delivery.',
  'switchboard-attempt': 'Number of the attempt, from 1.',
  'switchboard-trigger': 'Why it was sent: live, manual, replay or test.',
  traceparent: 'W3C Trace Context.',
};

/** What a receiver gets, in AsyncAPI 3.0, with one message per type. The same schemas give the same bytes. */
export function exportAsyncApi(schemas: ReadonlyMap<string, SchemaNode>): string {
  const names = [...typeNames([...schemas.keys()])];
  const byName = (value: (name: string, type: string) => object) =>
    Object.fromEntries(names.map(([type, name]) => [name, value(name, type)]));
  const exported = {
    asyncapi: '3.0.0',
    info: {
      title: 'Events',
      version: '1.0.0',
      description: 'Events of Co-Pilot, as Switchboard delivers them.',
    },
    defaultContentType: 'application/json',
    channels: {
      events: { address: null, messages: byName((name) => ({ $ref: `#/components/messages/${name}` })) },
    },
    operations: { receiveEvent: { action: 'receive', channel: { $ref: '#/channels/events' } } },
    components: {
      messages: byName((name, type) => ({
        name: type,
        headers: { $ref: '#/components/schemas/delivery-headers' },
        payload: { $ref: `#/components/schemas/${name}` },
      })),
      schemas: {
        // No name of a type has a hyphen.
        'delivery-headers': {
          type: 'object',
          properties: Object.fromEntries(
            Object.entries(HEADERS).map(([name, description]) => [name, { type: 'string', description }]),
          ),
          required: Object.keys(HEADERS),
        },
        ...byName((_, type) => schemaOf(schemas.get(type)!, type)),
      },
    },
  };
  return `${JSON.stringify(exported, null, 2)}\n`;
}
