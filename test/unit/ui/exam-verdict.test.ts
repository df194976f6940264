import { EXAM_CASES, type ExamCase } from '../../../src/contract/target-exam';
import { verdictOf } from '../../../ui/src/features/targets/exam-verdict';

/** The results of an exam in which some cases failed, with the statuses given. */
const examWith = (failed: Partial<Record<ExamCase, number | null>>) =>
  EXAM_CASES.map((name) =>
    name in failed
      ? { case: name, passed: false, status: failed[name] ?? null }
      : { case: name, passed: true, status: name === 'valid' || name === 'repeated' ? 204 : 401 },
  );
const silent = Object.fromEntries(EXAM_CASES.map((name) => [name, null]));

it.each([
  [{}, '6 of 6 passed: the receiver accepts what is valid, and only that.'],
  [
    { altered_body: 200, wrong_secret: 200, old_timestamp: 200, unsigned: 200 },
    '2 of 6 passed: the receiver does not verify signatures.',
  ],
  [{ unsigned: 200, repeated: 409 }, '4 of 6 passed: the receiver accepts some invalid requests.'],
  [{ old_timestamp: 204, repeated: 409 }, '4 of 6 passed: the receiver accepts old requests.'],
  [{ repeated: 409 }, '5 of 6 passed: the receiver does not accept an event that it knows.'],
  [{ unsigned: 500 }, '5 of 6 passed: the receiver must reject invalid requests with 4xx.'],
  [{ valid: 401, repeated: 401 }, '4 of 6 passed: the receiver does not accept valid requests.'],
  [silent, '0 of 6 passed: the receiver did not respond.'],
])('of an exam in which %j failed, the verdict is "%s"', (failed, verdict) => {
  expect(verdictOf(examWith(failed))).toBe(verdict);
});
