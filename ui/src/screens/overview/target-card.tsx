import { Link } from '@tanstack/react-router';
import type { TargetsTraffic } from '@contract/stats';
import type { Target } from '@contract/target';
import { PauseButton } from '../../features/targets/target-actions';
import { BacklogLabel } from '../../features/targets/backlog-label';
import { TargetState } from '../../features/targets/target-state';
import { useTargetActions } from '../../features/targets/use-target-actions';
import { formatCount, formatNoun } from '../../format/number';
import { addressOf, targetLabels } from '../../labels/target-labels';
import { Sparkline } from '../../components/sparkline';
import classes from './target-card.module.css';

type TargetTraffic = TargetsTraffic['data'][number];

/** Of the bars of a hub that has just been started. */
const MIN_MINUTES = 15;

const sum = (counts: readonly (number | null)[]) => counts.reduce<number>((all, one) => all + (one ?? 0), 0);

/** A target with its state, last hour and backlog, and a button to pause or resume it. Why it is so is said above, once. */
export function TargetCard({ target, traffic }: { target: Target; traffic: TargetTraffic | undefined }) {
  const { resume } = useTargetActions(target);
  const [state] = targetLabels(target);
  const { id, name, backlog } = target;
  return (
    <li className={classes.card} data-tone={state?.tone}>
      <div className={classes.head}>
        <Link to="/targets/$id" params={{ id }} className={classes.name} data-row>
          {name}
        </Link>
        <TargetState target={target} strong={state?.tone === 'bad'} />
      </div>
      <p className={classes.status}>{addressOf(target)}</p>
      <LastHour traffic={traffic} />
      <div className={classes.foot}>
        {backlog.open > 0 && <BacklogLabel backlog={backlog} />}
        <PauseButton target={target} resume={resume} className={classes.action} />
      </div>
    </li>
  );
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
