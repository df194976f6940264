import { IconArrowLoopRight } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { testReachability, subscriptionQuery } from '../../api/subscription';
import { ActionButton } from '../../components/action-button';
import { ErrorNote } from '../../components/error-note';
import { LoadingRows } from '../../components/loading-rows';
import { Panel } from '../../components/panel';
import { RelativeTime, TimeAgo } from '../../components/time-ago';
import { reachabilityLabel } from '../../labels/connection-labels';
import stack from '../../components/stack.module.css';
import classes from './reachability-panel.module.css';
import { StateDescription } from './state-description';

const NOT_TESTED =
  'Sends a request to the public address, as Co-Pilot would, and checks that it arrives unchanged.';

/** Whether requests from outside reach the webhook address. */
export function ReachabilityPanel() {
  const cache = useQueryClient();
  const { data: subscription } = useQuery(subscriptionQuery);
  const test = useMutation({
    mutationFn: testReachability,
    onSuccess: (reachability) =>
      cache.setQueryData(subscriptionQuery.queryKey, (cached) => cached && { ...cached, reachability }),
  });
  const check = subscription?.reachability ?? null;
  return (
    <Panel
      title="Public reachability"
      aside={
        <ActionButton
          leftSection={<IconArrowLoopRight size={14} aria-hidden />}
          pending={test.isPending}
          action={() => test.mutate()}
        >
          Test now
        </ActionButton>
      }
    >
      <div className={stack.small}>
        {subscription === undefined ? (
          <LoadingRows count={2} />
        ) : (
          <StateDescription
            state={reachabilityLabel(check)}
            sentence={check?.sentence ?? NOT_TESTED}
            remedy={check?.remedy ?? null}
            alertType="relay.subscription.unreachable"
          />
        )}
        {check !== null && (
          <p className={classes.at}>
            Tested <TimeAgo at={check.at} />, automatically every 15 minutes.
            {check.certificate_ends_at !== null && (
              <>
                {' '}
                The certificate expires <RelativeTime at={check.certificate_ends_at} />.
              </>
            )}
          </p>
        )}
        {test.error !== null && <ErrorNote error={test.error} />}
      </div>
    </Panel>
  );
}
