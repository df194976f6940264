import { join } from 'node:path';
import * as nodeModule from 'node:module';

/**
 * Lets Node 22.8 and later keep the code that V8 has compiled, beside the program: V8 trusts this code, so only those
 * who may change the program may write it. Without permission there is no cache. Threads and processes take the
 * folder from the environment, where `NODE_COMPILE_CACHE` may already name another one.
 */
const { enableCompileCache } = nodeModule as { enableCompileCache?: (folder: string) => unknown };
process.env['NODE_COMPILE_CACHE'] ??= join(__dirname, '..', 'cache');
enableCompileCache?.(process.env['NODE_COMPILE_CACHE']);
