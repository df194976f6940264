import type { Connection } from '../../../../src/contract/connection';
import { TimeAgo } from '../../components/time-ago';
import classes from './last-consent.module.css';

/** How the last consent failed, where the state itself does not tell of it: the grant before it holds on. */
export function LastConsent({ connection }: { connection: Connection }) {
  const { consent_failure: failure, state } = connection;
  if (failure === null || state === 'not_connected' || state === 'consent_needed') return null;
  return (
    <div className={classes.note}>
      <h3>
        The last authorization failed (<TimeAgo at={failure.at} />)
      </h3>
      <p>{failure.sentence}</p>
      <p>{failure.remedy}</p>
    </div>
  );
}
