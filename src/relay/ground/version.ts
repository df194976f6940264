import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const manifest = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')) as {
  version: string;
};

/** The version in package.json. */
export const VERSION = manifest.version;

/** The command line's User-Agent. */
export const COMMAND_LINE_AGENT = `switchboard-cli/${VERSION}`;

/** For `--version`, such as `0.2.0 (a0d93337, node 24.21.0)`; without the commit where the build did not know it. */
export function describeVersion(): string {
  const file = join(__dirname, '../../revision');
  const revision = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return `${VERSION} (${revision === '' ? '' : `${revision}, `}node ${process.versions.node})`;
}
