import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CONSENT_ADDRESS } from '../../api/connection';
import { dismissOutage, outagesQuery } from '../../api/outages';
import { resumeSubscription, subscriptionQuery } from '../../api/subscription';
import { ActButton } from '../../components/action-button';
import { tellFailure } from '../../components/notify-failure';
import { useTargetActs } from '../../features/targets/use-target-actions';
import type { Outage } from '../../../../src/contract/outage';
import type { Target } from '../../../../src/contract/target';
import type { Remedy } from './issue';

/** The act that answers a finding. */
export function RemedyButton({ remedy }: { remedy: Remedy }) {
  if (remedy.act === 'resume') return <Resume target={remedy.target} />;
  if (remedy.act === 'resume-subscription') return <ResumeSubscription />;
  if (remedy.act === 'look-elsewhere') return null;
  if (remedy.act === 'dismiss-outage') return <Dismiss outage={remedy.outage} />;
  if (remedy.act === 'consent') {
    return (
      <Button component="a" href={CONSENT_ADDRESS}>
        {remedy.again ? 'Reconnect' : 'Connect'}
      </Button>
    );
  }
  if (remedy.act === 'look-at-event') {
    const { event: id } = remedy;
    return <Button renderRoot={(props) => <Link to="/events/$id" params={{ id }} {...props} />}>View</Button>;
  }
  if (remedy.act === 'look-at-target') {
    const { id } = remedy.target;
    return (
      <Button renderRoot={(props) => <Link to="/targets/$id" params={{ id }} {...props} />}>View</Button>
    );
  }
  if (remedy.act === 'show-dead') {
    return <Button renderRoot={(props) => <Link to="/failures" {...props} />}>Review failures</Button>;
  }
  if (remedy.act === 'make-target') {
    return <Button renderRoot={(props) => <Link to="/targets/new" {...props} />}>Add a target</Button>;
  }
  return <Button renderRoot={(props) => <Link to="/connection" {...props} />}>View</Button>;
}

function Resume({ target }: { target: Target }) {
  const { resume } = useTargetActs(target);
  return (
    <ActButton act={() => resume.mutate()} pending={resume.isPending}>
      Resume
    </ActButton>
  );
}

function ResumeSubscription() {
  const cache = useQueryClient();
  const resume = useMutation({
    mutationFn: resumeSubscription,
    onSuccess: (subscription) => cache.setQueryData(subscriptionQuery.queryKey, subscription),
    onError: tellFailure('The subscription was not resumed'),
  });
  return (
    <ActButton act={() => resume.mutate()} pending={resume.isPending}>
      Resume
    </ActButton>
  );
}

/** Somebody has seen to it; where else to look stands beside it. */
function Dismiss({ outage: { id } }: { outage: Outage }) {
  const cache = useQueryClient();
  const dismiss = useMutation({
    mutationFn: () => dismissOutage(id),
    onSuccess: () => cache.invalidateQueries({ queryKey: outagesQuery.queryKey }),
    onError: tellFailure('The outage was not dismissed'),
  });
  return (
    <>
      <ActButton
        act={() => dismiss.mutate()}
        pending={dismiss.isPending}
        title="Marks the outage as reviewed"
      >
        Dismiss
      </ActButton>
      <Button renderRoot={(props) => <Link to="/connection" {...props} />}>View</Button>
    </>
  );
}
