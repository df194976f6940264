import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const manifest = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')) as {
  version: string;
};

/** The version in package.json. */
export const VERSION = manifest.version;

/** The command line's User-Agent. */
export const COMMAND_LINE_AGENT = `switchboard-cli/${VERSION}`;
