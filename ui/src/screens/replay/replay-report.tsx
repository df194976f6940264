import { Link } from '@tanstack/react-router';
import type { ReplayDetail, ReplayTally } from '@contract/replay';
import { isUnfinished } from '../../api/replays';
import { EmptyNote } from '../../components/empty-note';
import { Panel } from '../../components/panel';
import { useTargetNames } from '../../features/targets/use-target-names';
import { formatCount } from '../../format/number';
import classes from './replay-report.module.css';

const COLUMNS = [
  { name: 'deliveries', title: 'Created' },
  { name: 'succeeded', title: 'Delivered' },
  { name: 'dead', title: 'Failed' },
  { name: 'open', title: 'Queued' },
  { name: 'cancelled', title: 'Cancelled' },
  { name: 'sent', title: 'Attempted' },
] as const satisfies readonly { name: keyof ReplayTally; title: string }[];

/** The outcomes, as parts of a bar in these colours. */
const OUTCOMES = [
  ['succeeded', 'var(--sb-ok)'],
  ['dead', 'var(--sb-bad)'],
  ['open', 'var(--sb-busy)'],
  ['cancelled', 'var(--sb-idle)'],
] as const;

/** The outcomes of the deliveries by target. */
export function ReplayReport({ replay }: { replay: ReplayDetail }) {
  const nameOf = useTargetNames();
  const dead = replay.report.some((tally) => tally.dead > 0);
  return (
    <Panel title={isUnfinished(replay) ? 'Results so far' : 'Results'} flush>
      {replay.report.length === 0 ? (
        <EmptyNote title="No deliveries created">
          <p>
            {isUnfinished(replay)
              ? 'The first deliveries will be counted here.'
              : 'The matching events no longer exist.'}
          </p>
        </EmptyNote>
      ) : (
        // Long names widen it; it can be scrolled by keyboard because its links take the focus.
        <section className={classes.scroll} aria-label="Deliveries by target">
          <table className={classes.report}>
            <thead>
              <tr>
                <th scope="col">Target</th>
                {COLUMNS.map(({ name, title }) => (
                  <th key={name} scope="col">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {replay.report.map((tally) => (
                <tr key={tally.target_id}>
                  <th scope="row">
                    <Link to="/targets/$id" params={{ id: tally.target_id }}>
                      {nameOf(tally.target_id)}
                    </Link>
                    <div className={classes.bar} aria-hidden>
                      {OUTCOMES.map(([name, background]) => (
                        <span key={name} style={{ flexGrow: tally[name], background }} />
                      ))}
                    </div>
                  </th>
                  {COLUMNS.map(({ name, title }) => (
                    <td key={name} data-title={title} className={classOf(name, tally[name])}>
                      {formatCount(tally[name])}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {dead && (
        <p className={classes.note}>
          Failed deliveries are listed under <Link to="/failures">Failures</Link> with their reasons.
        </p>
      )}
    </Panel>
  );
}

function classOf(name: (typeof COLUMNS)[number]['name'], count: number): string | undefined {
  if (count === 0) return classes.none;
  return name === 'dead' ? classes.bad : undefined;
}
