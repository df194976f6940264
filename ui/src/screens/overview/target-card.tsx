import { Link } from '@tanstack/react-router';
import type { TargetsTraffic } from '@contract/stats';
import type { Target } from '@contract/target';
import { PauseButton } from '../../features/targets/target-actions';
import { BacklogLabel } from '../../features/targets/backlog-label';
import { TargetCondition } from '../../features/targets/target-condition';
import { useBlockingCount } from '../../features/targets/use-blocking-count';
import { TargetState } from '../../features/targets/target-state';
import { TimeAgo } from '../../components/time-ago';
import { useTargetActions } from '../../features/targets/use-target-actions';
import { outcomeLabel } from '../../labels/delivery-labels';
import { formatCount, formatNoun } from '../../format/number';
import { addressOf, targetLabels } from '../../labels/target-labels';
import { Sparkline } from '../../components/sparkline';
import classes from './target-card.module.css';

type TargetTraffic = TargetsTraffic['data'][number];

/** Of the bars of a hub that has just been started. */
const MIN_MINUTES = 15;

const sum = (counts: readonly (number | null)[]) => counts.reduce<number>((all, one) => all + (one ?? 0), 0);

/** A target with its state, last hour and backlog, and a button to pause or resume it. */
export function TargetCard({ target, traffic }: { target: Target; traffic: TargetTraffic | undefined }) {
  const { resume } = useTargetActions(target);
  const [state] = targetLabels(target);
  const { id, name, backlog } = target;
  return (
    <li className={classes.card} data-tone={state?.tone}>
      <div className={classes.head}>
        <Link to="/targets/$id" params={{ id }} className={classes.name} data-row title={addressOf(target)}>
          {name}
        </Link>
        <TargetState target={target} strong={state?.tone === 'bad'} />
      </div>
      <p className={classes.status}>
        <StatusLine target={target} traffic={traffic} />
      </p>
      <LastHour traffic={traffic} />
      <div className={classes.foot}>
        {backlog.open > 0 && <BacklogLabel backlog={backlog} />}
        <PauseButton target={target} resume={resume} className={classes.action} />
      </div>
    </li>
  );
}

/** The most important fact: why the target is inactive, its last failure, or its address. */
function StatusLine({ target, traffic }: { target: Target; traffic: TargetTraffic | undefined }) {
  const { paused, disabled, breaker } = target;
  const failure = traffic?.last_failure ?? null;
  const blocking = useBlockingCount(target);
  const isOffline = target.health.states.includes('offline');
  if ((disabled ?? paused ?? breaker) !== null || isOffline || blocking > 0)
    return <TargetCondition target={target} />;
  if (failure !== null) {
    return (
      <>
        Last failure <TimeAgo at={failure.at} />: {outcomeLabel(failure.status, failure.error)}
      </>
    );
  }
  return addressOf(target);
}

function LastHour({ traffic }: { traffic: TargetTraffic | undefined }) {
  if (traffic === undefined) return <div className={classes.hour} />;
  const [delivered, failed] = [sum(traffic.delivered), sum(traffic.failed)];
  const label = `${formatCount(delivered)} delivered`;
  // What is unknown before the first start would leave no room for the rest.
  const known = traffic.delivered.findIndex((count) => count !== null);
  const from = Math.max(0, Math.min(known, traffic.delivered.length - MIN_MINUTES));
  const period = from === 0 ? 'last hour' : `last ${traffic.delivered.length - from} min`;
  const failures = failed === 0 ? '' : formatNoun(failed, 'failed attempt');
  return (
    <div className={classes.hour}>
      <Sparkline
        delivered={traffic.delivered.slice(from)}
        failed={traffic.failed.slice(from)}
        label={`${period}: ${label}${failures === '' ? '' : `, ${failures}`}`}
      />
      <p className={classes.counts} aria-hidden>
        <span>{label}</span>
        {failures !== '' && <span className={classes.failed}>{failures}</span>}
        <span className={classes.period}>{period}</span>
      </p>
    </div>
  );
}
