import { pino, type Logger } from 'pino';

export type Log = Logger;

/** Where modules ask for the log. */
export const LOG = Symbol('log');

/** Whatever bears one of these names is a secret, wherever it stands in a record. */
const SECRET_NAMES = [
  'access_token',
  'accessToken',
  'authorization',
  'client_secret',
  'clientSecret',
  'cookie',
  'password',
  'refresh_token',
  'refreshToken',
  'secret',
  'token',
];

/** Structured logs on standard output: JSON lines, or coloured text where a person reads them. */
export function createLog(level: string, terminal: boolean): Log {
  const options = {
    level,
    base: null,
    redact: {
      paths: SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
      censor: '[redacted]',
    },
  };
  if (!terminal) return pino(options);
  // Only where a person looks on: its modules are as many as the rest of the command line.
  const pretty = require('pino-pretty') as typeof import('pino-pretty');
  return pino(options, pretty({ sync: true, translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname' }));
}
