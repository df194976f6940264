import { createRequire } from 'node:module';
import { runInThisContext } from 'node:vm';

/**
 * Node's own `require`, outside of Jest's sandbox. Jest loads every module again for every test file; this loads a module
 * once per worker. Such modules must not keep state between two starts; the built daemon and its packages do not.
 *
 * Its `JSON`, `Array` and `Error` are not those of a test: `toEqual` and `toThrow` accept that, `toStrictEqual` would not.
 */
const node = runInThisContext('process') as NodeJS.Process;
export const outside = (
  node.getBuiltinModule('node:module') as { createRequire: typeof createRequire }
).createRequire(__filename);

/** The global object outside of the sandbox, for tests that spy on what the daemon calls there or throw its errors. */
export const outsideGlobal = runInThisContext('globalThis') as typeof globalThis;
