import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Stats, StatsSeries } from '@contract/stats';
import type { Target } from '@contract/target';
import { LAST_HOUR, statsSeriesQuery } from '../../api/stats';
import { StateBadge } from '../../components/state-badge';
import { TimeAgo } from '../../components/time-ago';
import { useNow } from '../../components/use-now';
import { CONNECTION_LABELS, subscriptionLabel } from '../../labels/connection-labels';
import { formatExact } from '../../format/exact';
import { formatCount, formatMilliseconds, formatNoun, formatRate, formatShare } from '../../format/number';
import { formatOneUnit } from '../../format/relative';
import { lastNotificationAt, type OverviewData } from './overview-data';
import { fromStats } from '../../features/traffic-chart/traffic-view';
import classes from './key-metrics.module.css';
import type { Tone } from '../../labels/state-label';

/** Keeps the line while its value is being loaded. */
const UNKNOWN = '\u00a0';

/** The key metrics: connection, ack latency, current rate, success rate and backlog. */
export function KeyMetrics({ data }: { data: OverviewData }) {
  const { connection, subscription, stats } = data;
  const lastAt = lastNotificationAt(data);
  const { data: series } = useQuery(statsSeriesQuery(LAST_HOUR));
  return (
    <section className={classes.strip} aria-label="Key metrics">
      <Metric name="Co-Pilot">
        <Link to="/connection" className={classes.states}>
          {connection === undefined ? '–' : <StateBadge state={CONNECTION_LABELS[connection.state]} />}
          {subscription !== undefined && <StateBadge state={subscriptionLabel(subscription)} />}
        </Link>
        <p className={classes.more}>
          {lastAt === undefined && UNKNOWN}
          {lastAt === null && 'no notification yet'}
          {typeof lastAt === 'string' && (
            <>
              last notification <TimeAgo at={lastAt} />
            </>
          )}
        </p>
      </Metric>
      <AckLatency stats={stats} />
      <CurrentRate stats={stats} />
      <SuccessRate series={series} targets={data.targets ?? []} />
      <Backlog stats={stats} />
    </section>
  );
}

function AckLatency({ stats }: { stats: Stats | undefined }) {
  const ack = stats?.ack_ms ?? null;
  return (
    <Metric
      name="Ack latency (p99)"
      title="How long Co-Pilot waits for a response; 99% of notifications are acknowledged faster. After 5 s Co-Pilot counts the notification as failed."
    >
      {ack === null ? (
        <p className={classes.value}>–</p>
      ) : (
        <p className={classes.value}>
          {formatMilliseconds(ack.p99)} <span className={classes.unit}>limit 5 s</span>
        </p>
      )}
      {ack !== null && ack.p99 >= SHOWN_FROM_MS && <AckBudget p99={ack.p99} />}
      <p className={classes.more}>
        {ack !== null && `median ${formatMilliseconds(ack.p50)}`}
        {ack === null && (stats === undefined ? UNKNOWN : 'none since startup')}
      </p>
    </Metric>
  );
}

function CurrentRate({ stats }: { stats: Stats | undefined }) {
  const last = stats === undefined ? undefined : fromStats(stats).steps.at(-1);
  const rate = (count: number) => `${formatRate(last === undefined ? 0 : count / last.seconds)}/s`;
  return (
    <Metric name="Now" title="Over the last 5 seconds">
      <p className={classes.value}>
        {last === undefined ? '–' : rate(last.events)} <span className={classes.unit}>events</span>
      </p>
      <p className={classes.more}>{last === undefined ? UNKNOWN : `${rate(last.delivered)} deliveries`}</p>
    </Metric>
  );
}

function SuccessRate({ series, targets }: { series: StatsSeries | undefined; targets: readonly Target[] }) {
  // The attempts of a busy target outweigh those of one that receives nothing.
  const without = targets.filter(({ health }) => health.attempts > 0 && health.failed === health.attempts);
  const total = series?.total;
  const attempts = total === undefined ? 0 : total.delivered + total.failed;
  return (
    <Metric
      name="Success rate, last hour"
      title="Attempts in the last hour that succeeded. Failed attempts are retried until the retries are exhausted."
    >
      <p className={classes.value}>
        {total === undefined || attempts === 0 ? '–' : formatShare(total.delivered, attempts)}
      </p>
      <p className={classes.more}>
        {total !== undefined && attempts === 0 && 'no attempts'}
        {total !== undefined && attempts > 0 && `of ${formatNoun(attempts, 'attempt')}`}
      </p>
      {without.length > 0 && (
        <p className={classes.more}>
          <Link to="/targets" search={{ sort: 'success' }} className={classes.dead}>
            {formatNoun(without.length, 'target')} at 0%
          </Link>
        </p>
      )}
    </Metric>
  );
}

function Backlog({ stats }: { stats: Stats | undefined }) {
  const oldest = stats?.deliveries.oldest_open_at ?? null;
  const { open = 0, dead = 0 } = stats?.deliveries ?? {};
  return (
    <Metric name="Backlog" title="Deliveries that are queued, in flight or being retried">
      <p className={classes.value}>
        {stats === undefined ? '–' : formatCount(open)} <span className={classes.unit}>queued</span>
      </p>
      <p className={classes.more}>{oldest !== null && open > 0 && <OldestAge at={oldest} />}</p>
      <p className={classes.more}>
        {stats === undefined && UNKNOWN}
        {dead > 0 && (
          <Link to="/failures" className={classes.dead}>
            {formatNoun(dead, 'dead letter')}
          </Link>
        )}
        {stats !== undefined && dead === 0 && 'no dead letters'}
      </p>
    </Metric>
  );
}

const SECOND_MS = 1_000;

function OldestAge({ at }: { at: string }) {
  const age = useNow() - new Date(at).getTime();
  return age < SECOND_MS ? null : <span title={formatExact(at)}>oldest {formatOneUnit(age)}</span>;
}

function Metric({ name, title, children }: { name: string; title?: string; children: ReactNode }) {
  return (
    <div className={classes.metric} title={title}>
      <h2 className={classes.name}>{name}</h2>
      {children}
    </div>
  );
}

const ACK_LIMIT_MS = 5_000;
/** Below a tenth of the limit the bar is empty. */
const SHOWN_FROM_MS = ACK_LIMIT_MS / 10;

function toneOf(share: number): Tone {
  if (share >= 0.8) return 'bad';
  return share >= 0.5 ? 'warn' : 'ok';
}

/** The ack latency as a share of Co-Pilot's limit; the same numbers are shown as text. */
function AckBudget({ p99 }: { p99: number }) {
  const share = Math.min(1, p99 / ACK_LIMIT_MS);
  return (
    <div className={classes.budget} aria-hidden>
      <div
        className={classes.used}
        data-tone={toneOf(share)}
        style={{ width: `max(3px, ${share * 100}%)` }}
      />
    </div>
  );
}
