import { targetPolicy } from '../../../src/contract/target-policy';
import { describeProblem } from '../../../src/relay/http/describe-problem';

const errorsOf = (policy: object) => describeProblem(targetPolicy.partial().safeParse(policy).error).errors;

it.each([
  [{ delays_s: [5, -1] }, ['retry.delays_s.1']],
  [{ attempts: 3, first_s: 5 }, ['retry.factor', 'retry.cap_s']],
  [{ attempts: 3, first_s: 5, factor: 2, cap_s: 60, cap: 1 }, ['retry']],
  [5, ['retry']],
])('a value with several forms is judged as the form that it comes closest to: %j', (retry, paths) => {
  expect(errorsOf({ retry })?.map(({ path }) => path)).toEqual(paths);
});

it('a value whose forms have different types is judged as the form of its own', () => {
  expect(errorsOf({ success: ['6xx'] })).toEqual([
    { path: 'success.0', message: expect.stringContaining('"5xx"') },
  ]);
});
