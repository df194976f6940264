import { useQuery } from '@tanstack/react-query';
import type { Drift } from '@contract/subscription';
import { subscriptionQuery } from '../../api/subscription';
import { Mono } from '../../components/mono';
import { Panel } from '../../components/panel';
import { ShowAll } from '../../components/show-all';
import { StateBadge } from '../../components/state-badge';
import { TimeAgo } from '../../components/time-ago';
import { DRIFT_FIELD_LABELS, DRIFT_LABELS } from '../../labels/connection-labels';
import classes from './drift-panel.module.css';

const INITIALLY_SHOWN = 3;

/** The differences that reconciliation found at Co-Pilot. */
export function DriftPanel() {
  const { data: subscription } = useQuery(subscriptionQuery);
  const drift = subscription?.drift ?? [];
  return drift.length === 0 ? null : <DriftList drift={drift} />;
}

function DriftList({ drift }: { drift: Drift[] }) {
  return (
    <Panel title="Changes detected at Co-Pilot" flush>
      <ShowAll items={drift} initiallyShown={INITIALLY_SHOWN}>
        {(shown) => (
          <ul>
            {shown.map(({ at, field, before, after, outcome }) => (
              <li key={`${at} ${field}`} className={classes.drift}>
                <div className={classes.head}>
                  <strong>{DRIFT_FIELD_LABELS[field]}</strong>
                  <StateBadge state={DRIFT_LABELS[outcome]} />
                  <TimeAgo at={at} className={classes.time} />
                </div>
                <dl className={classes.change}>
                  <dt>was</dt>
                  <dd>
                    <Mono>{before}</Mono>
                  </dd>
                  <dt>found</dt>
                  <dd>
                    <Mono>{after}</Mono>
                  </dd>
                </dl>
              </li>
            ))}
          </ul>
        )}
      </ShowAll>
    </Panel>
  );
}
