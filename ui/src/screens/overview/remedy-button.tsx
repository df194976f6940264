import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CONSENT_PATH, connectionQuery } from '../../api/connection';
import { healthQuery } from '../../api/health';
import { dismissOutage, outagesQuery } from '../../api/outages';
import { repairSubscription, resumeSubscription, subscriptionQuery } from '../../api/subscription';
import { GuardedButton } from '../../components/guarded-button';
import { ActionButton } from '../../components/action-button';
import { notifyFailure } from '../../components/notify-failure';
import { useRetryDead } from '../../features/dead-letters/use-retry-dead';
import { RepairButton } from '../../features/repairs/repair-button';
import { EnableButton } from '../../features/targets/enable-button';
import { PauseButton } from '../../features/targets/target-actions';
import { useTargetActions } from '../../features/targets/use-target-actions';
import { formatCount } from '../../format/number';
import { needsConsent } from '../../labels/connection-labels';
import type { Issue } from '@contract/health';
import type { Subscription } from '@contract/subscription';
import type { Target } from '@contract/target';

/** Panels of the Connection screen that can be linked to. */
type ConnectionSection = 'quarantine' | 'outages';

/** The buttons that resolve an issue, or lead to where that is done. */
export function RemedyButton({ issue: { id, code, event_id: event } }: { issue: Issue }) {
  const { data: connection } = useQuery(connectionQuery);
  const [area] = code.split('.');
  if (code === 'delivery.dead')
    return <Button renderRoot={(props) => <Link to="/failures" {...props} />}>Review failures</Button>;
  if (code === 'payload.changed')
    return <Button renderRoot={(props) => <Link to="/contract" {...props} />}>View</Button>;
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
  if (code === 'subscription.paused')
    return (
      <SubscriptionButton
        label="Resume"
        request={resumeSubscription}
        failure="Could not resume the subscription"
        describe={({ sentence }) => sentence}
      />
    );
  if (code === 'subscription.unchecked')
    return (
      <>
        <SubscriptionButton
          label="Check again"
          request={repairSubscription}
          failure="Could not check the webhook"
          describe={({ problem }) =>
            problem === null ? 'Checked: the webhook is as expected.' : `Checked just now: ${problem}`
          }
        />
        <ViewConnection section={undefined} />
      </>
    );
  if (code === 'outage.ended') return <OutageRemedies id={id} />;
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

interface TargetRemediesProps {
  target: Target;
  issues: readonly Issue[];
}

/**
 * Leads to what is wrong with a target, and pauses, resumes or enables it; one that responds again gets its dead
 * letters.
 */
export function TargetRemedies({ target, issues }: TargetRemediesProps) {
  const { resume } = useTargetActions(target);
  const { id, backlog } = target;
  const isRecovered = issues.some(({ code }) => code === 'target.recovered');
  return (
    <>
      {backlog.dead === 0 && (
        <Button renderRoot={(props) => <Link to="/targets/$id" params={{ id }} {...props} />}>View</Button>
      )}
      {backlog.dead > 0 && (
        <Button renderRoot={(props) => <Link to="/failures" search={{ target: id }} {...props} />}>
          Review
        </Button>
      )}
      {target.disabled !== null && <EnableButton target={target} />}
      {isRecovered ? <RetryDead target={target} /> : <PauseButton target={target} resume={resume} />}
    </>
  );
}

function RetryDead({ target }: { target: Target }) {
  const retry = useRetryDead(target);
  const onError = notifyFailure(`Could not retry the dead letters of ${target.name}`);
  return (
    <ActionButton pending={retry.isPending} action={() => retry.mutate(undefined, { onError })}>
      Retry {formatCount(target.backlog.dead)}
    </ActionButton>
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

interface SubscriptionButtonProps {
  label: string;
  request: () => Promise<Subscription>;
  failure: string;
  /** Says how it ended. */
  describe: (subscription: Subscription) => string;
}

function SubscriptionButton({ label, request, failure, describe }: SubscriptionButtonProps) {
  const cache = useQueryClient();
  const act = useMutation({
    mutationFn: request,
    onSuccess: async (subscription) => {
      cache.setQueryData(subscriptionQuery.queryKey, subscription);
      notifications.show({ message: describe(subscription) });
      await cache.invalidateQueries({ queryKey: healthQuery.queryKey });
    },
    onError: notifyFailure(failure),
  });
  return (
    <ActionButton action={() => act.mutate()} pending={act.isPending}>
      {label}
    </ActionButton>
  );
}

/** Repairs all outages, dismisses the newest, or shows the details. */
function OutageRemedies({ id }: { id: string }) {
  const cache = useQueryClient();
  const dismiss = useMutation({
    mutationFn: () => dismissOutage(id),
    onSuccess: () =>
      Promise.all([outagesQuery, healthQuery].map(({ queryKey }) => cache.invalidateQueries({ queryKey }))),
    onError: notifyFailure('Could not dismiss the outage'),
  });
  return (
    <>
      <RepairButton input={{ purpose: 'repair' }} />
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
