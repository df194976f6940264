import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { HttpClient } from '../../support/http';
import { trackedFiles } from '../../support/tracked-files';
import { until } from '../../support/until';

const ROOT = resolve(__dirname, '../../..');

const INSTALL_TIMEOUT_MS = 240_000;

interface LockFile {
  packages: Record<string, { dev?: boolean }>;
}

interface Component {
  name: string;
  version: string;
}

/** The packages that the daemon and the dashboard import by name, other than for their types. */
function importedPackages(): string[] {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  const imports = trackedFiles()
    .filter((file) => /^(src|ui\/src)\/.*\.(tsx?|css)$/.test(file))
    .flatMap(
      (file) =>
        readFileSync(join(ROOT, file), 'utf8').match(
          /^(?!import type).*\b(from |import |import\(|require\()'.*$/gm,
        ) ?? [],
    )
    .join('\n');
  // Of react-virtual only what it exports from another package is used, which the bundle then contains instead.
  return Object.keys(devDependencies).filter(
    (name) =>
      name !== '@tanstack/react-virtual' &&
      (imports.includes(` '${name}'`) || imports.includes(`('${name}'`) || imports.includes(` '${name}/`)),
  );
}

/** Without the network, and without what npm has cached. */
const npm = (folder: string, ...words: string[]) =>
  execFileSync('npm', ['--offline', '--ignore-scripts', '--cache', join(folder, 'cache'), ...words], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });

describe('the package, installed into an empty folder with its production packages only', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-production-'));
  const installed = join(folder, 'node_modules/switchboard');
  const dataDir = join(folder, 'data');
  const program = join(folder, 'node_modules/.bin/switchboard');
  let child: ChildProcess;
  let output = '';

  beforeAll(() => {
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as LockFile;
    const required = Object.keys(packages).filter((path) => path !== '' && !packages[path]!.dev);
    for (const path of ['node_modules/.bin', ...required])
      if (existsSync(join(ROOT, path)))
        cpSync(join(ROOT, path), join(folder, path), { recursive: true, verbatimSymlinks: true });
    npm(folder, 'pack', ROOT);
    const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    // Without the network the SQLite driver of other versions of Node cannot be added, which npm accepts.
    npm(folder, 'install', '--no-audit', `./${archive}`);
    child = spawn(program, ['demo', '--port', '0', '--data-dir', dataDir], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }, INSTALL_TIMEOUT_MS);

  afterAll(async () => {
    if (child.exitCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  });

  it('has the program where npx finds it, its documents, and nothing of the machine that built it', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    const printed = execFileSync(program, ['--version'], { encoding: 'utf8' }).trim();
    const [, number, node] = /^(\S+) \([0-9a-f]{8}(?:-dirty)?, node (\S+)\)$/.exec(printed)!;
    expect([number, node]).toEqual([version, process.versions.node]);
    expect(readdirSync(installed).toSorted()).toEqual([
      '.env.example',
      'ARCHITECTURE.md',
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'deploy',
      'dist',
      'docs',
      'package.json',
    ]);
    const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' });
    expect(files.filter((file) => /\.(map|cache|ts)$/.test(file))).toEqual([]);
  });

  it('has the licence of every package whose code it contains, and lists it in the SBOM', () => {
    const licenses = readFileSync(join(installed, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
    const { components } = JSON.parse(readFileSync(join(installed, 'dist/sbom.cdx.json'), 'utf8')) as {
      components: Component[];
    };
    const listed = components.map(({ name, version }) => `${name}@${version}`);
    // Some that the build bundles for others, that a tool adds, that is a font, and that npm installs beside the bundle.
    const others = ['avvio', 'vite', '@fontsource-variable/inter', 'better-sqlite3'];
    const names = new Set([...importedPackages(), ...others]);
    expect(names.size).toBeGreaterThan(30);
    for (const path of [...names].map((one) => join(ROOT, 'node_modules', one))) {
      const { name, version } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Component;
      expect(listed).toContain(`${name}@${version}`);
      expect(licenses).toContain(`\n${name}@${version} (`);
      const file = readdirSync(path).find((one) => /^licen[sc]e/i.test(one));
      if (file === undefined) continue;
      const [copyright] = /^.*copyright .*$/im.exec(readFileSync(join(path, file), 'utf8')) ?? [''];
      expect(licenses).toContain(copyright.trim());
    }
    expect(components.filter(({ name }) => name === 'better-sqlite3')).toHaveLength(2);
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
    const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' });
    const threads = files.filter((file) => file.endsWith('.thread.js'));
    expect(threads.length).toBeGreaterThan(3);
    for (const file of threads) {
      // Outside a thread it fails, but only after it has loaded its modules.
      const { stderr } = spawnSync(process.execPath, [join(installed, 'dist', file)], { encoding: 'utf8' });
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
