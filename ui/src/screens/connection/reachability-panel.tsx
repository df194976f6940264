import { IconArrowLoopRight } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { probeLoop, subscriptionQuery } from '../../api/subscription';
import { ActionButton } from '../../components/action-button';
import { ErrorNote } from '../../components/error-note';
import { LoadingRows } from '../../components/loading-rows';
import { Panel } from '../../components/panel';
import { TimeAgo } from '../../components/time-ago';
import { probeLabel } from '../../labels/connection-labels';
import classes from './reachability-panel.module.css';
import { StateDescription } from './state-description';

const NOT_TESTED =
  'Sends a request to the public address, as Co-Pilot would, and checks that it arrives unchanged.';

/** Whether the outside reaches us, and what is wrong if it does not. */
export function ReachabilityPanel() {
  const cache = useQueryClient();
  const { data: subscription } = useQuery(subscriptionQuery);
  const test = useMutation({
    mutationFn: probeLoop,
    onSuccess: (probe) =>
      cache.setQueryData(subscriptionQuery.queryKey, (cached) => cached && { ...cached, probe }),
  });
  const probe = subscription?.probe ?? null;
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
      <div className={classes.parts}>
        {subscription === undefined ? (
          <LoadingRows count={2} />
        ) : (
          <StateDescription
            state={probeLabel(probe)}
            sentence={probe?.sentence ?? NOT_TESTED}
            remedy={probe?.remedy ?? null}
          />
        )}
        {probe !== null && (
          <p className={classes.at}>
            Tested <TimeAgo at={probe.at} />, automatically every 15 minutes.
            {probe.certificate_ends_at !== null && (
              <>
                {' '}
                The certificate expires <TimeAgo at={probe.certificate_ends_at} />.
              </>
            )}
          </p>
        )}
        {test.error !== null && <ErrorNote error={test.error} />}
      </div>
    </Panel>
  );
}
