import { Injectable } from '@nestjs/common';
import { EXAM_CASES, type ExamCase, type ExamResult, type TargetExam } from '../../../contract/target-exam';
import { Clock } from '../../ground/clock';
import { Random } from '../../ground/random';
import { RelayError } from '../../ground/relay-error';
import type { TargetRecord } from '../../targets/target-record';
import { failureText } from '../../transforms/failure-text';
import { judgeAnswer, notSent } from './judge-answer';
import { TargetTester, type TestedEvent } from './target-tester';

const HOUR_MS = 3_600_000;
const SECRET_BYTES = 32;

/** No request starts later than this after the first one: the dashboard waits for the response for 30 s. */
const LAST_START_MS = 18_000;
/** How long one request may take. */
const MAX_TIMEOUT_MS = 10_000;

/** Sends a receiver valid and invalid requests, and says whether it tells them apart; nothing is stored. */
@Injectable()
export class ReceiverExam {
  constructor(
    private readonly tester: TargetTester,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /**
   * Examines the receiver of a saved target, also of one that is paused or disabled.
   * @throws RelayError `target_unknown`, 404; `listener_offline`, `target_not_json` or `transform_failed`, 409
   */
  async examine(id: string): Promise<TargetExam> {
    const target = this.tester.reachable(id);
    if (target.format !== 'json')
      throw new RelayError(
        'target_not_json',
        409,
        `The target "${target.name}" receives messages, whose signature nobody verifies.`,
        { remedy: 'Send it a test event to see its response.' },
      );
    const now = this.clock.now();
    const { event: sample, failure } = await this.tester.transformed(target, this.tester.sampleOf({}), now);
    if (failure !== null)
      throw new RelayError(
        'transform_failed',
        409,
        `Its expression fails with a sample: ${failureText(failure)}`,
        {
          remedy: 'Let the expression accept events that lack fields, for the time of the exam.',
        },
      );
    const started = performance.now();
    const results: ExamResult[] = [];
    for (const name of EXAM_CASES) {
      const isOver = results.at(-1)?.status === null || performance.now() - started > LAST_START_MS;
      results.push(isOver ? notSent(name) : await this.send(name, target, sample, now));
    }
    return { passed: results.every(({ passed }) => passed), results };
  }

  /** @param now when the exam began: the ids of its requests are computed from it */
  private async send(
    name: ExamCase,
    target: TargetRecord,
    sample: TestedEvent,
    now: number,
  ): Promise<ExamResult> {
    const { policy, signature } = target;
    const isRepeated = name === 'repeated';
    const key = { signingKey: this.random.bytes(SECRET_BYTES), previousSigningKey: null };
    const headers = this.tester.headersOf(
      sample,
      { ...target, ...(name === 'wrong_secret' && key) },
      {
        now,
        at: this.clock.now() - (name === 'old_timestamp' ? HOUR_MS : 0),
        // A receiver that knows an id may accept what has it without verifying it.
        n: isRepeated ? 0 : EXAM_CASES.indexOf(name),
        attempt: isRepeated ? 2 : 1,
      },
    );
    if (name === 'unsigned') {
      delete headers['webhook-signature'];
      if (signature !== null) delete headers[signature.header];
    }
    const body = name === 'altered_body' ? altered(sample.body) : sample.body;
    const timeout = Math.min(policy.timeout_ms, MAX_TIMEOUT_MS);
    const shorter = { ...target, policy: { ...policy, timeout_ms: timeout } };
    return judgeAnswer(name, await this.tester.request(shorter, headers, body), signature);
  }
}

const altered = (body: Uint8Array) =>
  Buffer.from(Buffer.from(body).toString().replace('Switchboard', 'someone else'));
