// Puts the built server and the packages it is made of into a few files: finding, reading and compiling two thousand small ones is
// most of a start. What is not pure JavaScript, and the threads that need nothing else, stay files of their own.
import { spawnSync } from 'node:child_process';
import { dirname, join, relative } from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { listFolders } from './licenses/list-folders.mts';

const DIST = join(import.meta.dirname, 'dist');
const FOLDER = 'bundle';
/** The thread and the process that need packages, by the names of their bundles. */
const ASIDE = {
  'sending-thread': 'relay/deliveries/sending/sending.thread.js',
  'transform-process': 'relay/transforms/transform.process.js',
};

/** Where a module looked for something beside itself, it still does. */
const placesAsBefore: Plugin = {
  name: 'places-as-before',
  transform(code, id) {
    if (!id.startsWith(`${DIST}/`) || !code.includes('__dirname')) return null;
    const before = JSON.stringify(relative(join(DIST, FOLDER), dirname(id)));
    return {
      code: code.replaceAll('__dirname', `require('node:path').join(__dirname, ${before})`),
      map: null,
    };
  },
};

/** What makes chunks faster to load, and smaller in memory. */
const fasterChunks: Plugin = {
  name: 'faster-chunks',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle))
      if (chunk.type === 'chunk') chunk.code = inAscii(modulesAsFunctions(namespacesOnce(chunk.code)));
  },
};

/**
 * V8 compiles a function in parentheses with the code around it, so that it gets into the compile cache. The V8 of Node 22 does
 * so with a `function`, but not with an arrow function, in which Rolldown wraps each module.
 */
function modulesAsFunctions(code: string): string {
  return code.replaceAll(/(?<=Min\(\()(\([^()]*\)) => \{$/gm, 'function $1 {');
}

/**
 * Whenever a CommonJS module requires an ES module, Rolldown makes another object with a getter for each export: of
 * `@nestjs/common` alone 500 objects, a tenth of a start.
 */
function namespacesOnce(code: string): string {
  if (!code.includes('var __toCommonJS = ')) return code;
  const make = /^var __toCommonJS = (\(mod\) => .*);$/m;
  if (!make.test(code)) throw new Error('Rolldown makes namespaces in another way now.');
  return code.replace(
    make,
    'var __makeNamespace = $1;\nvar __namespaces = new Map();\n' +
      'var __toCommonJS = (mod) => {\n\tif (!__namespaces.has(mod)) __namespaces.set(mod, __makeNamespace(mod));\n' +
      '\treturn __namespaces.get(mod);\n};',
  );
}

/** One character beyond Latin-1 would make V8 keep the whole text in two bytes per character. */
function inAscii(code: string): string {
  return code.replaceAll(/(\\*)([^\0-\x7f])/g, (text, backslashes: string, character: string) => {
    // The backslash would escape that of the escape sequence.
    if (backslashes.length % 2 === 1) throw new Error(`"${text}" cannot be written in ASCII.`);
    return `${backslashes}\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** The check of the version comes first: an older one cannot parse the rest. */
const START = ['check-node', 'compile-cache', 'main']
  .map((name) => `require('./${FOLDER}/${name}.js');\n`)
  .join('');

/** The commit in eight digits. An image is built without the repository, and is given it. */
function revision(): string {
  const describe = ['describe', '--always', '--abbrev=40', '--dirty', '--exclude=*'];
  const text =
    process.env['REVISION'] ?? spawnSync('git', describe, { cwd: DIST, encoding: 'utf8' }).stdout ?? '';
  return text.trim().replace(/^(.{8}).{32}/, '$1');
}

/** The bundle goes in the place of the program that `npm run compile` has made; building that again undoes it. */
const inPlaceOfMain: Plugin = {
  name: 'in-place-of-main',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'main.js', source: `#!/usr/bin/env node\n${START}` });
    this.emitFile({ type: 'asset', fileName: 'revision', source: revision() });
    for (const [name, fileName] of Object.entries(ASIDE)) {
      const toFolder = relative(dirname(fileName), FOLDER);
      this.emitFile({ type: 'asset', fileName, source: `require('${toFolder}/${name}.js');\n` });
    }
  },
};

/** TypeORM loads the drivers of all databases, and only compares with the classes of those that are not used. */
const UNUSED_DRIVERS =
  /typeorm\/driver\/(?!better-sqlite3|postgres|sqlite-abstract|types)\w[\w-]*\/\w+(?:Driver|QueryRunner)\.js$/;

const withoutUnusedDrivers: Plugin = {
  name: 'without-unused-drivers',
  load: (id) =>
    UNUSED_DRIVERS.test(id) ? 'module.exports = new Proxy({}, { get: () => class Unused {} });' : null,
};

export default defineConfig({
  // Without the places in which a package is deprecated: to find them, V8 lists the lines of the whole bundle.
  resolve: { alias: { depd: 'depd/lib/browser/index.js' } },
  plugins: [withoutUnusedDrivers, placesAsBefore, fasterChunks, inPlaceOfMain, listFolders('bundle')],
  ssr: { target: 'node', noExternal: true, external: ['better-sqlite3', 'better-sqlite3-napi'] },
  build: {
    ssr: true,
    outDir: DIST,
    emptyOutDir: false,
    target: 'node20',
    minify: false,
    rolldownOptions: {
      input: {
        main: join(DIST, 'main.js'),
        ...Object.fromEntries(Object.entries(ASIDE).map(([name, file]) => [name, join(DIST, file)])),
      },
      treeshake: false,
      // What packages look for and may do without.
      onwarn: () => undefined,
      output: {
        format: 'cjs',
        keepNames: true,
        // They are a sixth of the text that every start reads.
        comments: { legal: true, annotation: false, jsdoc: false },
        entryFileNames: `${FOLDER}/[name].js`,
        chunkFileNames: `${FOLDER}/[name]-[hash].js`,
      },
    },
  },
});
