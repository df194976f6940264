import { z } from 'zod';
import { REDIRECT_URIS_PER_APPLICATION } from '../../protocol/limits';
import { callbackAddress } from '../callback-address';

/** What a developer fills in to create an application (document, 5.1). */
export const applicationRequest = z.strictObject({
  name: z
    .string('Send a name.')
    .trim()
    .min(1, 'Send a name that is not empty.')
    .max(100, 'Send at most 100 letters.'),
  redirect_uris: z
    .array(callbackAddress, 'Send a list of redirect URIs.')
    .min(1, 'Send at least one redirect URI.')
    .max(
      REDIRECT_URIS_PER_APPLICATION,
      `An application has at most ${REDIRECT_URIS_PER_APPLICATION} redirect URIs. Leave some out.`,
    ),
});

/** What a developer changes of one: either field or both. */
export const applicationChanges = applicationRequest
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, 'Send name, redirect_uris or both.');

export type ApplicationRequest = z.infer<typeof applicationRequest>;

export type ApplicationChanges = z.infer<typeof applicationChanges>;
