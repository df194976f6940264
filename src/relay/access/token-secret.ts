import type { Random } from '../ground/random';

/** What every token begins with, so that people and secret scanners know one: `switchboard_[0-9a-f]{64}`. */
const PREFIX = 'switchboard_';
const SECRET_BYTES = 32;
const SECRET = /^switchboard_[0-9a-f]{64}$/;

export const newTokenSecret = (random: Random): string => PREFIX + random.bytes(SECRET_BYTES).toString('hex');

/** Anything else is not worth looking up. */
export const isTokenSecret = (text: string): boolean => SECRET.test(text);
