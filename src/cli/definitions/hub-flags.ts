import type { Command } from 'commander';
import { parseCount, parseNonNegativeNumber, parseUrl } from './parse';

const parseHub = parseUrl('https://hub.example.com');

/** The flags of every command that works with a hub. */
export interface HubFlags {
  hub?: string;
  profile?: string;
  dataDir?: string;
  json?: true;
  /** Seconds. */
  timeout?: number;
  allowHttp?: true;
  /** False with `--no-color`. */
  color?: boolean;
}

export const withHub = (command: Command): Command =>
  withAddress(command)
    .option('--profile <name>', 'a hub and its token as stored by login')
    .option('--data-dir <folder>', 'the daemon that runs on this folder');

/** The same without what finds a token. */
export const withAddress = (command: Command): Command =>
  command
    .option('--hub <url>', 'the hub, such as https://hub.example.com', parseHub)
    .option('--json', 'print JSON, one object per line')
    .option('--timeout <seconds>', 'how long to wait for an answer, retries included', parseNonNegativeNumber)
    .option('--allow-http', 'accept a hub without https that is on another machine')
    .option('--no-color', 'print without colour');

/** Of a command that prints a list. */
export const withList = (command: Command): Command =>
  withHub(command)
    .option('--limit <n>', 'how many at most (default 50)', parseCount)
    .option('--all', 'all that there are');

/** Of a command that waits for work of the hub. */
export const withWaiting = (command: Command): Command =>
  withHub(command).option(
    '--wait <seconds>',
    'how long to wait for the end, by default for ever',
    parseNonNegativeNumber,
  );

/** Of hubs on this machine by default: these commands go to another one only if it is named by a flag. */
export const withNamedHub = (command: Command): Command =>
  command
    .option('--hub <url>', 'another hub than the daemon on this machine', parseHub)
    .option('--profile <name>', 'another hub than the daemon on this machine, as stored by login')
    .option('--allow-http', 'accept a hub without https that is on another machine');
