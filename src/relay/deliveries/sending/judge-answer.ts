import type { ExamCase, ExamResult } from '../../../contract/target-exam';
import type { TargetRecord } from '../../targets/target-record';
import { describeOutcome, type AttemptOutcome } from './attempt-outcome';

/** What is wrong with an invalid request, and what a receiver must do about it. */
const FAULTS: Readonly<
  Record<Exclude<ExamCase, 'valid' | 'repeated'>, readonly [fault: string, advice: string]>
> = {
  altered_body: [
    'its body was altered after it was signed',
    'compute the signature from the bytes received, and compare it',
  ],
  wrong_secret: ['it was signed with another secret', 'compare the signature with your own'],
  old_timestamp: [
    'its timestamp is an hour old',
    'reject timestamps that differ from your time by more than five minutes',
  ],
  unsigned: ['it had no signature', 'reject what has none'],
};

const HEADINGS: Readonly<Partial<Record<ExamCase, string>>> = {
  valid: 'what-a-delivery-contains',
  repeated: 'how-responses-are-handled',
};

const sectionOf = (name: ExamCase) => `docs/receivers.md#${HEADINGS[name] ?? 'example-receivers'}`;

/** A request that was not sent, because it might take too long. */
export const notSent = (name: ExamCase): ExamResult => ({
  case: name,
  passed: false,
  status: null,
  duration_ms: null,
  sentence: 'Not sent: an earlier request had no response, or they took too long together.',
  section: sectionOf(name),
});

/** Whether the answer to a request of an exam is right, and what the receiver must change if not. */
export function judgeAnswer(
  name: ExamCase,
  outcome: AttemptOutcome,
  signature: TargetRecord['signature'],
): ExamResult {
  const { status, error, durationMs } = outcome;
  const isAccepted = error === null;
  const isWanted = name === 'valid' || name === 'repeated';
  const passed = isWanted ? isAccepted : !isAccepted && isRejection(outcome);
  const answer = describeOutcome(outcome);
  const describe = () => {
    if (passed) return `${isWanted ? 'Accepted' : 'Rejected'} with ${answer}.`;
    if (status === null) return `No response: ${answer}.`;
    if (isWanted) return `${answer} to ${WANTED[name]}`;
    const [fault, advice] = FAULTS[name];
    if (!isAccepted) return `${answer}, but ${fault}: reject it with 401.`;
    const isUntimed = name === 'old_timestamp' && signature !== null && !signature.form.includes('{time}');
    const more = isUntimed ? `, and verify webhook-signature, since ${signature.header} has no time` : '';
    return `Accepted with ${answer}, although ${fault}: ${advice}${more}.`;
  };
  return {
    case: name,
    passed,
    status,
    duration_ms: durationMs,
    sentence: describe(),
    section: sectionOf(name),
  };
}

const WANTED = {
  valid:
    'a valid request: check that the receiver has the secret of this target, and verifies the raw bytes.',
  repeated: 'an event that it knows: respond with 2xx, or it is retried and becomes a dead letter.',
};

/** 429 says nothing about the signature. */
const isRejection = ({ status }: AttemptOutcome) =>
  status !== null && status >= 400 && status < 500 && status !== 429;
