import { Button, Group, Radio } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { EventDetail } from '@contract/event';
import { eventQuery, replayEvent } from '../../api/events';
import { GuardedButton } from '../../components/guarded-button';
import { ErrorNote } from '../../components/error-note';
import { TargetCheckboxes } from '../targets/target-checkboxes';
import { TroubleNotes } from '../targets/trouble-notes';
import { formatNoun } from '../../format/number';
import { Dialog } from '../../components/dialog';
import classes from './replay-dialog.module.css';

interface ReplayDialogProps {
  event: Pick<EventDetail, 'id'>;
  opened: boolean;
  close: () => void;
}

/** Replays an event to all matching or selected targets. */
export function ReplayDialog({ event, opened, close }: ReplayDialogProps) {
  const cache = useQueryClient();
  const { data: detail } = useQuery({ ...eventQuery(event.id), enabled: opened });
  const [selecting, setSelecting] = useState(false);
  const [selected, setSelected] = useState<string[]>([]);
  const replay = useMutation({
    mutationFn: () => replayEvent(event.id, selecting ? { target_ids: selected } : {}),
    onSuccess: async ({ delivery_ids }) => {
      close();
      const created = formatNoun(delivery_ids.length, 'new delivery', 'new deliveries');
      const message = delivery_ids.length === 0 ? 'No target matches this event.' : `Created ${created}.`;
      notifications.show({ title: 'Replayed', message, color: 'gray' });
      await cache.invalidateQueries({ queryKey: eventQuery(event.id).queryKey });
    },
  });
  return (
    <Dialog opened={opened} close={close} title="Replay this event">
      <p className={classes.lead}>
        Sends the stored bytes again as new deliveries. Existing delivery history is kept. Targets receive the
        same <code>webhook-id</code> and can detect the repeat.
      </p>
      <Radio.Group
        value={selecting ? 'selected' : 'all'}
        onChange={(value) => setSelecting(value === 'selected')}
        aria-label="Destination"
      >
        <div className={classes.choices}>
          <Radio value="all" label="All matching targets" data-autofocus />
          <Radio value="selected" label="Selected targets" />
        </div>
      </Radio.Group>
      {selecting && (
        <div className={classes.targets}>
          <TargetCheckboxes label="Targets" selected={selected} onSelect={setSelected} />
        </div>
      )}
      <TroubleNotes targets={selecting ? selected : (detail?.deliveries.map((one) => one.target_id) ?? [])} />
      {replay.error !== null && <ErrorNote error={replay.error} />}
      <Group justify="flex-end" mt="lg">
        <Button onClick={close}>Cancel</Button>
        <GuardedButton
          variant="filled"
          loading={replay.isPending}
          because={selecting && selected.length === 0 && 'Select at least one target.'}
          onClick={() => replay.mutate()}
        >
          {selecting && selected.length > 0 ? `Replay to ${formatNoun(selected.length, 'target')}` : 'Replay'}
        </GuardedButton>
      </Group>
    </Dialog>
  );
}
