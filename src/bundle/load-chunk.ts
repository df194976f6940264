import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { constants, Script } from 'node:vm';
import { readCodeCache } from './code-cache';

/** A file of the bundle: a function expression, like the one that Node wraps around a CommonJS module. */
interface Chunk {
  file: string;
  script: Script;
  exports: unknown;
}

/** The signature that bundle.config.mts gives to each chunk. */
type Body = (
  ...scope: [exports: unknown, require: NodeJS.Require, module: Chunk, __filename: string, __dirname: string]
) => void;

/** By file name. */
export const loadedChunks = new Map<string, Chunk>();

/**
 * `require` for the files of the bundle, with the code cache that the build wrote. Node's own cache (`module.enableCompileCache`)
 * exists only from Node 22 on and needs a folder that the daemon may write to.
 */
export function loadChunk(name: string): unknown {
  const loaded = loadedChunks.get(name);
  if (loaded !== undefined) return loaded.exports;
  const file = join(__dirname, name);
  const source = readFileSync(file);
  // The build writes ASCII, which is decoded faster and takes half the memory this way.
  const script = new Script(source.toString('latin1'), {
    filename: file,
    cachedData: readCodeCache(file, source),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const chunk: Chunk = { file, script, exports: {} };
  loadedChunks.set(name, chunk);
  const body = script.runInThisContext() as Body;
  body.call(chunk.exports, chunk.exports, requireFrom(file), chunk, file, __dirname);
  return chunk.exports;
}

/** Chunks refer to each other with relative paths; everything else is resolved by Node. */
function requireFrom(file: string): NodeJS.Require {
  const nodeRequire = createRequire(file);
  const require = (id: string): unknown => (id.startsWith('./') ? loadChunk(id.slice(2)) : nodeRequire(id));
  return Object.assign(require, nodeRequire);
}
