import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { HttpClient } from '../../support/http';
import { until } from '../../support/until';

const ROOT = resolve(__dirname, '../../..');

interface LockFile {
  packages: Record<string, { dev?: boolean }>;
}

describe('an installation with production packages only', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-production-'));
  const dataDir = join(folder, 'data');
  let child: ChildProcess;
  let output = '';

  beforeAll(() => {
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as LockFile;
    const installed = Object.keys(packages).filter((path) => path !== '' && !packages[path]!.dev);
    for (const path of ['package.json', 'dist', ...installed])
      if (existsSync(join(ROOT, path))) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
    child = spawn(process.execPath, ['dist/main.js', 'demo', '--port', '0', '--data-dir', dataDir], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  });

  afterAll(async () => {
    if (child.exitCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  });

  it('receives, stores and delivers events, and describes its API', async () => {
    await until('an event is delivered', () => output.includes('(live)'));
    const port = Number(/localhost:(\d+)\/login/.exec(output)![1]);
    const token = readFileSync(join(dataDir, 'demo/admin.token'), 'utf8').trim();
    const headers = { authorization: `Bearer ${token}`, connection: 'close' };
    const { status } = await new HttpClient(port).send('/api/v1/openapi.json', { headers });
    expect(status).toBe(200);
  });

  it('contains all that the threads load, which are not bundled', () => {
    const files = readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' });
    const threads = files.filter((file) => file.endsWith('.thread.js'));
    expect(threads.length).toBeGreaterThan(3);
    for (const file of threads) {
      // Outside a thread it fails, but only after it has loaded its modules.
      const { stderr } = spawnSync(process.execPath, [join(folder, 'dist', file)], { encoding: 'utf8' });
      expect(stderr).toMatch(/parentPort|workerData|null/);
      expect(stderr).not.toContain('Cannot find module');
    }
  });

  it('stops without an error', async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(output).not.toMatch(/error/i);
  });
});
