import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { TargetMatches } from '@contract/target-test';
import { testTarget } from '../../api/targets';
import { ActionButton } from '../../components/action-button';
import { StateBadge } from '../../components/state-badge';
import { localizeTimes } from '../../format/exact';
import { TestResult } from '../../features/targets/test-result';
import { useTargets } from '../../features/targets/use-targets';
import type { StateLabel } from '../../labels/state-label';
import { prospectOf } from '../../labels/prospect-labels';
import classes from './test-event-screen.module.css';

const DOES_NOT: StateLabel = { tone: 'idle', label: 'Not sent', description: 'It would not be delivered' };

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
  const prospect = prospectOf(target);
  const test = useMutation({ mutationFn: () => testTarget(id, { type, raw }) });
  return (
    <li className={classes.target}>
      <div className={classes.line}>
        <Link to="/targets/$id" params={{ id }} className={classes.name}>
          <bdi>{name}</bdi>
        </Link>
        {isValid && <StateBadge state={reason === null ? prospect.state : DOES_NOT} />}
        <ActionButton
          pending={test.isPending}
          because={!isValid && 'The data is not JSON.'}
          aria-label={`Send to ${name}`}
          action={() => test.mutate()}
        >
          Send
        </ActionButton>
      </div>
      {isValid && (reason ?? prospect.why) !== undefined && (
        <p className={classes.reason}>{localizeTimes(reason ?? prospect.why ?? '')}</p>
      )}
      <TestResult test={test} />
    </li>
  );
}
