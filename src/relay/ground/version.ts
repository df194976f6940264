import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const manifest = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')) as {
  version: string;
};

/** The program's version, as the package names it. */
export const VERSION = manifest.version;

/** How the command line names itself to the daemon. */
export const COMMAND_LINE_AGENT = `switchboard-cli/${VERSION}`;
