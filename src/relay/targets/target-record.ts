import type { TargetPolicy } from '../../contract/target-policy';
import type { EventMatcher } from './match-event';

/** A target as the daemon keeps it at hand. Times are ms since 1970. */
export interface TargetRecord {
  /** Its key in the database, and in the keys of its deliveries. */
  number: number;
  id: string;
  name: string;
  url: string;
  events: string[];
  accepts: EventMatcher;
  policy: TargetPolicy;
  /** A disabled target takes no new events; what it took before still goes out. */
  enabled: boolean;
  /** A paused target takes events and keeps them until it is resumed. */
  paused: { at: number; reason: string } | null;
  /** The bytes behind `whsec_`. */
  signingKey: Buffer;
  createdAt: number;
  updatedAt: number;
}

const SECRET_PREFIX = 'whsec_';

/** The secret as Standard Webhooks writes it. */
export const secretText = (key: Buffer) => SECRET_PREFIX + key.toString('base64');

export const secretKey = (text: string) => Buffer.from(text.slice(SECRET_PREFIX.length), 'base64');
