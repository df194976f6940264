import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CONSENT_PATH } from '../../api/connection';
import { dismissOutage, outagesQuery } from '../../api/outages';
import { resumeSubscription, subscriptionQuery } from '../../api/subscription';
import { GuardedButton } from '../../components/guarded-button';
import { ActionButton } from '../../components/action-button';
import { notifyFailure } from '../../components/notify-failure';
import { PauseButton } from '../../features/targets/target-actions';
import { useTargetActions } from '../../features/targets/use-target-actions';
import type { Outage } from '@contract/outage';
import type { Target } from '@contract/target';
import type { ConnectionSection, Remedy } from './issue';

/** The button that resolves an issue. */
export function RemedyButton({ remedy }: { remedy: Remedy }) {
  if (remedy.action === 'resume-target') return <Resume target={remedy.target} />;
  if (remedy.action === 'resume-subscription') return <ResumeSubscription />;
  if (remedy.action === 'none') return null;
  if (remedy.action === 'dismiss-outage') return <Dismiss outage={remedy.outage} />;
  if (remedy.action === 'consent') {
    return (
      <GuardedButton needs="admin" href={CONSENT_PATH}>
        {remedy.again ? 'Reconnect' : 'Connect'}
      </GuardedButton>
    );
  }
  if (remedy.action === 'open-event') {
    const { event: id } = remedy;
    return <Button renderRoot={(props) => <Link to="/events/$id" params={{ id }} {...props} />}>View</Button>;
  }
  if (remedy.action === 'open-target') {
    return <ViewOrPause target={remedy.target} />;
  }
  if (remedy.action === 'open-dead-letters') {
    return <Button renderRoot={(props) => <Link to="/failures" {...props} />}>Review failures</Button>;
  }
  if (remedy.action === 'open-daemons') {
    return <Button renderRoot={(props) => <Link to="/settings" {...props} />}>View</Button>;
  }
  if (remedy.action === 'create-target') {
    return (
      <GuardedButton renderRoot={(props) => <Link to="/targets/new" {...props} />}>
        Add a target
      </GuardedButton>
    );
  }
  return <ViewConnection section={remedy.section} />;
}

function ViewOrPause({ target }: { target: Target }) {
  const { resume } = useTargetActions(target);
  const { id } = target;
  return (
    <>
      <Button renderRoot={(props) => <Link to="/targets/$id" params={{ id }} {...props} />}>View</Button>
      <PauseButton target={target} resume={resume} />
    </>
  );
}

const ViewConnection = ({ section }: { section: ConnectionSection | undefined }) => (
  <Button
    renderRoot={(props) => (
      <Link to="/connection" {...(section !== undefined && { hash: section })} {...props} />
    )}
  >
    View
  </Button>
);

function Resume({ target }: { target: Target }) {
  const { resume } = useTargetActions(target);
  return (
    <ActionButton action={() => resume.mutate()} pending={resume.isPending}>
      Resume
    </ActionButton>
  );
}

function ResumeSubscription() {
  const cache = useQueryClient();
  const resume = useMutation({
    mutationFn: resumeSubscription,
    onSuccess: (subscription) => cache.setQueryData(subscriptionQuery.queryKey, subscription),
    onError: notifyFailure('Could not resume the subscription'),
  });
  return (
    <ActionButton action={() => resume.mutate()} pending={resume.isPending}>
      Resume
    </ActionButton>
  );
}

/** Dismisses an outage, or shows the details. */
function Dismiss({ outage: { id } }: { outage: Outage }) {
  const cache = useQueryClient();
  const dismiss = useMutation({
    mutationFn: () => dismissOutage(id),
    onSuccess: () => cache.invalidateQueries({ queryKey: outagesQuery.queryKey }),
    onError: notifyFailure('Could not dismiss the outage'),
  });
  return (
    <>
      <ActionButton
        action={() => dismiss.mutate()}
        pending={dismiss.isPending}
        title="Marks the outage as reviewed"
      >
        Dismiss
      </ActionButton>
      <ViewConnection section="outages" />
    </>
  );
}
