import { createHash } from 'node:crypto';
import type { Random } from '../ground/random';

/** Every API token starts with this, so that people and secret scanners recognise it. */
const PREFIX = 'switchboard_';
const SECRET_BYTES = 32;
const SECRET = /^switchboard_[0-9a-f]{64}$/;

export const newTokenSecret = (random: Random): string => PREFIX + random.bytes(SECRET_BYTES).toString('hex');

/** Whether a text has the form of an API token; anything else need not be looked up. */
export const isTokenSecret = (text: string): boolean => SECRET.test(text);

/** SHA-256 in hex, as tokens are stored. They are 256 random bits, so a slow hash is not needed. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');
