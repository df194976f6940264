import { IconPlayerPause, IconPlayerPlay, IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import type { Target } from '@contract/target';
import { ActionButton } from '../../components/action-button';
import { PauseDialog } from './pause-dialog';
import { ResumeDialog } from './resume-dialog';
import classes from './target-actions.module.css';
import type { useTargetActions } from './use-target-actions';

interface TargetActionsProps {
  target: Target;
  actions: ReturnType<typeof useTargetActions>;
}

/** Test and pause or resume buttons of a target. */
export function TargetActions({ target, actions: { test, resume } }: TargetActionsProps) {
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
      <PauseButton target={target} resume={resume} className={classes.pause} />
    </div>
  );
}

interface PauseButtonProps {
  target: Target;
  resume: ReturnType<typeof useTargetActions>['resume'];
  className?: string | undefined;
}

/**
 * Pauses an active target, after asking why and until when, or resumes a paused one, after asking if deliveries are
 * queued. One that is gone has no queue.
 */
export function PauseButton({ target, resume, className }: PauseButtonProps) {
  const { id, name, paused, disabled, backlog } = target;
  const [opened, setOpened] = useState<'pause' | 'resume' | null>(null);
  const isPaused = paused !== null;
  if (disabled !== null && !isPaused) return null;
  const Icon = isPaused ? IconPlayerPlay : IconPlayerPause;
  return (
    <>
      <ActionButton
        className={className}
        leftSection={<Icon size={14} aria-hidden />}
        pending={resume.isPending}
        aria-label={
          isPaused
            ? `Resume ${name}: send queued deliveries`
            : `Pause ${name}: queue deliveries until it is resumed`
        }
        title={isPaused ? 'Sends the queued deliveries' : 'Queues deliveries until the target is resumed'}
        action={() => {
          if (!isPaused) setOpened('pause');
          else if (backlog.open > 0) setOpened('resume');
          else resume.mutate();
        }}
      >
        {isPaused ? 'Resume' : 'Pause'}
      </ActionButton>
      <PauseDialog what={name} ids={[id]} opened={opened === 'pause'} close={() => setOpened(null)} />
      <ResumeDialog targets={[target]} opened={opened === 'resume'} close={() => setOpened(null)} />
    </>
  );
}
