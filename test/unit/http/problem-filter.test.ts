import type { ArgumentsHost } from '@nestjs/common';
import type { Log } from '../../../src/relay/ground/log';
import { RelayError } from '../../../src/relay/ground/relay-error';
import { ProblemFilter } from '../../../src/relay/http/problem.filter';

/** The level at which the answer to a request is logged. */
function levelOf(error: unknown): string {
  let level = '';
  const at = (name: string) => () => (level = name);
  const log = { debug: at('debug'), error: at('error') } as unknown as Log;
  const reply = { sent: true, raw: { destroy: () => undefined } };
  const http = { getRequest: () => ({ method: 'GET' }), getResponse: () => reply };
  const host = { switchToHttp: () => http } as unknown as ArgumentsHost;
  const filter = new ProblemFilter(log);
  const answer = filter.catch.bind(filter);
  answer(error, host);
  return level;
}

it('a request that comes while the daemon stops is no error, in contrast to one that fails', () => {
  expect(levelOf(new RelayError('no_leader', 503, 'This daemon is stopping.'))).toBe('debug');
  expect(levelOf(new RelayError('storage_failed', 503, 'The disk is full.'))).toBe('error');
  expect(levelOf(new Error('defect'))).toBe('error');
});
