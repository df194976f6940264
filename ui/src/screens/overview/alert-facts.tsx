import type { AlertSummary } from '../../../../src/contract/alert';
import { TimeAgo } from '../../components/time-ago';
import { formatNoun } from '../../format/number';
import { localizeTimes } from '../../format/local-times';
import { systemEventName } from '../../labels/system-events';
import classes from './alert-facts.module.css';

/** What is to be done about an alert; how bad it is, since when, and how often it was raised. */
export function AlertFacts({ alert }: { alert: AlertSummary }) {
  const { remedy, severity, type, since, count } = alert;
  return (
    <>
      <span className={classes.remedy}>{localizeTimes(remedy)}</span>
      <span className={classes.facts}>
        {severity === 'critical' ? 'Critical' : 'Warning'}, {systemEventName(type)}, since{' '}
        <TimeAgo at={since} />
        {count > 1 && `, ${formatNoun(count, 'time')}`}
      </span>
    </>
  );
}
