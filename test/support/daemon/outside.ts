import { createRequire } from 'node:module';
import { runInThisContext } from 'node:vm';

/**
 * Node's own `require`, outside of Jest's sandbox. Jest loads every module anew for every test file; what is loaded here is
 * loaded once for all test files of a worker. So it may only be what keeps nothing from one start to the next: the daemon as
 * it is built, and the packages that it is made of.
 *
 * Its `JSON`, `Array` or `Error` are not those of a test: `toEqual` and `toThrow` do not mind, `toStrictEqual` would.
 */
const node = runInThisContext('process') as NodeJS.Process;
export const outside = (
  node.getBuiltinModule('node:module') as { createRequire: typeof createRequire }
).createRequire(__filename);

/** Its global object, for a test that counts on what the daemon calls there, or throws an error inside of it. */
export const outsideGlobal = runInThisContext('globalThis') as typeof globalThis;
