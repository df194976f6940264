import type { Connection } from '@contract/connection';
import { useNow } from '../../components/use-now';
import { formatExact } from '../../format/exact';
import { formatTwoUnits } from '../../format/duration';
import classes from './token-lifetime.module.css';

const timeOf = (at: string | null) => (at === null ? null : new Date(at).getTime());

/** The remaining lifetime of the access token and its next renewal; nothing of one that Co-Pilot refuses. */
export function TokenLifetime({ connection }: { connection: Connection }) {
  const now = useNow();
  const end = timeOf(connection.expires_at);
  if (end === null || connection.state === 'consent_needed') return null;
  const start = timeOf(connection.renewed_at ?? connection.connected_at) ?? now;
  const renewal = timeOf(connection.renews_at);
  const share = (at: number) => Math.min(100, Math.max(0, ((at - start) / Math.max(1, end - start)) * 100));
  const leftMs = end - now;
  return (
    <div>
      <div className={classes.text}>
        <h3>Access token</h3>
        <span title={connection.expires_at === null ? '' : formatExact(connection.expires_at)}>
          {leftMs > 0 ? `${formatTwoUnits(leftMs / 1_000)} left` : 'expired'}
        </span>
      </div>
      <div className={classes.bar} aria-hidden>
        <div
          className={classes.elapsed}
          data-over={leftMs <= 0 || undefined}
          data-renewed={renewal !== null || undefined}
          style={{ width: `${share(now)}%` }}
        />
        {renewal !== null && <div className={classes.renewal} style={{ left: `${share(renewal)}%` }} />}
      </div>
      <p>{describeRenewal(renewal, now)}</p>
    </div>
  );
}

function describeRenewal(renewal: number | null, now: number): string {
  if (renewal === null) return 'Not being renewed automatically at the moment.';
  return renewal > now
    ? `Renews automatically in ${formatTwoUnits((renewal - now) / 1_000)}.`
    : 'Renewal is due now.';
}
