import { Button, Group } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { Erasure } from '@contract/erasure';
import { PendingData } from '../../components/pending-data';
import { ProgressBar } from '../../components/progress-bar';
import stack from '../../components/stack.module.css';
import { StateBadge } from '../../components/state-badge';
import { formatCount, formatNoun } from '../../format/number';
import { ERASURE_LABELS } from '../../labels/erasure-labels';
import { RemainingBackups } from './remaining-backups';

interface ErasureProgressProps {
  query: UseQueryResult<Erasure>;
  close: () => void;
}

/** How far an erasure is; it continues if the dialog is closed. */
export function ErasureProgress({ query, close }: ErasureProgressProps) {
  const { data } = query;
  return (
    <>
      <div className={stack.small} aria-live="polite">
        <PendingData query={query} rows={3} />
        {data !== undefined && (
          <>
            <p>
              <StateBadge state={ERASURE_LABELS[data.state]} /> {formatNoun(data.events, 'event')} erased
              {data.state === 'erasing' && ` of ${formatCount(data.total)}`}
              {data.cancelled > 0 && `, ${formatNoun(data.cancelled, 'delivery', 'deliveries')} cancelled`}.
            </p>
            {data.state === 'erasing' && (
              <ProgressBar label="Erased events" done={data.events} total={data.total} />
            )}
            {data.state !== 'erasing' && <p>{ERASURE_LABELS[data.state].description}.</p>}
            <p>{data.sentence}</p>
            <RemainingBackups backups={data.backups} />
          </>
        )}
      </div>
      <Group justify="flex-end" mt="lg">
        <Button ref={focus} data-autofocus onClick={close}>
          Close
        </Button>
      </Group>
    </>
  );
}

/** The button that started the erasure had the focus, and is gone. */
const focus = (element: HTMLElement | null) => element?.focus();
