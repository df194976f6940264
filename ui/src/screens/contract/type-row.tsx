import { Link } from '@tanstack/react-router';
import type { PayloadTypes } from '@contract/payload-type';
import { SCHEMA_LEARNED_EVENTS } from '@contract/constants';
import line from '../../components/line.module.css';
import { ProgressBar } from '../../components/progress-bar';
import { StateBadge } from '../../components/state-badge';
import { TimeAgo } from '../../components/time-ago';
import { formatNoun } from '../../format/number';
import { PAYLOAD_STATES } from '../../labels/payload-labels';
import classes from './type-row.module.css';

/** The names of the columns, which the rows tell by themselves. */
export const TypeRowHead = () => (
  <div className={`${line.line} ${classes.row} ${classes.head}`} aria-hidden>
    <span>Type</span>
    <span>Schema</span>
    <span>Version</span>
    <span className={classes.events}>Examined</span>
    <span className={classes.time}>Last event</span>
  </div>
);

/** An event type with the state of its schema, which links to its fields. */
export function TypeRow({
  type: { type, state, version_at: changedAt, version, events, examined, last_seen_at: at },
}: {
  type: PayloadTypes['data'][number];
}) {
  return (
    <li>
      <Link to="/contract/$type" params={{ type }} className={`${line.line} ${classes.row}`} data-row>
        <span className={line.mono}>{type}</span>
        <StateBadge state={PAYLOAD_STATES[state]} />
        <span className={classes.change}>
          {changedAt === null ? (
            <>
              {examined < SCHEMA_LEARNED_EVENTS
                ? `First version after ${SCHEMA_LEARNED_EVENTS} events`
                : 'First version within a minute'}
              <ProgressBar label={`Events of ${type} seen`} done={examined} total={SCHEMA_LEARNED_EVENTS} />
            </>
          ) : (
            <span>
              version {version}, <TimeAgo at={changedAt} />
            </span>
          )}
        </span>
        <span
          className={classes.events}
          title={examined < events ? `${formatNoun(events, 'event')} in all` : undefined}
        >
          {formatNoun(examined, 'event')}
        </span>
        <TimeAgo at={at} className={`${line.time} ${classes.time}`} />
      </Link>
    </li>
  );
}
