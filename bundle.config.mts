// Puts the built server and the packages it is made of into a few files: finding, reading and compiling two thousand small ones is
// most of a start. What is not pure JavaScript, and the threads, stay files of their own.
import { dirname, join, relative } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const DIST = join(import.meta.dirname, 'dist');
const FOLDER = 'bundle';

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

/** The bundle goes in the place of the program that `npm run compile` has made; building that again undoes it. */
const inPlaceOfMain: Plugin = {
  name: 'in-place-of-main',
  generateBundle() {
    this.emitFile({
      type: 'asset',
      fileName: 'main.js',
      source: `#!/usr/bin/env node\nrequire('./${FOLDER}/main.js');\n`,
    });
  },
};

export default defineConfig({
  plugins: [placesAsBefore, inPlaceOfMain],
  ssr: { target: 'node', noExternal: true, external: ['better-sqlite3', 'better-sqlite3-napi'] },
  build: {
    ssr: join(DIST, 'main.js'),
    outDir: DIST,
    emptyOutDir: false,
    target: 'node20',
    minify: false,
    rolldownOptions: {
      treeshake: false,
      // What packages look for and may do without.
      onwarn: () => undefined,
      output: {
        format: 'cjs',
        keepNames: true,
        entryFileNames: `${FOLDER}/[name].js`,
        chunkFileNames: `${FOLDER}/[name]-[hash].js`,
      },
    },
  },
});
