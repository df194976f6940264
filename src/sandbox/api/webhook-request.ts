import { z } from 'zod';
import { EVENT_TYPES } from '../../protocol/event-types';
import { callbackAddress } from '../callback-address';

const events = z
  .array(z.enum(EVENT_TYPES, `Send a list of: ${EVENT_TYPES.join(', ')}.`), 'Send a list of event types.')
  .min(1, 'Send at least one event type.');
const active = z.boolean('Send true or false.');

/**
 * The body of a create request (document, 4.3). All four fields are required, since the document shows none as
 * optional.
 */
export const webhookRequest = (allowHttp: boolean) =>
  z.strictObject({
    url: callbackAddress(allowHttp),
    events,
    active,
    secret: z.string('Send the secret for signing notifications.').min(1, 'Send a non-empty secret.'),
  });

/** The body of an update (document, 4.5): either field or both. The document shows no others. */
export const webhookChanges = z
  .strictObject({ events: events.optional(), active: active.optional() })
  .refine((changes) => Object.keys(changes).length > 0, 'Send events, active or both.');
