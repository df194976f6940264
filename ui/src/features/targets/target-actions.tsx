import { IconPlayerPause, IconPlayerPlay, IconSend } from '@tabler/icons-react';
import type { Target } from '@contract/target';
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
      <PauseButton target={target} actions={{ pause, resume }} className={classes.pause} />
    </div>
  );
}

interface PauseButtonProps {
  target: Target;
  actions: Pick<ReturnType<typeof useTargetActions>, 'pause' | 'resume'>;
  className: string | undefined;
}

/** Pauses an active target, or resumes a paused one. */
export function PauseButton({
  target: { name, paused },
  actions: { pause, resume },
  className,
}: PauseButtonProps) {
  const isPaused = paused !== null;
  const mutation = isPaused ? resume : pause;
  const Icon = isPaused ? IconPlayerPlay : IconPlayerPause;
  return (
    <ActionButton
      className={className}
      leftSection={<Icon size={14} aria-hidden />}
      pending={mutation.isPending}
      aria-label={
        isPaused
          ? `Resume ${name}: send queued deliveries`
          : `Pause ${name}: queue deliveries until it is resumed`
      }
      title={isPaused ? 'Sends the queued deliveries' : 'Queues deliveries until the target is resumed'}
      action={() => mutation.mutate()}
    >
      {isPaused ? 'Resume' : 'Pause'}
    </ActionButton>
  );
}
