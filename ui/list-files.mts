import { readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Plugin } from 'vite';

/** Writes the list of all built files, after everything else: the daemon serves only these. */
export function listFiles(folder: string): Plugin {
  return {
    name: 'list-files',
    apply: 'build',
    closeBundle: {
      order: 'post',
      sequential: true,
      handler() {
        const files = readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
        writeFileSync(join(folder, 'files.json'), JSON.stringify(files.toSorted()));
      },
    },
  };
}
