import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CONSENT_PATH, connectionQuery } from '../../api/connection';
import { healthQuery } from '../../api/health';
import { dismissOutage, outagesQuery } from '../../api/outages';
import { resumeSubscription, subscriptionQuery } from '../../api/subscription';
import { GuardedButton } from '../../components/guarded-button';
import { ActionButton } from '../../components/action-button';
import { notifyFailure } from '../../components/notify-failure';
import { PauseButton } from '../../features/targets/target-actions';
import { useTargetActions } from '../../features/targets/use-target-actions';
import { useTargets } from '../../features/targets/use-targets';
import { needsConsent } from '../../labels/connection-labels';
import type { Issue } from '@contract/health';
import type { Target } from '@contract/target';

/** Panels of the Connection screen that can be linked to. */
type ConnectionSection = 'quarantine' | 'outages';

/** The buttons that resolve an issue, or lead to where that is done. */
export function RemedyButton({
  issue: { id, code, target_id: targetId, event_id: event },
}: {
  issue: Issue;
}) {
  const target = useTargets().data?.find((one) => one.id === targetId);
  const { data: connection } = useQuery(connectionQuery);
  const [area] = code.split('.');
  if (code === 'delivery.dead')
    return <Button renderRoot={(props) => <Link to="/failures" {...props} />}>Review failures</Button>;
  if (target !== undefined)
    return code === 'target.paused' ? <Resume target={target} /> : <ViewOrPause target={target} />;
  if (code === 'target.none')
    return (
      <GuardedButton renderRoot={(props) => <Link to="/targets/new" {...props} />}>
        Add a target
      </GuardedButton>
    );
  if (event !== null)
    return (
      <Button renderRoot={(props) => <Link to="/events/$id" params={{ id: event }} {...props} />}>
        View
      </Button>
    );
  if (code === 'subscription.paused') return <ResumeSubscription />;
  if (code === 'outage.ended') return <Dismiss id={id} />;
  if (area === 'daemon')
    return <Button renderRoot={(props) => <Link to="/settings" {...props} />}>View</Button>;
  if (area === 'connection' && connection !== undefined && needsConsent(connection))
    return (
      <GuardedButton needs="admin" href={CONSENT_PATH}>
        {code === 'connection.missing' ? 'Connect' : 'Reconnect'}
      </GuardedButton>
    );
  return area !== undefined && UPSTREAM.includes(area) && code !== 'notification.slow' ? (
    <ViewConnection section={SECTIONS[code]} />
  ) : null;
}

/** What the Connection screen shows more about. */
const UPSTREAM: readonly string[] = ['connection', 'subscription', 'notification', 'outage'];

const SECTIONS: Partial<Record<string, ConnectionSection>> = {
  'notification.rejected': 'quarantine',
  'outage.silence': 'outages',
};

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
function Dismiss({ id }: { id: string }) {
  const cache = useQueryClient();
  const dismiss = useMutation({
    mutationFn: () => dismissOutage(id),
    onSuccess: () =>
      Promise.all([outagesQuery, healthQuery].map(({ queryKey }) => cache.invalidateQueries({ queryKey }))),
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
