import { Button } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CONSENT_PATH } from '../../api/connection';
import { LATEST_EVENTS } from '../../api/events';
import { GuardedButton } from '../../components/guarded-button';
import { Panel } from '../../components/panel';
import { isSystemEvent } from '../../labels/system-events';
import type { OverviewData } from './overview-data';
import { FirstEventHint } from '../../features/event-list/first-event-hint';
import classes from './first-steps.module.css';

/** Which setup steps are done; null while loading. */
export function completedSteps({
  connection,
  subscription,
  targets,
  latest,
}: OverviewData): [boolean, boolean, boolean] | null {
  if (connection === undefined || targets === undefined || latest === undefined) return null;
  return [
    connection.state !== 'not_connected',
    targets.length > 0,
    // A full page of system events means that the instance is not new.
    (subscription?.last_notification_at ?? null) !== null ||
      latest.length === LATEST_EVENTS ||
      latest.some(({ type }) => !isSystemEvent(type)),
  ];
}

/** The setup steps up to the first event. */
export function FirstSteps({
  done: [isConnected, hasTarget, hasEvent],
}: {
  done: [boolean, boolean, boolean];
}) {
  return (
    <Panel title="Three steps to your first event" flush>
      <ol className={classes.steps}>
        <Step number={1} title="Connect to Co-Pilot" done={isConnected}>
          <p>
            Authorize Switchboard at Co&#8209;Pilot. Switchboard registers the webhook and keeps it healthy.
          </p>
          {!isConnected && (
            <GuardedButton needs="admin" href={CONSENT_PATH} variant="filled">
              Connect to Co-Pilot
            </GuardedButton>
          )}
        </Step>
        <Step number={2} title="Add a target" done={hasTarget}>
          <p>
            The address of your service, such as <code>http://localhost:3000/hook</code>. Every event is
            signed and delivered; failed deliveries are retried.
          </p>
          {!hasTarget && (
            <GuardedButton
              variant={isConnected ? 'filled' : 'default'}
              renderRoot={(props) => <Link to="/targets/new" {...props} />}
            >
              Add a target
            </GuardedButton>
          )}
        </Step>
        <Step number={3} title="See an event" done={hasEvent}>
          <p>
            <FirstEventHint />
          </p>
          {!hasEvent && <Button renderRoot={(props) => <Link to="/live" {...props} />}>Watch live</Button>}
        </Step>
      </ol>
    </Panel>
  );
}

interface StepProps {
  number: number;
  title: string;
  done: boolean;
  children: ReactNode;
}

function Step({ number, title, done, children }: StepProps) {
  return (
    <li className={classes.step} data-done={done || undefined}>
      <span className={classes.mark} aria-hidden>
        {done ? <IconCheck size={16} stroke={2.4} /> : number}
      </span>
      <div className={classes.text}>
        <h3>
          {title}
          {done && <span className={classes.done}> done</span>}
        </h3>
        {children}
      </div>
    </li>
  );
}
