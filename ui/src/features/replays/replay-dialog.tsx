import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { EventDetail } from '@contract/event';
import { eventQuery, replayEvent } from '../../api/events';
import { Dialog } from '../../components/dialog';
import { ErrorNote } from '../../components/error-note';
import { GuardedButton } from '../../components/guarded-button';
import { PendingData } from '../../components/pending-data';
import stack from '../../components/stack.module.css';
import { formatNoun } from '../../format/number';
import { recipientsOf } from '../targets/recipients-of';
import { TargetCheckboxes } from '../targets/target-checkboxes';
import { TroubleNotes } from '../targets/trouble-notes';
import { useTargets } from '../targets/use-targets';
import classes from './replay-dialog.module.css';

interface ReplayDialogProps {
  event: Pick<EventDetail, 'id'>;
  opened: boolean;
  close: () => void;
}

/** Replays an event to selected targets, at first those that it was sent to. */
export function ReplayDialog({ event, opened, close }: ReplayDialogProps) {
  const query = useQuery({ ...eventQuery(event.id), enabled: opened });
  const { data: targets } = useTargets();
  return (
    <Dialog opened={opened} close={close} title="Replay this event">
      <p className={classes.lead}>
        Sends the stored bytes again as new deliveries. Existing delivery history is kept. Targets receive the
        same <code>webhook-id</code> and can detect the repeat.
      </p>
      <PendingData query={query} rows={3} />
      {query.data !== undefined && targets !== undefined && (
        <Recipients id={event.id} initial={recipientsOf(query.data, targets)} close={close} />
      )}
    </Dialog>
  );
}

interface RecipientsProps {
  /** Of the event. */
  id: string;
  initial: string[];
  close: () => void;
}

/** Mounted when the dialog opens, so that what is selected stays as it is. */
function Recipients({ id, initial, close }: RecipientsProps) {
  const cache = useQueryClient();
  const [selected, setSelected] = useState(initial);
  const replay = useMutation({
    mutationFn: () => replayEvent(id, { target_ids: selected }),
    onSuccess: async ({ delivery_ids: { length } }) => {
      close();
      const message = `Created ${formatNoun(length, 'new delivery', 'new deliveries')}.`;
      notifications.show({ title: 'Replayed', message, color: 'gray' });
      await cache.invalidateQueries({ queryKey: eventQuery(id).queryKey });
    },
  });
  return (
    <>
      <div className={stack.small}>
        {initial.length === 0 && <p>It was sent to no target so far.</p>}
        <TargetCheckboxes label="Targets" selected={selected} onSelect={setSelected} />
        <TroubleNotes targets={selected} />
        {replay.error !== null && <ErrorNote error={replay.error} />}
      </div>
      <Group justify="flex-end" mt="lg">
        <Button onClick={close} data-autofocus>
          Cancel
        </Button>
        <GuardedButton
          variant="filled"
          loading={replay.isPending}
          because={selected.length === 0 && 'Select at least one target.'}
          onClick={() => replay.mutate()}
        >
          {selected.length === 0 ? 'Replay' : `Replay to ${formatNoun(selected.length, 'target')}`}
        </GuardedButton>
      </Group>
    </>
  );
}
