import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from 'typescript';

/**
 * The title of every test under test/sandbox as `file › describe › test`, those of `each` with their
 * placeholders.
 */
export function readTestTitles(): Set<string> {
  const titles = new Set<string>();
  for (const file of readdirSync(__dirname).filter((name) => name.endsWith('.test.ts'))) {
    const text = readFileSync(join(__dirname, file), 'utf8');
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
    collect(source, [file.replace('.test.ts', '')], titles);
  }
  return titles;
}

function collect(node: ts.Node, path: readonly string[], titles: Set<string>): void {
  const call = titledCall(node);
  const inner = call ? [...path, call.title] : path;
  if (call?.kind === 'test') titles.add(inner.join(' › '));
  ts.forEachChild(node, (child) => collect(child, inner, titles));
}

/** `test('title', …)`, `describe('title', …)`, or either with `.each(…)` before the title. */
function titledCall(node: ts.Node): { kind: string; title: string } | undefined {
  if (!ts.isCallExpression(node)) return undefined;
  const [title] = node.arguments;
  if (!title || !ts.isStringLiteralLike(title)) return undefined;
  let callee: ts.Node = node.expression;
  while (ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee)) callee = callee.expression;
  if (!ts.isIdentifier(callee) || !['test', 'describe'].includes(callee.text)) return undefined;
  return { kind: callee.text, title: title.text };
}
