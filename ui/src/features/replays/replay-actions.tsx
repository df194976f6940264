import { Group } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReplaySummary } from '@contract/replay';
import { changeReplay, isUnfinished, replayQuery, type ReplayAction } from '../../api/replays';
import { formatCount, formatNoun } from '../../format/number';
import { ActionButton } from '../../components/action-button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { notifyFailure } from '../../components/notify-failure';

interface ReplayActionsProps {
  replay: ReplaySummary;
  /** Names the replay in the labels for screen readers. */
  name: string;
  /** Called after a cancel, when the buttons disappear. */
  onCancelled?: () => void;
}

/** Pause, resume and cancel buttons of a replay. */
export function ReplayActions({ replay, name, onCancelled }: ReplayActionsProps) {
  const cache = useQueryClient();
  const [confirming, setConfirming] = useState(false);
  const mutation = useMutation({
    mutationFn: (action: ReplayAction) => changeReplay(replay.id, action),
    onSuccess: async (after) => {
      setConfirming(false);
      cache.setQueryData(replayQuery(replay.id).queryKey, after);
      await cache.invalidateQueries({ queryKey: ['replays'] });
    },
    onError: (error, action) => {
      if (action !== 'cancel') notifyFailure(`Could not ${action} the replay`)(error);
      void cache.invalidateQueries({ queryKey: ['replays'] });
    },
  });
  const pending = mutation.isPending ? mutation.variables : null;
  const paused = replay.state === 'paused';
  const ongoing = isUnfinished(replay) && replay.state !== 'cancelling';
  return (
    <>
      {ongoing && (
        <Group gap="sm">
          <ActionButton
            leftSection={
              paused ? <IconPlayerPlay size={14} aria-hidden /> : <IconPlayerPause size={14} aria-hidden />
            }
            pending={pending === 'pause' || pending === 'resume'}
            aria-label={`${paused ? 'Resume' : 'Pause'} replay: ${name}`}
            title={
              paused ? 'Continues where it stopped' : 'Stops creating deliveries; queued ones are still sent'
            }
            action={() => mutation.mutate(paused ? 'resume' : 'pause')}
          >
            {paused ? 'Resume' : 'Pause'}
          </ActionButton>
          <ActionButton
            color="red"
            leftSection={<IconPlayerStop size={14} aria-hidden />}
            pending={pending === 'cancel'}
            aria-label={`Cancel replay: ${name}`}
            action={() => {
              mutation.reset();
              setConfirming(true);
            }}
          >
            Cancel
          </ActionButton>
        </Group>
      )}
      <ConfirmDialog
        title="Cancel this replay?"
        opened={confirming}
        close={() => setConfirming(false)}
        onClosed={() => {
          if (!ongoing) onCancelled?.();
        }}
        cancelLabel="Keep running"
        confirmLabel="Cancel replay"
        isDestructive
        pending={pending === 'cancel'}
        error={mutation.variables === 'cancel' ? mutation.error : null}
        confirm={() => mutation.mutate('cancel')}
      >
        <p>
          No more deliveries are created, and queued ones are cancelled. Deliveries in flight still arrive. So
          far, deliveries were created for {formatCount(replay.events)} of {formatNoun(replay.total, 'event')}
          .
        </p>
        <p>A cancelled replay cannot be resumed. To stop temporarily, pause it instead.</p>
      </ConfirmDialog>
    </>
  );
}
