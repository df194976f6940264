import type { ReplayPlan } from '../../../../src/contract/replay';
import { formatTwoUnits } from '../../format/format-duration';
import { formatCount, formatRate } from '../../format/number';
import { REPLAY_LABELS } from '../../labels/replay-labels';
import { ProgressBar } from '../../components/progress-bar';
import { ReplayWaits } from './replay-waits';
import classes from './replay-progress.module.css';

/** How far a replay has come, how fast it goes and how long it will take. */
export function ReplayProgress({ replay }: { replay: ReplayPlan }) {
  const { state, events, total, deliveries, estimated, events_per_second: rate, waiting_for: waits } = replay;
  // An estimate may have been too low; what was done is certain.
  const whole = Math.max(total, events);
  const time = state === 'running' ? describeTime(replay, events < whole) : null;
  const about = estimated ? 'about ' : '';
  return (
    <div className={classes.progress}>
      <ProgressBar
        label="Events in this replay"
        done={state === 'done' ? whole : events}
        total={whole}
        tone={REPLAY_LABELS[state].tone}
      />
      <div className={classes.text}>
        <span className={classes.done}>
          {state === 'done' && estimated
            ? `${formatCount(events)} events`
            : `${formatCount(events)} of ${about}${formatCount(whole)} events`}
        </span>
        <span>
          {formatCount(deliveries)} {deliveries === 1 ? 'delivery' : 'deliveries'} created
        </span>
        {state === 'running' && events < whole && <span>{describeRate(rate)}</span>}
        {state === 'running' && events >= whole && <span>sending the last deliveries</span>}
        {time !== null && <span>{time}</span>}
      </div>
      <ReplayWaits waits={waits} />
    </div>
  );
}

/** Nobody knows when a target that rests goes on: the time is that of the others. */
function describeTime({ eta_s: eta, waiting_for: waits }: ReplayPlan, isBehind: boolean): string | null {
  if (eta === null) return isBehind && waits.length === 0 ? 'no estimate yet' : null;
  const time = eta < 1 ? null : `about ${formatTwoUnits(eta)} to go`;
  return time === null || waits.length === 0 ? time : `${time} for the other targets`;
}

function describeRate(perSecond: number | null): string {
  if (perSecond === null) return 'rate not known yet';
  return perSecond < 0.1 ? 'less than 0.1 events/s' : `${formatRate(perSecond)} events/s`;
}
