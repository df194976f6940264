// Packs `src/client` as `switchboard-client`: ES modules and CommonJS, each with its declarations. Nothing else is in it.
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(import.meta.dirname, 'dist');
const ENTRIES = ['client', 'events', 'webhook'];
const sources = ENTRIES.map((name) => join(ROOT, `src/client/${name}.ts`));

/** Without the types of Node, so that what only Node has does not compile. Node wants file extensions in imports. */
const declarations: Plugin = {
  name: 'declarations',
  closeBundle() {
    const options =
      '--declaration --emitDeclarationOnly --strict --target es2022 --module esnext --moduleResolution bundler';
    const tsc = join(ROOT, 'node_modules/typescript-native/bin/tsc');
    const args = [tsc, '--ignoreConfig', ...options.split(' '), '--types', '', '--outDir', DIST, ...sources];
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(stdout);
    for (const name of readdirSync(DIST, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.d.ts')) continue;
      const text = readFileSync(join(DIST, name), 'utf8');
      for (const kind of ['js', 'cjs'])
        writeFileSync(
          join(DIST, name.replace(/ts$/, kind.replace('js', 'ts'))),
          text.replaceAll(/(from '\.[^']*)'/g, `$1.${kind}'`),
        );
    }
    cpSync(join(ROOT, 'LICENSE'), join(DIST, 'LICENSE'));
  },
};

rmSync(DIST, { recursive: true, force: true });

export default defineConfig({
  root: import.meta.dirname,
  plugins: [declarations],
  build: {
    lib: { entry: Object.fromEntries(ENTRIES.map((name, i) => [name, sources[i]])), formats: ['es', 'cjs'] },
    outDir: DIST,
    target: 'es2022',
    minify: false,
  },
});
