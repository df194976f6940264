import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconHistory } from '@tabler/icons-react';
import { useState } from 'react';
import { ActionButton } from '../../components/action-button';
import { Dialog } from '../../components/dialog';
import { ErrorNote } from '../../components/error-note';
import { GuardedButton } from '../../components/guarded-button';
import { useStartReplay } from '../../features/replays/use-start-replay';
import { TargetCheckboxes } from '../../features/targets/target-checkboxes';
import { TroubleNotes } from '../../features/targets/trouble-notes';
import stack from '../../components/stack.module.css';
import { formatNoun } from '../../format/number';

/** Replays exactly these events to chosen targets. */
export function ReplaySelected({ seqs }: { seqs: number[] }) {
  const [opened, { open, close }] = useDisclosure(false);
  const [targets, setTargets] = useState<string[]>([]);
  const events = formatNoun(seqs.length, 'event');
  const start = useStartReplay();
  return (
    <>
      <GuardedButton size="compact-sm" leftSection={<IconHistory size={14} aria-hidden />} onClick={open}>
        Replay
      </GuardedButton>
      <Dialog title={`Replay ${events}`} opened={opened} close={close}>
        <div className={stack.small}>
          <p>
            Sends exactly the selected {seqs.length === 1 ? 'event' : 'events'} again, in the order of
            receipt, to the targets you choose, even if their filters exclude some.
          </p>
          <TargetCheckboxes label="Targets" selected={targets} onSelect={setTargets} />
          <TroubleNotes targets={targets} />
          {start.error !== null && <ErrorNote error={start.error} />}
        </div>
        <Group justify="flex-end" mt="lg">
          <Button onClick={close}>Cancel</Button>
          <ActionButton
            variant="filled"
            because={targets.length === 0 && 'Select at least one target.'}
            pending={start.isPending}
            action={() =>
              start.mutate({
                filter: { seqs, until_seq: Math.max(...seqs) },
                target_ids: targets,
                rate: 'as_fast_as_allowed',
              })
            }
          >
            {targets.length === 0
              ? `Replay ${events}`
              : `Replay ${events} to ${formatNoun(targets.length, 'target')}`}
          </ActionButton>
        </Group>
      </Dialog>
    </>
  );
}
