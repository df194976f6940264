import { Link } from '@tanstack/react-router';
import type { TargetExplanation } from '@contract/explanation';
import { localizeTimes } from '../../format/exact';
import { formatCount } from '../../format/number';
import { DisclosureChevron } from '../../components/disclosure-chevron';
import classes from './not-sent-targets.module.css';

interface NotSentTargetsProps {
  targets: readonly TargetExplanation[];
  isOpen: boolean;
}

/** The targets without a delivery of the event, each with the rule that excluded it. */
export function NotSentTargets({ targets, isOpen }: NotSentTargetsProps) {
  return (
    <details className={classes.targets} open={isOpen}>
      <summary className={classes.summary}>
        <DisclosureChevron />
        Not sent to {formatCount(targets.length)} {targets.length === 1 ? 'target' : 'targets'}
      </summary>
      <ul>
        {targets.map(({ target_id: id, name, reason }) => (
          <li key={id} className={classes.target}>
            <Link to="/targets/$id" params={{ id }}>
              {name}
            </Link>
            <p className={classes.reason}>{localizeTimes(reason)}</p>
          </li>
        ))}
      </ul>
    </details>
  );
}
