import type { TransformPreview, TransformTestResults } from '../../../contract/transform';
import { invalidCommandLine } from '../../command-failed';
import type { HubFlags } from '../../definitions/hub-flags';
import { EXIT } from '../../exit-codes';
import { textOrFile } from '../files';
import type { HubClient } from '../hub-client';
import { note, writeJson, writeTable } from '../output';
import { targetOf } from './target-view';

interface TestFlags extends HubFlags {
  expression?: string;
  last?: number;
}

/** `transform test`: the tests of an expression, and what it makes of the newest events that its target receives. */
export async function testTransform(
  hub: HubClient,
  given: string,
  { expression, last, json }: TestFlags,
): Promise<void> {
  const { id, name, events, filter, transform } = await targetOf(hub, given);
  const text = expression === undefined ? transform?.expression : textOrFile(expression);
  if (text === undefined)
    throw invalidCommandLine(`${name} has no expression.`, 'Give one with --expression, as a text or @file.');
  const tests = await hub.request('POST', '/api/v1/targets/{id}/transform/test', {
    path: { id },
    body: { expression: text },
  });
  const preview = await hub.request('POST', '/api/v1/targets/preview/transform', {
    body: {
      expression: text,
      ...(transform && { content_type: transform.content_type }),
      name,
      events,
      filter,
      ...(last !== undefined && { last }),
    },
  });
  if (json) await writeJson({ ...preview, tests });
  else {
    await writeResults('test', tests.data, ({ name: test }) => test);
    await writeResults('event', preview.data, ({ event_id: event }) => event);
    if (tests.data.length > 0) note(`${tests.failed} of ${tests.data.length} tests failed.`);
    note(`${preview.failed} of ${preview.checked} events failed.`);
  }
  if (tests.failed + preview.failed > 0) process.exitCode = EXIT.no;
}

type Result = TransformPreview['data'][number] | TransformTestResults['data'][number];

async function writeResults<One extends Result>(
  head: string,
  results: One[],
  text: (one: One) => string,
): Promise<void> {
  if (results.length === 0) return;
  await writeTable<One>(
    [
      { head, text },
      {
        head: 'result',
        text: ({ ok }) => (ok ? 'ok' : 'failed'),
        style: ({ ok }) => (ok ? 'green' : 'red'),
      },
      { head: 'output', text: outputText, isFlexible: true },
    ],
    results,
  );
}

function outputText(result: Result): string {
  if (result.error !== undefined) {
    const { code, position, message } = result.error;
    return `${position === null ? code : `${code} at character ${position}`}: ${message}`;
  }
  if ('differences' in result && result.differences !== undefined)
    return result.differences
      .map(
        ({ path, expected, output }) =>
          `${path || 'it'} is ${textOf(output)} in place of ${textOf(expected)}`,
      )
      .join('; ');
  return typeof result.output === 'string' ? result.output : textOf(result.output);
}

const textOf = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value));
