import { Group } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { DeliveryDetail } from '@contract/delivery';
import type { Target } from '@contract/target';
import { discardDelivery, retryDelivery } from '../../api/dead-letters';
import { eventQuery } from '../../api/events';
import { targetsQuery } from '../../api/targets';
import { GuardedButton } from '../../components/guarded-button';
import { ActionButton } from '../../components/action-button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { DiscardDialog } from '../../features/dead-letters/discard-dialog';
import { focusAfter } from '../../components/focus-after';
import { ErrorNote } from '../../components/error-note';

const ORDERED_EVENTS: Record<Exclude<Target['policy']['ordering'], 'none'>, string> = {
  entity: 'the events of each deal, contact or task',
  strict: 'all events',
};

interface DeliveryActionsProps {
  delivery: DeliveryDetail;
  /** Called after an action, when the buttons disappear. */
  onDone: () => void;
}

/** Retry and discard buttons of a failed or cancelled delivery without a later one. */
export function DeliveryActions({ delivery, onDone }: DeliveryActionsProps) {
  const cache = useQueryClient();
  const { data: targets } = useQuery(targetsQuery);
  const [confirming, setConfirming] = useState<'retry' | 'discard' | null>(null);
  const { id, state, blocks_lane: blocksLane, target_name: name } = delivery;
  const target = targets?.find((one) => one.id === delivery.target_id);
  const isDeleted = targets !== undefined && target === undefined;
  const ordering = target?.policy.ordering ?? 'none';
  const onSuccess = () => {
    setConfirming(null);
    const refresh = Promise.all([
      cache.invalidateQueries({ queryKey: eventQuery(delivery.event_id).queryKey }),
      cache.invalidateQueries({ queryKey: ['deliveries'] }),
    ]);
    return focusAfter(refresh, onDone);
  };
  const retry = useMutation({ mutationFn: () => retryDelivery(id), onSuccess });
  const discard = useMutation({ mutationFn: (reason: string) => discardDelivery(id, reason), onSuccess });
  return (
    <>
      <Group gap="xs">
        <ActionButton
          // Wait for the target's ordering: an out-of-order retry needs confirmation.
          pending={retry.isPending || targets === undefined}
          because={isDeleted && `${name} was deleted.`}
          aria-label={`Retry delivery to ${name}`}
          title={blocksLane ? 'Keeps its position in its lane' : 'Creates a new delivery immediately'}
          action={() => (ordering === 'none' || blocksLane ? retry.mutate() : setConfirming('retry'))}
        >
          Retry
        </ActionButton>
        {state === 'dead' && (
          <GuardedButton
            color="red"
            variant="subtle"
            aria-label={`Discard delivery to ${name}`}
            onClick={() => {
              discard.reset();
              setConfirming('discard');
            }}
          >
            Discard
          </GuardedButton>
        )}
      </Group>
      {retry.error !== null && confirming === null && <ErrorNote error={retry.error} />}
      <ConfirmDialog
        title="Retry out of order?"
        opened={confirming === 'retry'}
        close={() => setConfirming(null)}
        cancelLabel="Cancel"
        confirmLabel="Retry out of order"
        pending={retry.isPending}
        error={retry.error}
        confirm={() => retry.mutate()}
      >
        <p>
          {name} receives {ordering !== 'none' && ORDERED_EVENTS[ordering]} in order. A manual retry is sent
          immediately and bypasses that order, so newer events may already have been delivered. It is marked
          as <code>out of order</code>.
        </p>
      </ConfirmDialog>
      <DiscardDialog
        count={1}
        blockedLanes={blocksLane ? 1 : 0}
        opened={confirming === 'discard'}
        close={() => setConfirming(null)}
        pending={discard.isPending}
        error={discard.error}
        discard={discard.mutate}
      />
    </>
  );
}
