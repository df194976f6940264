import type { TransformPreview } from '../../../contract/transform';
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

/** `transform test`: what an expression makes of the newest events that its target receives. */
export async function testTransform(
  hub: HubClient,
  given: string,
  { expression, last, json }: TestFlags,
): Promise<void> {
  const { name, events, filter, transform } = await targetOf(hub, given);
  const text = expression === undefined ? transform?.expression : textOrFile(expression);
  if (text === undefined)
    throw invalidCommandLine(`${name} has no expression.`, 'Give one with --expression, as a text or @file.');
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
  if (json) await writeJson(preview);
  else {
    await writeTable<TransformPreview['data'][number]>(
      [
        { head: 'event', text: ({ event_id: id }) => id },
        {
          head: 'result',
          text: ({ ok }) => (ok ? 'ok' : 'failed'),
          style: ({ ok }) => (ok ? 'green' : 'red'),
        },
        { head: 'output', text: outputText, isFlexible: true },
      ],
      preview.data,
    );
    note(`${preview.failed} of ${preview.checked} failed.`);
  }
  if (preview.failed > 0) process.exitCode = EXIT.no;
}

function outputText({ output, error }: TransformPreview['data'][number]): string {
  if (error === undefined) return typeof output === 'string' ? output : JSON.stringify(output);
  const place = error.position === null ? error.code : `${error.code} at character ${error.position}`;
  return `${place}: ${error.message}`;
}
