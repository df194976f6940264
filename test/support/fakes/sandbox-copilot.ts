import { type Sandbox, type SandboxOptions, startSandbox } from '../../../src/sandbox/start-sandbox';
import { freePort } from '../free-port';
import { sendJson } from '../send-json';

export interface SandboxWebhook {
  webhook_id: string;
  url: string;
  events: string[];
  active: boolean;
}

/** A sandbox as the Co-Pilot of a daemon. It consents by itself, and its quirks can be changed. */
export class SandboxCopilot {
  readonly clientId: string;
  clientSecret: string;

  private constructor(
    private readonly sandbox: Sandbox,
    readonly daemonPort: number,
  ) {
    // The redirect URI names the port before the daemon listens there.
    const redirectUris = [`http://localhost:${daemonPort}/oauth/callback`];
    ({ clientId: this.clientId, clientSecret: this.clientSecret } = sandbox.createApplication({
      name: 'Switchboard',
      redirectUris,
    }));
  }

  static async start(options: SandboxOptions = {}): Promise<SandboxCopilot> {
    return new SandboxCopilot(await startSandbox({ consent: 'grant', ...options }), await freePort());
  }

  get baseUrl(): string {
    return this.sandbox.baseUrl;
  }

  async consent(authorizeUrl: string): Promise<URL> {
    const consented = await fetch(authorizeUrl, { redirect: 'manual' });
    return new URL(consented.headers.get('location')!);
  }

  /** Calls the developer panel. */
  panel<T = unknown>(method: string, path: string, json?: unknown): Promise<T> {
    return sendJson<T>(method, `${this.baseUrl}/panel${path}`, json);
  }

  /** Replaces the client secret in the panel; a daemon uses the old one until its next start. */
  async renewClientSecret(): Promise<void> {
    const path = `/applications/${this.clientId}/secret`;
    this.clientSecret = (await this.panel<{ client_secret: string }>('POST', path)).client_secret;
  }

  async webhooks(): Promise<SandboxWebhook[]> {
    return (await this.panel<{ data: SandboxWebhook[] }>('GET', '/webhooks')).data;
  }

  /** Emits an event. */
  emit(...event: Parameters<Sandbox['emit']>): ReturnType<Sandbox['emit']> {
    return this.sandbox.emit(...event);
  }

  close(): Promise<void> {
    return this.sandbox.close();
  }
}
