import type { Subscription } from '../../../../src/contract/subscription';
import { TimeAgo } from '../../components/time-ago';
import { localizeTimes } from '../../format/local-times';
import classes from './subscription-alarms.module.css';

/** What is out of the ordinary about a subscription that stands: a rotation under way, an unusual silence. */
export function SubscriptionAlarms({ subscription: { rotation, silence } }: { subscription: Subscription }) {
  return (
    <div aria-live="polite" className={classes.place}>
      {rotation !== null && (
        <div className={classes.note} data-tone="busy">
          <h3>
            Rotation in progress, started <TimeAgo at={rotation.started_at} />
          </h3>
          <p>{localizeTimes(rotation.sentence)}</p>
        </div>
      )}
      {silence !== null && (
        <div className={classes.note} data-tone="warn">
          <h3>Unusually silent</h3>
          <p>{localizeTimes(silence.sentence)}</p>
        </div>
      )}
    </div>
  );
}
