import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../../..');

/** Prints whether V8 rejected the cache of the first chunk: `false`, `true`, or `undefined` without a cache. */
const PROGRAM = `
  const { loadChunk, loadedChunks } = require('./dist/bundle/load-chunk.js');
  process.argv = [process.execPath, 'main.js', '--help'];
  process.on('exit', () => process.stderr.write(String(loadedChunks.get('main.js').script.cachedDataRejected)));
  loadChunk('main.js');`;

const flipBit = (file: string, position: number) => {
  const bytes = readFileSync(file);
  bytes[position]! ^= 1;
  writeFileSync(file, bytes);
};

describe('the bundle', () => {
  it('is ASCII, since it is loaded as one byte per character', () => {
    const folder = join(ROOT, 'dist/bundle');
    const chunks = readdirSync(folder).filter((name) => name.endsWith('.js'));
    const isAscii = (name: string) => readFileSync(join(folder, name)).every((byte) => byte < 128);
    expect(chunks.filter((name) => !isAscii(name))).toEqual([]);
    expect(chunks).toContain('main.js');
  });

  it.each(['OTEL_EXPORTER_OTLP_HEADERS', 'application/openmetrics-text; version=1.0.0'])(
    'loads the code with %j only when it is asked for, so no start has compiled it',
    (text) => {
      const folder = join(ROOT, 'dist/bundle');
      const names = readdirSync(folder);
      const chunks = names.filter(
        (name) => name.endsWith('.js') && readFileSync(join(folder, name), 'latin1').includes(text),
      );
      expect(chunks.length).toBeGreaterThan(0);
      expect(chunks.filter((name) => names.includes(`${name}.cache`))).toEqual([]);
    },
  );
});

describe('the code cache of the build', () => {
  let folder: string;
  let chunk: string;
  let cache: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-code-cache-'));
    mkdirSync(join(folder, 'dist'));
    cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
    cpSync(join(ROOT, 'dist/bundle'), join(folder, 'dist/bundle'), { recursive: true });
    chunk = join(folder, 'dist/bundle/main.js');
    cache = `${chunk}.cache`;
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const run = (...flags: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, '-e', PROGRAM], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { status, works: stdout.startsWith('Usage: switchboard'), rejected: stderr };
  };

  it('is used', () => {
    expect(run()).toEqual({ status: 0, works: true, rejected: 'false' });
  });

  it.each([
    ['is missing', () => rmSync(cache)],
    ['is empty', () => truncateSync(cache)],
    ['was cut off', () => truncateSync(cache, 10_000)],
    ['has a wrong bit', () => flipBit(cache, 100_000)],
  ])('is ignored if it %s', (_, damage) => {
    damage();
    expect(run()).toEqual({ status: 0, works: true, rejected: 'undefined' });
  });

  it('is ignored if the program has changed, even if its length has not', () => {
    writeFileSync(chunk, readFileSync(chunk, 'utf8').replace('Receives Co-Pilot', 'Receives Do-Pilot'));
    expect(run()).toEqual({ status: 0, works: true, rejected: 'undefined' });
    const { stdout } = spawnSync(process.execPath, ['-e', PROGRAM], { cwd: folder, encoding: 'utf8' });
    expect(stdout).toContain("Receives Do-Pilot's notifications");
  });

  it('is ignored by a V8 with other flags', () => {
    expect(run('--no-flush-bytecode')).toEqual({ status: 0, works: true, rejected: 'true' });
  });
});
