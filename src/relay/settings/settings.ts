import type { EventType } from '../../protocol/event-types';

/** What the environment says, checked and typed. Secrets that are null are generated into `dataDir`. */
export abstract class Settings {
  abstract readonly host: string;
  /** 0 picks a free port. */
  abstract readonly port: number;
  /** Null: `http://localhost:<port>`, known once the daemon listens. Without a trailing slash. */
  abstract readonly publicUrl: string | null;
  abstract readonly dataDir: string;
  abstract readonly databaseFile: string;
  abstract readonly logLevel: string;
  abstract readonly copilot: CopilotSettings;
  /** 32 bytes. */
  abstract readonly secretKey: Buffer | null;
  abstract readonly adminToken: string | null;
  /** 0 keeps everything. */
  abstract readonly retentionDays: number;
  /** For how long an event with a dead letter is kept, if that is longer; 0 keeps it for good. */
  abstract readonly deadLetterDays: number;
  /** What the database may take; 0 sets no limit. */
  abstract readonly retentionBytes: number;
  /** Targets made at start if missing. */
  abstract readonly targets: { name: string; url: string }[];
  abstract readonly bodyLimitBytes: number;
  /** CIDR list: who may say, in `X-Forwarded-For` or `Forwarded`, whom a request comes from. */
  abstract readonly trustedProxies: string[];
  /** CIDR lists; deny wins. `public` among those allowed: what is not of a private network nor this machine; `private`: that. */
  abstract readonly targetAllow: string[];
  abstract readonly targetDeny: string[];
}

export interface CopilotSettings {
  /** Without a trailing slash. */
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  scopes: string[];
  events: EventType[];
  /** The header tried first; null: learned from what arrives. */
  signatureHeader: string | null;
  /** It is the sandbox, which the demo has started beside the daemon; the environment never says so. */
  isSandbox: boolean;
}
