import { Button, Checkbox, Group } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { TargetCreated } from '@contract/target';
import { GuardedButton } from '../../components/guarded-button';
import { LeaveGuard } from '../../components/leave-guard';
import { Panel } from '../../components/panel';
import stack from '../../components/stack.module.css';
import { SigningSecret } from '../../features/signing-secret/signing-secret';
import { ExamineButton } from '../../features/targets/examine-button';
import { ListenCommand } from '../../features/targets/listen-command';
import { TargetActions } from '../../features/targets/target-actions';
import { TestResult } from '../../features/targets/test-result';
import { useTargetActions } from '../../features/targets/use-target-actions';
import classes from './new-target-secret.module.css';

/**
 * The secret of a new target. It is shown only here, so continuing requires confirming that it is saved. Nobody verifies
 * the signature of a message, so a target that receives messages only offers a test.
 */
export function NewTargetSecret({ target }: { target: TargetCreated }) {
  const navigate = useNavigate();
  const actions = useTargetActions(target);
  const [isSaved, setSaved] = useState(false);
  // The button that was pressed is gone, and the form was longer.
  useEffect(() => {
    const main = document.querySelector('main');
    main?.scrollTo({ top: 0 });
    main?.focus({ preventScroll: true });
  }, []);
  const open = () => void navigate({ to: '/targets/$id', params: { id: target.id }, replace: true });
  if (target.format !== 'json')
    return (
      <Panel title="Send a test" aside={<TargetActions target={target} actions={actions} />}>
        <p className={classes.lead}>Send a test message, and check that it arrives.</p>
        <TestResult test={actions.test} />
        <Button variant="filled" onClick={open}>
          Go to target
        </Button>
      </Panel>
    );
  return (
    <>
      <LeaveGuard when={!isSaved} title="Leave without the secret?">
        It cannot be shown again, not even after a reload. Later, a new one can be created on the target’s
        page.
      </LeaveGuard>
      <Panel title="Signing secret, shown only once">
        <p className={classes.lead}>
          Add it to your service: a Standard Webhooks library uses it to verify that requests come from this
          Switchboard. It is stored encrypted and cannot be shown again.
        </p>
        <SigningSecret secret={target.secret} target={target} />
        <Group mt="lg" gap="lg">
          <Checkbox
            label="I’ve saved the secret"
            checked={isSaved}
            onChange={({ currentTarget }) => setSaved(currentTarget.checked)}
          />
          <GuardedButton
            variant="filled"
            because={!isSaved && 'Confirm first that you have saved the secret.'}
            onClick={open}
          >
            Go to target
          </GuardedButton>
        </Group>
      </Panel>
      <Panel title="Send a test" aside={<TargetActions target={target} actions={actions} />}>
        {target.kind === 'listener' ? (
          <div className={stack.small}>
            <p className={classes.lead}>
              Start the program on the machine that is to receive the events, and send one signed sample.
            </p>
            <ListenCommand target={target} />
          </div>
        ) : (
          <p className={classes.lead}>Send one signed sample event to {target.url} and see the response.</p>
        )}
        <TestResult test={actions.test} />
        <ExamineButton target={target} label="Once it has the secret, examine the receiver" />
      </Panel>
    </>
  );
}
