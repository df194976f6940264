import { z } from 'zod';
import { REDIRECT_URIS_PER_APPLICATION } from '../../protocol/limits';
import { callbackAddress } from '../callback-address';

/** Fields of a new application (document, 5.1). */
export const applicationRequest = (allowHttp: boolean) =>
  z.strictObject({
    name: z
      .string('Send a name.')
      .trim()
      .min(1, 'Send a non-empty name.')
      .max(100, 'Send at most 100 characters.'),
    redirect_uris: z
      .array(callbackAddress(allowHttp), 'Send a list of redirect URIs.')
      .min(1, 'Send at least one redirect URI.')
      .max(
        REDIRECT_URIS_PER_APPLICATION,
        `An application can have at most ${REDIRECT_URIS_PER_APPLICATION} redirect URIs. Remove some.`,
      ),
  });

/** Changes of an application: either field or both. */
export const applicationChanges = (allowHttp: boolean) =>
  applicationRequest(allowHttp)
    .partial()
    .refine((changes) => Object.keys(changes).length > 0, 'Send name, redirect_uris or both.');

export type ApplicationRequest = z.infer<ReturnType<typeof applicationRequest>>;

export type ApplicationChanges = z.infer<ReturnType<typeof applicationChanges>>;
