import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const FOLDER = resolve(__dirname, '../../../dist/bundle');

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
});
