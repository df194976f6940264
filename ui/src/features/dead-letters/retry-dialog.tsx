import { Group } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { retryDelivery, type DeadLetterSelection } from '../../api/dead-letters';
import { deliveryOutcomeQuery } from '../../api/deliveries';
import { targetsTrafficQuery } from '../../api/stats';
import { targetsQuery } from '../../api/targets';
import { ActionButton } from '../../components/action-button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { ErrorNote } from '../../components/error-note';
import { useNow } from '../../components/use-now';
import { formatCount, formatMilliseconds, formatNoun } from '../../format/number';
import { outcomeLabel } from '../../labels/delivery-labels';
import { describeResponses } from '../../labels/response-labels';
import { CopyAs } from '../copy-command/copy-as';
import { changeOfDeadLetters } from '../copy-command/requests';
import { ResponseExcerpt } from './response-excerpt';
import classes from './retry-dialog.module.css';

/** The dead letters that the dialog asks about. */
export interface RetryRequest {
  count: number;
  selection: DeadLetterSelection;
  /** Where they are sent to. */
  targets: { id: string; name: string }[];
  /** The delivery for “Send one first”. */
  first: string;
}

interface RetryDialogProps {
  request: RetryRequest;
  opened: boolean;
  close: () => void;
  pending: boolean;
  error: unknown;
  retry: () => void;
  /** Called after one delivery was sent, which may have changed the list. */
  onSent: () => void;
}

/** Asks before many deliveries are retried, shows how their targets respond, and offers to send one first. */
export function RetryDialog({ request, opened, close, pending, error, retry, onSent }: RetryDialogProps) {
  const { count, targets, first } = request;
  const one = useMutation({ mutationFn: () => retryDelivery(first), onSuccess: onSent });
  const closeAndForget = () => {
    close();
    one.reset();
  };
  const [target] = targets;
  const to =
    targets.length === 1 && target !== undefined ? target.name : formatNoun(targets.length, 'target');
  return (
    <ConfirmDialog
      title={`Retry ${formatNoun(count, 'delivery', 'deliveries')} to ${to}?`}
      opened={opened}
      close={closeAndForget}
      cancelLabel="Cancel"
      confirmLabel={one.isSuccess ? 'Retry the rest' : `Retry ${formatCount(count)}`}
      pending={pending}
      error={error}
      confirm={() => {
        retry();
        one.reset();
      }}
    >
      <ul className={classes.targets}>
        {opened && targets.map(({ id, name }) => <Responses key={id} id={id} name={name} />)}
      </ul>
      {count > 1 && (
        <Group gap="xs">
          <ActionButton pending={one.isPending} action={() => one.mutate()}>
            {one.isSuccess ? 'Send it again' : 'Send one first'}
          </ActionButton>
          <output className={classes.outcome}>
            {one.data !== undefined && <Outcome id={one.data.id} />}
          </output>
        </Group>
      )}
      {one.error !== null && <ErrorNote error={one.error} />}
      <CopyAs lines={() => changeOfDeadLetters('retry', request.selection)} />
    </ConfirmDialog>
  );
}

/** How a target responds at present. */
function Responses({ id, name }: { id: string; name: string }) {
  const now = useNow();
  const { data: targets } = useQuery(targetsQuery);
  const { data: traffic } = useQuery({ ...targetsTrafficQuery, staleTime: 0, refetchOnMount: 'always' });
  const target = targets?.find((other) => other.id === id);
  const ofTarget = traffic?.data.find(({ target_id: other }) => other === id);
  return (
    <li>
      <strong>{name}</strong>: {target !== undefined && describeResponses(target, ofTarget, now)}
    </li>
  );
}

/** What became of the delivery that was sent first. */
function Outcome({ id }: { id: string }) {
  const { data } = useQuery(deliveryOutcomeQuery(id));
  const attempt = data?.attempts.at(-1);
  if (attempt === undefined)
    return data === undefined || data.finished_at === null ? 'Sent, no response yet' : 'It was not sent';
  const { status, error, duration_ms: duration, excerpt } = attempt;
  return (
    <>
      <span className={classes.result} data-ok={error === null || undefined}>
        {error === null ? 'Delivered' : 'Failed'}: {outcomeLabel(status, error)}
      </span>{' '}
      in {formatMilliseconds(duration)}
      {error !== null && excerpt !== null && <ResponseExcerpt text={excerpt} />}
    </>
  );
}
