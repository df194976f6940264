import { ShowAll } from '../../components/show-all';
import { formatCount } from '../../format/number';
import classes from './traffic-table.module.css';
import { stepTime, type TrafficStep, type TrafficView } from '../../features/traffic-chart/traffic-view';

const INITIALLY_SHOWN = 12;

interface Row {
  at: number;
  /** Null while Switchboard was not running. */
  step: TrafficStep | null;
}

/** Newest first; a gap in which Switchboard was not running is one row. */
function rowsOf({ steps, stepSeconds }: TrafficView): Row[] {
  const rows: Row[] = [];
  for (const [i, step] of steps.entries()) {
    const before = steps[i - 1];
    if (before !== undefined && step.at - before.at > stepSeconds)
      rows.push({ at: before.at + stepSeconds, step: null });
    rows.push({ at: step.at, step });
  }
  return rows.toReversed();
}

/** The numbers of the chart as a table. */
export function TrafficTable({ view }: { view: TrafficView }) {
  return (
    <ShowAll items={rowsOf(view)} initiallyShown={INITIALLY_SHOWN}>
      {(rows) => (
        <table className={classes.table} aria-label="Traffic as a table">
          <thead>
            <tr>
              <th scope="col">From</th>
              <th scope="col">Events</th>
              <th scope="col">Delivered</th>
              <th scope="col">Failed attempts</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ at, step }) => (
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
      )}
    </ShowAll>
  );
}
