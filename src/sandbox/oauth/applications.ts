import { z } from 'zod';
import { REDIRECT_URIS_PER_APPLICATION } from '../../protocol/limits';
import { callbackAddress } from '../callback-address';
import { Problem } from '../problem';
import { type RandomBytes, randomSecret } from '../random';
import { digestOf, matchesDigest } from './secret-digest';

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

type ApplicationRequest = z.infer<ReturnType<typeof applicationRequest>>;

type ApplicationChanges = z.infer<ReturnType<typeof applicationChanges>>;

const storedApplication = z.object({
  clientId: z.string(),
  name: z.string(),
  redirectUris: z.array(z.string()),
  secretDigest: z.string(),
});

/** A registered application (document, 2.3). */
export type Application = z.infer<typeof storedApplication>;

/** The secret is shown only once; only its digest is stored (document, 5.1). */
export interface Credentials {
  clientId: string;
  clientSecret: string;
}

/** The registered applications. */
export class Applications {
  private readonly byClientId = new Map<string, Application>();

  constructor(private readonly random: RandomBytes) {}

  /**
   * Registers an application with the given credentials or new ones.
   * @throws Problem if the Client ID is taken or a given credential is empty
   */
  register(request: ApplicationRequest, given: Partial<Credentials> = {}): Credentials {
    const clientId = given.clientId ?? this.random(12).toString('hex');
    const clientSecret = given.clientSecret ?? randomSecret(this.random);
    if (!clientId || !clientSecret) {
      throw new Problem(
        422,
        'invalid_credentials',
        'Empty credentials',
        'A given Client ID or Client Secret must not be empty. Omit it to have one generated.',
      );
    }
    if (this.byClientId.has(clientId)) {
      const detail = `An application with the Client ID ${clientId} already exists. Use another one.`;
      throw new Problem(409, 'client_id_taken', 'Client ID taken', detail);
    }
    const application = { clientId, name: request.name, redirectUris: request.redirect_uris };
    this.byClientId.set(clientId, { ...application, secretDigest: digestOf(clientSecret) });
    return { clientId, clientSecret };
  }

  find(clientId: string): Application | undefined {
    return this.byClientId.get(clientId);
  }

  /** Undefined if the credentials are wrong. */
  authenticate(clientId: string, clientSecret: string): Application | undefined {
    const application = this.byClientId.get(clientId);
    return application && matchesDigest(clientSecret, application.secretDigest) ? application : undefined;
  }

  change(application: Application, changes: ApplicationChanges): void {
    application.name = changes.name ?? application.name;
    application.redirectUris = changes.redirect_uris ?? application.redirectUris;
  }

  /** Replaces the secret; the old one stops working (document, 5.1). */
  renewSecret(application: Application): string {
    const clientSecret = randomSecret(this.random);
    application.secretDigest = digestOf(clientSecret);
    return clientSecret;
  }

  /** Oldest first. */
  all(): Application[] {
    return [...this.byClientId.values()];
  }

  snapshot(): Application[] {
    return this.all();
  }

  restore(snapshot: unknown): void {
    for (const application of z.array(storedApplication).parse(snapshot))
      this.byClientId.set(application.clientId, application);
  }
}
