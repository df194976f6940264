import { z } from 'zod';
import { SCOPES, type Scope } from '../../protocol/scopes';
import type { Clock } from '../clock';
import { type RandomBytes, randomSecret } from '../random';
import type { Application, Applications } from './applications';

/** An authorization request that passed its checks. */
export interface AuthorizationRequest {
  application: Application;
  redirectUri: string;
  scopes: Scope[];
  state: string | undefined;
}

const CONSENT_LIFETIME_MS = 10 * 60_000;

const storedConsents = z.array(
  z.object({
    id: z.string(),
    expiresAt: z.number(),
    clientId: z.string(),
    redirectUri: z.string(),
    scopes: z.array(z.enum(SCOPES)),
    state: z.string().optional(),
  }),
);

/**
 * Authorization requests that wait for the user's consent. The id is random and can be used once, so that no other
 * site can consent in the user's place.
 */
export class PendingConsents {
  private readonly byId = new Map<string, { request: AuthorizationRequest; expiresAt: number }>();

  constructor(
    private readonly clock: Clock,
    private readonly random: RandomBytes,
    private readonly applications: Applications,
  ) {}

  /** Stores the request for ten minutes and returns its id. */
  add(request: AuthorizationRequest): string {
    for (const [id, { expiresAt }] of this.byId) if (expiresAt <= this.clock.now()) this.byId.delete(id);
    const id = randomSecret(this.random);
    this.byId.set(id, { request, expiresAt: this.clock.now() + CONSENT_LIFETIME_MS });
    return id;
  }

  /** Removes and returns the request. */
  take(id: string): AuthorizationRequest | undefined {
    const pending = this.byId.get(id);
    this.byId.delete(id);
    return pending && this.clock.now() < pending.expiresAt ? pending.request : undefined;
  }

  snapshot(): z.infer<typeof storedConsents> {
    return [...this.byId].map(([id, { request, expiresAt }]) => {
      const { application, redirectUri, scopes, state } = request;
      return { id, expiresAt, clientId: application.clientId, redirectUri, scopes, state };
    });
  }

  /** The applications must be restored first. */
  restore(snapshot: unknown): void {
    for (const { id, expiresAt, clientId, redirectUri, scopes, state } of storedConsents.parse(snapshot)) {
      const application = this.applications.find(clientId);
      if (application) this.byId.set(id, { request: { application, redirectUri, scopes, state }, expiresAt });
    }
  }
}
