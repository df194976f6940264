/**
 * Ends the program under a version of Node that is too old, before anything is loaded that it cannot parse. Its own
 * syntax is that of Node 6.
 */

/** EX_CONFIG (sysexits.h), as `EXIT.config`. */
const CONFIG = 78;

const needed = (require('../../package.json') as { engines: { node: string } }).engines.node.replace(
  '>=',
  '',
);

const isOlder = (version: number[], other: number[]): boolean =>
  version[0]! < other[0]! || (version[0] === other[0] && version[1]! < other[1]!);

const parts = (version: string): number[] => version.split('.').map(Number);

if (isOlder(parts(process.versions.node), parts(needed))) {
  process.stderr.write(
    `Switchboard needs Node ${needed.replace(/\.0$/, '')} or later; this is ${process.versions.node}. Install a later version, such as 24.\n`,
  );
  process.exit(CONFIG);
}
