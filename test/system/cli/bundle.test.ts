import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../../..');
const FOLDER = join(ROOT, 'dist/bundle');

const read = (name: string) => readFileSync(join(FOLDER, name), 'latin1');
const isAscii = (name: string) => readFileSync(join(FOLDER, name)).every((byte) => byte < 128);
const chunks = () => readdirSync(FOLDER).filter((name) => name.endsWith('.js'));

/** The chunks that are loaded with this one: outside any function. */
function loadedWith(chunk: string, known = new Set<string>()): Set<string> {
  known.add(chunk);
  for (const [, other] of read(chunk).matchAll(/^\S.*= require\("\.\/(.+?)"\)/gm))
    if (!known.has(other!)) loadedWith(other!, known);
  return known;
}

describe('the bundle', () => {
  it('is ASCII, since V8 then keeps it as one byte per character', () => {
    expect(chunks().filter((name) => !isAscii(name))).toEqual([]);
    expect(chunks()).toContain('main.js');
  });

  it.each(['OTEL_EXPORTER_OTLP_HEADERS', 'application/openmetrics-text; version=1.0.0'])(
    'loads the code with %j only when it is asked for',
    (text) => {
      const start = chunks().find((name) => read(name).includes('startRelay(settings, parts)'))!;
      const loaded = [...loadedWith('main.js'), ...loadedWith(start)];
      expect(loaded.length).toBeGreaterThan(3);
      expect(chunks().some((name) => read(name).includes(text))).toBe(true);
      expect(loaded.filter((name) => read(name).includes(text))).toEqual([]);
    },
  );

  it('wraps modules in functions that V8 compiles at once, so that they get into the compile cache', () => {
    const text = chunks().map(read).join('');
    expect(text.match(/__commonJSMin\(\(function \(/g)!.length).toBeGreaterThan(100);
    expect(text.match(/Min\(\(\([^()]*\) => \{$/gm)).toBeNull();
  });

  it('starts where no compile cache can be written', () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-bundle-'));
    mkdirSync(join(folder, 'dist'));
    cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
    cpSync(FOLDER, join(folder, 'dist/bundle'), { recursive: true });
    cpSync(join(ROOT, 'dist/main.js'), join(folder, 'dist/main.js'));
    const run = (cache: string) =>
      spawnSync(process.execPath, [join(folder, 'dist/main.js'), '--help'], {
        encoding: 'utf8',
        env: { ...process.env, NODE_COMPILE_CACHE: cache },
      });
    // Below a file, no folder can be created.
    const { status, stdout, stderr } = run(join(folder, 'package.json', 'cache'));
    rmSync(folder, { recursive: true });
    expect({ status, stderr, works: stdout.startsWith('Usage: switchboard') }).toEqual({
      status: 0,
      stderr: '',
      works: true,
    });
  });
});
