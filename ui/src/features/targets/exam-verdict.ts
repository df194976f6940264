import type { ExamResult } from '@contract/target-exam';
import { formatCount } from '../../format/number';

type Result = Pick<ExamResult, 'case' | 'passed' | 'status'>;

/** The result of an exam in one line: `2 of 6 passed: the receiver does not verify signatures.` */
export function verdictOf(results: readonly Result[]): string {
  const passed = results.filter((result) => result.passed).length;
  return `${formatCount(passed)} of ${formatCount(results.length)} passed: ${meaningOf(results)}.`;
}

/** What matters most: an invalid request that is accepted is worse than one with the wrong status. */
function meaningOf(results: readonly Result[]): string {
  const failed = new Map(results.flatMap((result) => (result.passed ? [] : [[result.case, result]])));
  if (failed.size === 0) return 'the receiver accepts what is valid, and only that';
  const valid = failed.get('valid');
  if (valid?.status === null) return 'the receiver did not respond';
  if (valid !== undefined) return 'the receiver does not accept valid requests';
  const accepted = [...failed.values()].filter((result) => result.case !== 'repeated' && isSuccess(result));
  if (accepted.some((result) => FORGED.includes(result.case)))
    return accepted.length === INVALID
      ? 'the receiver does not verify signatures'
      : 'the receiver accepts some invalid requests';
  if (accepted.length > 0) return 'the receiver accepts old requests';
  if (failed.has('repeated')) return 'the receiver does not accept an event that it knows';
  return 'the receiver must reject invalid requests with 4xx';
}

/** The requests whose signature is missing or wrong; with the old one, those that must be rejected. */
const FORGED: readonly ExamResult['case'][] = ['altered_body', 'wrong_secret', 'unsigned'];
const INVALID = FORGED.length + 1;

const isSuccess = ({ status }: Result) => status !== null && status >= 200 && status < 300;
