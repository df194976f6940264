import { Webhook } from 'standardwebhooks';
import type { Hit } from './fakes/recording-target';

/** Verifies the signature of a request as receivers do. */
export const assertSigned = (secret: string, { headers, body }: Hit) =>
  expect(() =>
    new Webhook(secret).verify(body, {
      'webhook-id': String(headers['webhook-id']),
      'webhook-timestamp': String(headers['webhook-timestamp']),
      'webhook-signature': String(headers['webhook-signature']),
    }),
  ).not.toThrow();
