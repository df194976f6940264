import { formatCount } from '../../format/number';
import { stepTime } from './describe-traffic';
import classes from './traffic-table.module.css';
import type { TrafficStep, TrafficView } from './traffic-view';

interface Row {
  at: number;
  /** Null where Switchboard did not run. */
  step: TrafficStep | null;
}

/** Newest first; a stretch without Switchboard is one row. */
function rowsOf({ steps, step: length }: TrafficView): Row[] {
  const rows: Row[] = [];
  for (const [i, step] of steps.entries()) {
    const before = steps[i - 1];
    if (before !== undefined && step.at - before.at > length)
      rows.push({ at: before.at + length, step: null });
    rows.push({ at: step.at, step });
  }
  return rows.toReversed();
}

/** The chart's numbers, for whoever would rather read them. */
export function TrafficTable({ view }: { view: TrafficView }) {
  return (
    // What scrolls has to be reached by keys as well.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className={classes.scroll} tabIndex={0} aria-label="Traffic as a table">
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">Events</th>
            <th scope="col">Delivered</th>
            <th scope="col">Failed attempts</th>
          </tr>
        </thead>
        <tbody>
          {rowsOf(view).map(({ at, step }) => (
            <tr key={at}>
              <th scope="row">{stepTime(view, at)}</th>
              {step === null ? (
                <td colSpan={3}>Switchboard was not running</td>
              ) : (
                <>
                  <td>{formatCount(step.events)}</td>
                  <td>{formatCount(step.delivered)}</td>
                  <td>{formatCount(step.failed)}</td>
                </>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
