import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { HealthState } from '@contract/target-health';
import type { TargetMatches } from '@contract/target-test';
import { testTarget } from '../../api/targets';
import { ActionButton } from '../../components/action-button';
import { StateBadge } from '../../components/state-badge';
import { localizeTimes } from '../../format/exact';
import { TestResult } from '../../features/targets/test-result';
import { useTargets } from '../../features/targets/use-targets';
import type { StateLabel } from '../../labels/state-label';
import { targetLabels } from '../../labels/target-labels';
import classes from './test-event-screen.module.css';

const RECEIVES: StateLabel = { tone: 'ok', label: 'Receives it', description: 'Its types and filter match' };
const IS_QUEUED: StateLabel = {
  tone: 'warn',
  label: 'Queues it',
  description: 'Its types and filter match, but nothing is sent to it at present',
};
const DOES_NOT: StateLabel = { tone: 'idle', label: 'Not sent', description: 'It would not be delivered' };

/** States in which deliveries are queued. */
const HOLDING: ReadonlySet<HealthState> = new Set(['paused', 'offline', 'down']);

interface TargetMatchProps {
  target: TargetMatches['targets'][number];
  type: string;
  raw: string;
  isValid: boolean;
}

/** Whether a target would receive the event, and a button that sends it there anyway. */
export function TargetMatch({
  target: { target_id: id, name, reason },
  type,
  raw,
  isValid,
}: TargetMatchProps) {
  const target = useTargets().data?.find((one) => one.id === id);
  const holding =
    target && targetLabels(target).find((_, at) => HOLDING.has(target.health.states[at] ?? 'active'));
  const test = useMutation({ mutationFn: () => testTarget(id, { type, raw }) });
  return (
    <li className={classes.target}>
      <div className={classes.line}>
        <Link to="/targets/$id" params={{ id }} className={classes.name}>
          <bdi>{name}</bdi>
        </Link>
        {isValid && (
          <StateBadge state={reason !== null ? DOES_NOT : holding === undefined ? RECEIVES : IS_QUEUED} />
        )}
        <ActionButton
          pending={test.isPending}
          because={!isValid && 'The data is not JSON.'}
          aria-label={`Send to ${name}`}
          action={() => test.mutate()}
        >
          Send
        </ActionButton>
      </div>
      {isValid && (reason ?? holding) !== undefined && (
        <p className={classes.reason}>{localizeTimes(reason ?? holding?.description ?? '')}</p>
      )}
      <TestResult test={test} />
    </li>
  );
}
