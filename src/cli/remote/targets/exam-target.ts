import type { ExamResult } from '../../../contract/target-exam';
import type { HubFlags } from '../../definitions/hub-flags';
import { EXIT } from '../../exit-codes';
import { targetIdOf } from '../find-by-name';
import type { HubClient } from '../hub-client';
import { writeJson, writeTable } from '../output';

/** `targets exam`: whether the receiver verifies what it is sent. */
export async function examTarget(hub: HubClient, given: string, { json }: HubFlags): Promise<void> {
  const exam = await hub.request('POST', '/api/v1/targets/{id}/exam', {
    path: { id: await targetIdOf(hub, given) },
  });
  await (json
    ? writeJson(exam)
    : writeTable<ExamResult>(
        [
          { head: 'request', text: ({ case: name }) => name.replaceAll('_', ' ') },
          {
            head: 'result',
            text: ({ passed }) => (passed ? 'passed' : 'failed'),
            style: ({ passed }) => (passed ? 'green' : 'red'),
          },
          { head: 'ms', text: ({ duration_ms: ms }) => String(ms ?? '') },
          {
            head: 'what it did',
            text: ({ passed, sentence, section }) => (passed ? sentence : `${sentence} See ${section}`),
          },
        ],
        exam.results,
      ));
  if (!exam.passed) process.exitCode = EXIT.no;
}
