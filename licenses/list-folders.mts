import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Plugin } from 'vite';

const ROOT = resolve(import.meta.dirname, '..');

/** Writes the folders below `node_modules` of everything that a build puts into its files; write-licenses.mjs reads them. */
export function listFolders(name: string): Plugin {
  return {
    name: 'list-folders',
    apply: 'build',
    generateBundle(_, bundle) {
      const outputs = Object.values(bundle).flatMap((output) =>
        output.type === 'chunk'
          ? output.moduleIds
          : output.originalFileNames.map((file) => resolve(ROOT, name, file)),
      );
      // The style sheets that scripts import are not modules of a chunk.
      const styles = [...this.getModuleIds()].filter((id) => /\.css(\?|$)/.test(id));
      const folders = [...outputs, ...styles].map(folderOf).filter((folder) => folder !== null);
      mkdirSync(join(ROOT, 'dist/bundled'), { recursive: true });
      writeFileSync(
        join(ROOT, `dist/bundled/${name}.json`),
        JSON.stringify([...new Set(folders)].toSorted()),
      );
    },
  };
}

function folderOf(id: string): string | null {
  // What the tools add themselves; the helpers of `@oxc-project` come with Rolldown.
  if (id.startsWith('\0')) return `node_modules/${id.startsWith('\0vite/') ? 'vite' : 'rolldown'}`;
  return id.includes('/node_modules/') ? relative(ROOT, dirname(id)) : null;
}
