import { IconPlayerPause, IconPlayerPlay, IconSend } from '@tabler/icons-react';
import type { Target } from '../../../../src/contract/target';
import { ActionButton } from '../../components/action-button';
import classes from './target-actions.module.css';
import type { useTargetActions } from './use-target-actions';

interface TargetActionsProps {
  target: Target;
  actions: ReturnType<typeof useTargetActions>;
}

/** Test and pause or resume buttons of a target. */
export function TargetActions({ target, actions: { test, pause, resume } }: TargetActionsProps) {
  return (
    <div className={classes.actions}>
      <ActionButton
        leftSection={<IconSend size={14} aria-hidden />}
        pending={test.isPending}
        aria-label={`Test ${target.name}: send one signed sample event`}
        title="Sends one signed sample event and shows the response"
        action={() => test.mutate()}
      >
        Test
      </ActionButton>
      {target.paused === null ? (
        <ActionButton
          className={classes.pause}
          leftSection={<IconPlayerPause size={14} aria-hidden />}
          pending={pause.isPending}
          aria-label={`Pause ${target.name}: queue deliveries until it is resumed`}
          title="Queues deliveries until the target is resumed"
          action={() => pause.mutate()}
        >
          Pause
        </ActionButton>
      ) : (
        <ActionButton
          className={classes.pause}
          leftSection={<IconPlayerPlay size={14} aria-hidden />}
          pending={resume.isPending}
          aria-label={`Resume ${target.name}: send queued deliveries`}
          title="Sends the queued deliveries"
          action={() => resume.mutate()}
        >
          Resume
        </ActionButton>
      )}
    </div>
  );
}
