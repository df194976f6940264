import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Stats } from '../../../../src/contract/stats';
import { connectionQuery } from '../../api/connection';
import { statsQuery } from '../../api/stats';
import { subscriptionQuery } from '../../api/subscription';
import { StateWord } from '../../components/state-word';
import { TimeAgo } from '../../components/time-ago';
import { useNow } from '../../components/use-now';
import { useLiveState } from '../../live/live-context';
import { CONNECTION_WORDS, SUBSCRIPTION_WORDS } from '../../text/connection-words';
import { formatCount, formatMilliseconds } from '../../text/format-number';
import { formatSpan } from '../../text/format-relative';
import { AckBudget } from './ack-budget';
import { Traffic } from './traffic';
import classes from './vital-signs.module.css';

const WITHOUT_SOCKET_MS = 5_000;

/** Whether all is well, in one strip: upstream, our answers to it, downstream, and the traffic between. */
export function VitalSigns() {
  const live = useLiveState() === 'live';
  const { data: stats } = useQuery({ ...statsQuery, refetchInterval: live ? false : WITHOUT_SOCKET_MS });
  const oldest = stats?.deliveries.oldest_open_at ?? null;
  return (
    <section className={classes.strip} aria-label="Vital signs">
      <Upstream />
      <Sign name="Answer time">
        <AnswerTime ack={stats?.ack_ms ?? null} />
        <AckBudget p99={stats?.ack_ms?.p99 ?? null} />
      </Sign>
      <Sign name="Deliveries">
        <p className={classes.value}>
          {stats === undefined ? '–' : formatCount(stats.deliveries.open)}
          <span className={classes.unit}>open</span>
        </p>
        <p className={classes.more}>{oldest === null ? 'nothing waits' : <OldestAge at={oldest} />}</p>
        <p className={classes.more}>
          {stats !== undefined && stats.deliveries.dead > 0 ? (
            <Link to="/failures" className={classes.dead}>
              {formatCount(stats.deliveries.dead)} dead
            </Link>
          ) : (
            'none dead'
          )}
        </p>
      </Sign>
      <Traffic stats={stats} />
    </section>
  );
}

function AnswerTime({ ack }: { ack: Stats['ack_ms'] }) {
  if (ack === null) {
    return (
      <>
        <p className={classes.value}>–</p>
        <p className={classes.more}>none yet</p>
      </>
    );
  }
  return (
    <>
      <p className={classes.value} title="99 of 100 notifications are answered faster than this">
        {formatMilliseconds(ack.p99)}
        <span className={classes.unit}>p99</span>
      </p>
      <p className={classes.more} title="Co-Pilot waits 5 s for an answer, then it counts as failed">
        p50 {formatMilliseconds(ack.p50)}
        <span className={classes.wide}>, limit 5 s</span>
      </p>
    </>
  );
}

function Upstream() {
  const { data: connection } = useQuery(connectionQuery);
  const { data: subscription } = useQuery(subscriptionQuery);
  const last = subscription?.last_notification_at ?? null;
  return (
    <Sign name="Co-Pilot">
      <Link to="/connection" className={classes.states}>
        {connection === undefined ? '–' : <StateWord words={CONNECTION_WORDS[connection.state]} />}
        {subscription !== undefined && <StateWord words={SUBSCRIPTION_WORDS[subscription.state]} />}
      </Link>
      <p className={classes.more}>
        {last === null ? (
          'no notification yet'
        ) : (
          <>
            last heard <TimeAgo at={last} />
          </>
        )}
      </p>
    </Sign>
  );
}

function OldestAge({ at }: { at: string }) {
  const now = useNow();
  return <>oldest {formatSpan(now - new Date(at).getTime())}</>;
}

function Sign({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.sign}>
      <h2 className={classes.name}>{name}</h2>
      {children}
    </div>
  );
}
