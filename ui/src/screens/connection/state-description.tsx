import { useQuery } from '@tanstack/react-query';
import { alertsQuery } from '../../api/alerts';
import { TimeAgo } from '../../components/time-ago';
import type { StateLabel } from '../../labels/state-label';
import { StateBadge } from '../../components/state-badge';
import { localizeTimes } from '../../format/exact';
import classes from './state-description.module.css';

interface StateDescriptionProps {
  state: StateLabel;
  sentence: string;
  remedy: string | null;
  /** The type of the alert about it. */
  alertType: string;
}

/** A state, its meaning and its remedy, announced to screen readers when it changes. */
export function StateDescription({ state, sentence, remedy, alertType }: StateDescriptionProps) {
  const { data: alerts } = useQuery(alertsQuery);
  const alert = alerts?.find(({ type }) => type === alertType);
  return (
    <div className={classes.state}>
      <div className={classes.state} aria-live="polite" aria-atomic>
        <StateBadge state={state} strong />
        <p>{localizeTimes(sentence)}</p>
        {remedy !== null && <p className={classes.remedy}>{localizeTimes(remedy)}</p>}
      </div>
      {alert !== undefined && (
        <p className={classes.remedy}>
          Alert raised <TimeAgo at={alert.since} />
        </p>
      )}
    </div>
  );
}
