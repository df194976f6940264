import { runInNewContext } from 'node:vm';
import { describeError } from '../../../src/relay/ground/describe-error';

it.each([
  ['an error', new Error('It failed.'), 'It failed.'],
  ['an error of another realm', runInNewContext('new Error("It failed.")'), 'It failed.'],
  ['what is left of one that came from a thread', { code: 'SQLITE_CANTOPEN' }, 'SQLITE_CANTOPEN'],
  ['a text', 'It failed.', 'It failed.'],
  ['nothing', undefined, 'not an Error'],
  ['an object', { secret: 'abc' }, 'not an Error'],
])('the message of %s is logged', (_, error, message) => {
  expect(describeError(error).message).toBe(message);
});
