import { runInNewContext } from 'node:vm';
import ts from 'typescript';

/** What `tsc --strict` says about a file with this text. */
export function compileStrictly(text: string): string[] {
  const options = { strict: true, noEmit: true, types: [], lib: ['lib.es5.d.ts'] };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version) =>
    name === 'events.ts' ? ts.createSourceFile(name, text, version) : read(name, version);
  const program = ts.createProgram(['events.ts'], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

/** @param text a program without imports that ends with a `return` */
export const run = (text: string): unknown => runInNewContext(ts.transpile(`(() => {${text}})()`));
