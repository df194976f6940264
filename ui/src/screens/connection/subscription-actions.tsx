import { Group } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconRefresh, IconShieldCheck } from '@tabler/icons-react';
import { useState } from 'react';
import type { Subscription } from '@contract/subscription';
import { ActionButton } from '../../components/action-button';
import { ActionOutcome } from '../../components/action-outcome';
import { PauseDialog } from './pause-dialog';
import { RotateDialog } from './rotate-dialog';
import { isRegistered, useSubscriptionAction } from './use-subscription-action';

/** The actions on the webhook and their outcome. */
export function SubscriptionActions({ subscription }: { subscription: Subscription }) {
  const [confirming, setConfirming] = useState<'pause' | 'rotate' | null>(null);
  const mutation = useSubscriptionAction();
  const pending = mutation.isPending ? mutation.variables : null;
  const paused = subscription.state === 'paused';
  const ask = (what: 'pause' | 'rotate') => {
    mutation.reset();
    setConfirming(what);
  };
  const close = () => {
    if (mutation.isError) mutation.reset();
    setConfirming(null);
  };
  const dialog = { mutation, close, done: () => setConfirming(null) };
  return (
    <>
      <Group gap="sm">
        <ActionButton
          leftSection={<IconShieldCheck size={14} aria-hidden />}
          pending={pending === 'repair'}
          title="Compares the webhook at Co-Pilot with the expected state and repairs differences"
          action={() => mutation.mutate('repair')}
        >
          Check and repair now
        </ActionButton>
        {isRegistered(subscription) && (
          <ActionButton
            leftSection={<IconRefresh size={14} aria-hidden />}
            pending={pending === 'rotate' || pending === 'rotate_delete_first'}
            title="Creates a new address and a new secret"
            action={() => ask('rotate')}
          >
            Rotate
          </ActionButton>
        )}
        {isRegistered(subscription) && (
          <ActionButton
            leftSection={
              paused ? <IconPlayerPlay size={14} aria-hidden /> : <IconPlayerPause size={14} aria-hidden />
            }
            pending={pending === 'pause' || pending === 'resume'}
            action={() => (paused ? mutation.mutate('resume') : ask('pause'))}
          >
            {paused ? 'Resume' : 'Pause at Co-Pilot'}
          </ActionButton>
        )}
      </Group>
      <ActionOutcome
        done={mutation.data?.state === subscription.state ? mutation.data.message : null}
        isPartial={mutation.data?.isPartial === true}
        error={confirming === null ? mutation.error : null}
      />
      <PauseDialog opened={confirming === 'pause'} {...dialog} />
      <RotateDialog opened={confirming === 'rotate'} {...dialog} />
    </>
  );
}
