import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The content of a file in `static/`, which `npm run compile` copies next to the compiled code. */
export function readStaticFile(name: string): string {
  return readFileSync(join(__dirname, 'static', name), 'utf8');
}
