import { pino, type Logger } from 'pino';
import { LogOutput } from './log-output';

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
export function createLog(
  level: string,
  terminal: boolean,
  output: LogOutput = LogOutput.toStandardOutput(),
): Log {
  const options = {
    level,
    base: null,
    redact: {
      paths: SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
      censor: '[redacted]',
    },
  };
  const log = pino(options, terminal ? pretty(output) : output);
  output.onDropped((lines) => log.error({ lines }, 'log lines dropped: standard output did not take them'));
  return log;
}

function pretty(output: LogOutput): Pick<LogOutput, 'write'> {
  // Only where a person looks on: its modules are as many as the rest of the command line.
  const { prettyFactory } = require('pino-pretty') as typeof import('pino-pretty');
  const format = prettyFactory({ translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname' });
  return { write: (line) => output.write(format(line)) };
}
