import { pino, type LogFn } from 'pino';
import { LogOutput } from './log-output';

/** The structured log: what a pino logger offers, as a class so that it can be injected. */
export abstract class Log {
  abstract fatal: LogFn;
  abstract error: LogFn;
  abstract warn: LogFn;
  abstract info: LogFn;
  abstract debug: LogFn;
  abstract isLevelEnabled(level: string): boolean;
}

/** Values under these names are secrets, however deep in the record. */
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

/** Structured logs on standard output: JSON lines, or coloured text on a terminal. */
export function createLog(
  level: string,
  isTerminal: boolean,
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
  const log = pino(options, isTerminal ? pretty(output) : output);
  output.onDropped((lines) => log.error({ lines }, 'log lines dropped: standard output was blocked'));
  return log;
}

function pretty(output: LogOutput): Pick<LogOutput, 'write'> {
  // Loaded only for a terminal: it has as many modules as the rest of the command line.
  const { prettyFactory } = require('pino-pretty') as typeof import('pino-pretty');
  const format = prettyFactory({ translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname' });
  return { write: (line) => output.write(format(line)) };
}
