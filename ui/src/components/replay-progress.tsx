import type { ReplayPlan } from '../../../src/contract/replay';
import { formatDuration } from '../text/format-duration';
import { formatCount, formatRate } from '../text/format-number';
import { REPLAY_WORDS } from '../text/replay-words';
import { ProgressBar } from './progress-bar';
import classes from './replay-progress.module.css';

/** How far a replay has come, how fast it goes and how long it will take. */
export function ReplayProgress({ replay }: { replay: ReplayPlan }) {
  const { state, events, total, deliveries, estimated, events_per_second: rate, eta_s: eta } = replay;
  // An estimate may have been too low; what was done is certain.
  const whole = Math.max(total, events);
  const about = estimated ? 'about ' : '';
  return (
    <div className={classes.progress}>
      <ProgressBar
        label="Events of this replay"
        done={state === 'done' ? whole : events}
        total={whole}
        tone={REPLAY_WORDS[state].tone}
      />
      <div className={classes.words}>
        <span className={classes.done}>
          {state === 'done' && estimated
            ? `${formatCount(events)} events`
            : `${formatCount(events)} of ${about}${formatCount(whole)} events`}
        </span>
        <span>
          {formatCount(deliveries)} {deliveries === 1 ? 'delivery' : 'deliveries'} made
        </span>
        {state === 'running' && events < whole && (
          <>
            <span>{rateWords(rate)}</span>
            <span>{eta === null ? 'no estimate yet' : `about ${formatDuration(eta)} to go`}</span>
          </>
        )}
        {state === 'running' && events >= whole && <span>the last of them are on their way</span>}
      </div>
    </div>
  );
}

function rateWords(perSecond: number | null): string {
  if (perSecond === null) return 'rate not known yet';
  return perSecond < 0.1 ? 'less than 0.1 events/s' : `${formatRate(perSecond)} events/s`;
}
