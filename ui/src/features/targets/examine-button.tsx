import { useDisclosure } from '@mantine/hooks';
import { IconShieldCheck } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Fragment } from 'react';
import type { ExamCase, TargetExam } from '@contract/target-exam';
import type { Target } from '@contract/target';
import { examineReceiver } from '../../api/targets';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { GuardedButton } from '../../components/guarded-button';
import { StateBadge } from '../../components/state-badge';
import { statusLabel } from '../../labels/delivery-labels';
import type { StateLabel } from '../../labels/state-label';
import classes from './examine-button.module.css';
import { verdictOf } from './exam-verdict';

const CASES: Record<ExamCase, string> = {
  valid: 'Valid',
  repeated: 'The same again',
  altered_body: 'Body altered after signing',
  wrong_secret: 'Wrong secret',
  old_timestamp: 'Timestamp an hour old',
  unsigned: 'No signature',
};

const PASSED: StateLabel = { tone: 'ok', label: 'Passed', description: 'The response is right' };
const FAILED: StateLabel = { tone: 'bad', label: 'Failed', description: 'The response is not right' };

interface ExamineButtonProps {
  target: Pick<Target, 'id' | 'name'>;
  label?: string;
}

/** Explains the exam of a receiver, and shows its results. */
export function ExamineButton({ target: { id, name }, label = 'Examine the receiver' }: ExamineButtonProps) {
  const exam = useMutation({ mutationFn: () => examineReceiver(id) });
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <GuardedButton
        leftSection={<IconShieldCheck size={14} aria-hidden />}
        title="Sends valid and invalid requests, and shows whether the receiver tells them apart"
        onClick={open}
      >
        {label}
      </GuardedButton>
      <ConfirmDialog
        title={`Examine the receiver of ${name}`}
        size="lg"
        opened={opened}
        close={close}
        onClosed={exam.reset}
        cancelLabel={exam.data === undefined ? 'Cancel' : 'Close'}
        confirmLabel={exam.data === undefined ? 'Send six requests' : 'Examine again'}
        pending={exam.isPending}
        error={exam.error}
        confirm={() => exam.mutate()}
      >
        <p>
          Sends a valid request and the same again, which the receiver must accept, then four that it must
          reject with 4xx. Nothing is stored or retried, and the health of the target stays the same.{' '}
          <a href="/docs/api#TargetExam" target="_blank" rel="noreferrer">
            API description
          </a>
        </p>
        <p>
          The first two <strong>can have effects in the receiver</strong>, like a real event. If it does not
          verify signatures, so can the others.
        </p>
        <div aria-live="polite">{exam.data !== undefined && <ExamResults exam={exam.data} />}</div>
      </ConfirmDialog>
    </>
  );
}

function ExamResults({ exam: { results } }: { exam: TargetExam }) {
  const sections = [...new Set(results.flatMap(({ passed, section }) => (passed ? [] : [section])))];
  return (
    <>
      <p>
        <strong>{verdictOf(results)}</strong>
        {sections.length > 0 && ` More in ${sections.join(' and ')}.`}
      </p>
      <table className={classes.table} aria-label="Results">
        <thead>
          <tr>
            <th scope="col">Request</th>
            <th scope="col">Result</th>
            <th scope="col">Status</th>
          </tr>
        </thead>
        <tbody>
          {results.map(({ case: sent, passed, status, sentence }) => (
            <Fragment key={sent}>
              <tr>
                <th scope="row">{CASES[sent]}</th>
                <td>
                  <StateBadge state={passed ? PASSED : FAILED} />
                </td>
                <td className={classes.status}>{status === null ? 'None' : statusLabel(status)}</td>
              </tr>
              {!passed && (
                <tr className={classes.advice}>
                  <td colSpan={3}>{sentence}</td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </>
  );
}
