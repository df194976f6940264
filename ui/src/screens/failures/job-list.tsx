import { Button, VisuallyHidden } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { DeliveryJob } from '@contract/delivery';
import { cancelDeliveryJob, deliveryJobsQuery, isRunning } from '../../api/dead-letters';
import { ActionButton } from '../../components/action-button';
import { ErrorNote } from '../../components/error-note';
import { ProgressBar } from '../../components/progress-bar';
import { formatCount, formatNoun } from '../../format/number';
import classes from './job-list.module.css';

interface JobListProps {
  /** Ids of jobs started on this page, which are shown after they end too. */
  startedHere: readonly string[];
  dismiss: (id: string) => void;
}

/** The running bulk jobs, and the finished ones that were started here. */
export function JobList({ startedHere, dismiss }: JobListProps) {
  const cache = useQueryClient();
  const { data: jobs = [] } = useQuery(deliveryJobsQuery);
  const shown = jobs.filter((job) => isRunning(job) || startedHere.includes(job.id));
  const done = shown.reduce((sum, job) => sum + job.done + Number(!isRunning(job)), 0);
  // Processed dead letters disappear from the lists.
  useEffect(() => {
    if (done > 0) void cache.invalidateQueries({ queryKey: ['deliveries'] });
  }, [cache, done]);
  return (
    <>
      {/* Announced at the start and the end only. */}
      <VisuallyHidden component="output">{shown.map(jobLabel).join(' ')}</VisuallyHidden>
      {shown.length > 0 && (
        <ul className={classes.jobs} aria-label="Background jobs">
          {shown.map((job) => (
            <Job key={job.id} job={job} dismiss={() => dismiss(job.id)} />
          ))}
        </ul>
      )}
    </>
  );
}

function Job({ job, dismiss }: { job: DeliveryJob; dismiss: () => void }) {
  const cache = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => cancelDeliveryJob(job.id),
    onSuccess: () => cache.invalidateQueries({ queryKey: deliveryJobsQuery.queryKey }),
  });
  const label = runningLabel(job);
  const running = isRunning(job);
  return (
    <li className={classes.job}>
      <span>
        {running ? label : endLabel(job)}
        {running && `: ${formatCount(job.done)} of ${formatCount(job.total)}`}
        {job.reason !== null && <span className={classes.reason}> · {job.reason}</span>}
      </span>
      {running ? (
        <ActionButton
          pending={cancel.isPending}
          title="Completed work is kept"
          aria-label={`Cancel: ${label}`}
          action={() => cancel.mutate()}
        >
          Cancel
        </ActionButton>
      ) : (
        <Button variant="subtle" aria-label={`Hide: ${endLabel(job)}`} onClick={dismiss}>
          Hide
        </Button>
      )}
      {running && (
        <div className={classes.bar}>
          <ProgressBar label={label} done={job.done} total={job.total} />
        </div>
      )}
      {cancel.error !== null && <ErrorNote error={cancel.error} />}
    </li>
  );
}

const runningLabel = ({ action }: DeliveryJob) => (action === 'retry' ? 'Retrying' : 'Discarding');

const jobLabel = (job: DeliveryJob) => (isRunning(job) ? `${runningLabel(job)}.` : endLabel(job));

function endLabel({ action, state, done, total }: DeliveryJob): string {
  if (total === 0) return 'Nothing left to do.';
  const verb = action === 'retry' ? 'retried' : 'discarded';
  if (state === 'done') return `${formatNoun(done, 'dead letter')} ${verb}.`;
  return `Cancelled: ${formatCount(done)} of ${formatNoun(total, 'dead letter')} ${verb}.`;
}
