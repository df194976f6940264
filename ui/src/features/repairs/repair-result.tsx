import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Repair, RepairCounts } from '@contract/repair';
import { repairItemsQuery } from '../../api/repairs';
import { PendingData } from '../../components/pending-data';
import { ProgressBar } from '../../components/progress-bar';
import stack from '../../components/stack.module.css';
import { StateBadge } from '../../components/state-badge';
import { TimeLeft } from '../../components/time-ago';
import { localizeTimes } from '../../format/exact';
import { formatCount, formatNoun } from '../../format/number';
import { REPAIR_ACTIONS, REPAIR_COUNTS, REPAIR_LABELS } from '../../labels/repair-labels';
import { Changes } from '../entity-history/changes';
import classes from './repair-result.module.css';

/** How far a repair is, the deals by the result of the comparison, and those that differ. */
export function RepairResult({ repair }: { repair: Repair }) {
  const { state, purpose, read, counts, applied, targets, problem, settles_at: settlesAt } = repair;
  const label = REPAIR_LABELS[state];
  const isCompared = state === 'previewed' || state === 'applying' || state === 'done';
  return (
    <div className={stack.small}>
      <p aria-live="polite">
        <StateBadge state={label} /> {label.description}.
      </p>
      <p>
        {formatNoun(read.records, 'deal')} read.
        {settlesAt !== null && (
          <>
            {' '}
            They are compared <TimeLeft at={settlesAt} />.
          </>
        )}
      </p>
      {problem !== null && (
        <p>
          {localizeTimes(problem.reason)} {problem.remedy}
        </p>
      )}
      {applied !== null && (
        <>
          <ProgressBar label="Deals applied" done={applied.items} total={applied.total} />
          <p>{formatNoun(applied.events, 'event')} stored.</p>
        </>
      )}
      {isCompared && <p>{purpose === 'baseline' ? describeImport(counts) : describeCounts(counts)}</p>}
      {isCompared && read.incomplete_because !== null && <p>{read.incomplete_because}</p>}
      {state === 'previewed' && targets.length > 0 && (
        <p>To send: {targets.map(({ name, events }) => `${formatCount(events)} to ${name}`).join(', ')}.</p>
      )}
      {state === 'previewed' && purpose === 'repair' && <Items id={repair.id} counts={counts} />}
    </div>
  );
}

const describeImport = ({ missing, same, changed, older, arrived_meanwhile: arrived }: RepairCounts) =>
  `${formatNoun(missing, 'deal')} imported; ${formatCount(same + changed + older + arrived)} known before.`;

function describeCounts(counts: RepairCounts): string {
  const all = Object.entries(REPAIR_COUNTS) as [keyof RepairCounts, string][];
  const found = all.filter(([result]) => counts[result] > 0);
  if (found.length === 0) return 'Nothing to compare.';
  return `${found.map(([result, label]) => `${formatCount(counts[result])} ${label}`).join(', ')}.`;
}

/** The first deals that differ. They scroll, so that what is below stays in view. */
function Items({ id, counts: { changed, missing, absent } }: { id: string; counts: RepairCounts }) {
  const query = useQuery(repairItemsQuery(id));
  const { data: items } = query;
  if (items === undefined) return <PendingData query={query} rows={3} />;
  const total = changed + missing + absent;
  return (
    <>
      {items.length < total && (
        <p>
          The first {formatCount(items.length)} of {formatNoun(total, 'deal')}:
        </p>
      )}
      <ul className={`${stack.small} ${classes.items}`} aria-label="Deals that differ">
        {items.map(({ entity, name, action, changes }) => (
          <li key={entity}>
            <Link to="/entities/$entity" params={{ entity }}>
              {entity}
            </Link>{' '}
            <bdi>{name}</bdi> <span className={classes.action}>· {REPAIR_ACTIONS[action]}</span>
            {action === 'changed' && <Changes data={changes} outsideData={[]} />}
          </li>
        ))}
      </ul>
    </>
  );
}
