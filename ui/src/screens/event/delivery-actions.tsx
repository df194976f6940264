import { Button, Group } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { DeliveryDetail } from '../../../../src/contract/delivery';
import type { Target } from '../../../../src/contract/target';
import { discardDelivery, retryDelivery } from '../../api/dead-letters';
import { eventQuery } from '../../api/events';
import { targetsQuery } from '../../api/targets';
import { ActionButton } from '../../components/action-button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { DiscardDialog } from '../../features/dead-letters/discard-dialog';
import { ErrorNote } from '../../components/error-note';

const ORDERS: Record<Exclude<Target['policy']['ordering'], 'none'>, string> = {
  entity: 'the events of each deal, contact or task',
  strict: 'all events',
};

interface DeliveryActionsProps {
  delivery: DeliveryDetail;
  /** Called when something was done: the buttons are gone then. */
  done: () => void;
}

/** Retry and discard, for a delivery that was given up and that nothing has followed yet. */
export function DeliveryActions({ delivery, done }: DeliveryActionsProps) {
  const cache = useQueryClient();
  const { data: targets } = useQuery(targetsQuery);
  const [asking, setAsking] = useState<'retry' | 'discard' | null>(null);
  const { id, state, stops_lane: stopsLane, target_name: name } = delivery;
  const ordering = targets?.find((target) => target.id === delivery.target_id)?.policy.ordering ?? 'none';
  const onSuccess = async () => {
    setAsking(null);
    await Promise.all([
      cache.invalidateQueries({ queryKey: eventQuery(delivery.event_id).queryKey }),
      cache.invalidateQueries({ queryKey: ['deliveries'] }),
    ]);
    done();
  };
  const retry = useMutation({ mutationFn: () => retryDelivery(id), onSuccess });
  const discard = useMutation({ mutationFn: (reason: string) => discardDelivery(id, reason), onSuccess });
  return (
    <>
      <Group gap="xs">
        <ActionButton
          // Which order the target keeps is not known before: a retry that breaks it is asked about first.
          pending={retry.isPending || targets === undefined}
          aria-label={`Retry delivery to ${name}`}
          title={stopsLane ? 'Keeps its position in its lane' : 'Creates a new delivery immediately'}
          action={() => (ordering === 'none' || stopsLane ? retry.mutate() : setAsking('retry'))}
        >
          Retry
        </ActionButton>
        {state === 'dead' && (
          <Button
            color="red"
            variant="subtle"
            aria-label={`Discard delivery to ${name}`}
            onClick={() => {
              discard.reset();
              setAsking('discard');
            }}
          >
            Discard
          </Button>
        )}
      </Group>
      {retry.error !== null && asking === null && <ErrorNote error={retry.error} />}
      <ConfirmDialog
        title="Retry out of order?"
        opened={asking === 'retry'}
        close={() => setAsking(null)}
        cancelLabel="Cancel"
        confirmLabel="Retry out of order"
        pending={retry.isPending}
        error={retry.error}
        confirm={() => retry.mutate()}
      >
        <p>
          {name} receives {ordering !== 'none' && ORDERS[ordering]} in order. A manual retry is sent
          immediately and bypasses that order, so newer events may already have been delivered. It is marked
          as <code>out of order</code>.
        </p>
      </ConfirmDialog>
      <DiscardDialog
        count={1}
        stopLanes={stopsLane ? 1 : 0}
        opened={asking === 'discard'}
        close={() => setAsking(null)}
        pending={discard.isPending}
        error={discard.error}
        discard={discard.mutate}
      />
    </>
  );
}
