import type { Settings } from './settings';

/**
 * The URL at which Co-Pilot and browsers reach this daemon. With `PORT=0` it is known only once the daemon listens.
 */
export class PublicAddress {
  /** The actual port. */
  listeningPort: number;

  constructor(private readonly settings: Settings) {
    this.listeningPort = settings.port;
  }

  /** What distinguishes this hub from others in the dashboard. */
  get hubName(): string {
    const { name, copilot } = this.settings;
    return name ?? (copilot.isSandbox ? 'demo' : new URL(this.url).host);
  }

  /** Without a trailing slash. */
  get url(): string {
    return this.settings.publicUrl ?? `http://localhost:${this.listeningPort}`;
  }
}
