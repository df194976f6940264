import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { TargetsTraffic } from '../../../../src/contract/stats';
import type { Target } from '../../../../src/contract/target';
import { ActionButton } from '../../components/action-button';
import { BacklogLabel } from '../../features/targets/backlog-label';
import { StateBadge } from '../../components/state-badge';
import { TimeAgo } from '../../components/time-ago';
import { useTargetActions } from '../../features/targets/use-target-actions';
import { outcomeLabel } from '../../labels/delivery-labels';
import { formatCount, formatNoun } from '../../format/number';
import { reasonOf, targetLabel } from '../../labels/target-labels';
import { Sparkline } from './sparkline';
import classes from './target-card.module.css';

type Line = TargetsTraffic['data'][number];

const sum = (counts: readonly (number | null)[]) => counts.reduce<number>((all, one) => all + (one ?? 0), 0);

/** A target at a glance: its state and why, its last hour, what waits, and the way to stop or go on. */
export function TargetCard({ target, traffic }: { target: Target; traffic: Line | undefined }) {
  const { pause, resume } = useTargetActions(target);
  const { id, name, url, paused, backlog } = target;
  return (
    <li className={classes.card} data-tone={targetLabel(target).tone}>
      <div className={classes.head}>
        <Link to="/targets/$id" params={{ id }} className={classes.name} data-row title={url}>
          {name}
        </Link>
        <StateBadge state={targetLabel(target)} strong={targetLabel(target).tone === 'bad'} />
      </div>
      <p className={classes.remark}>
        <Remark target={target} traffic={traffic} />
      </p>
      <LastHour traffic={traffic} />
      <div className={classes.foot}>
        <BacklogLabel backlog={backlog} />
        {paused === null ? (
          <ActionButton
            className={classes.action}
            leftSection={<IconPlayerPause size={14} aria-hidden />}
            pending={pause.isPending}
            aria-label={`Pause ${name}: queue deliveries until it is resumed`}
            title="Queues deliveries until the target is resumed"
            action={() => pause.mutate()}
          >
            Pause
          </ActionButton>
        ) : (
          <ActionButton
            className={classes.action}
            leftSection={<IconPlayerPlay size={14} aria-hidden />}
            pending={resume.isPending}
            aria-label={`Resume ${name}: send queued deliveries`}
            title="Sends the queued deliveries"
            action={() => resume.mutate()}
          >
            Resume
          </ActionButton>
        )}
      </div>
    </li>
  );
}

/** What one should know, the most telling first: why it stands still, what failed last, or else where it is. */
function Remark({ target, traffic }: { target: Target; traffic: Line | undefined }) {
  const { paused, disabled, breaker, url } = target;
  const failure = traffic?.last_failure ?? null;
  const stopped = disabled ?? paused;
  if (stopped !== null) {
    return (
      <>
        {reasonOf(stopped)}, <TimeAgo at={stopped.at} />
      </>
    );
  }
  if (breaker !== null) {
    return (
      <>
        {breaker.reason.replace(/\.$/, '')}; next probe <TimeAgo at={breaker.probe_at} />
      </>
    );
  }
  if (failure !== null) {
    return (
      <>
        Last failure <TimeAgo at={failure.at} />: {outcomeLabel(failure.status, failure.error)}
      </>
    );
  }
  return url;
}

function LastHour({ traffic }: { traffic: Line | undefined }) {
  if (traffic === undefined) return <div className={classes.hour} />;
  const [delivered, failed] = [sum(traffic.delivered), sum(traffic.failed)];
  const label = `${formatCount(delivered)} delivered`;
  const failures = failed === 0 ? '' : formatNoun(failed, 'failed attempt');
  return (
    <div className={classes.hour}>
      <Sparkline
        delivered={traffic.delivered}
        failed={traffic.failed}
        label={`Last hour: ${label}${failures === '' ? '' : `, ${failures}`}`}
      />
      <p className={classes.counts}>
        <span>{label}</span>
        {failures !== '' && <span className={classes.failed}>{failures}</span>}
        <span className={classes.span}>last hour</span>
      </p>
    </div>
  );
}
