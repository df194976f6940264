import { IconTargetOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { DeliveryDetail } from '@contract/delivery';
import type { EventDetail } from '@contract/event';
import type { TargetExplanation } from '@contract/explanation';
import { explanationQuery } from '../../api/events';
import { targetsQuery } from '../../api/targets';
import { EmptyNote } from '../../components/empty-note';
import { GuardedButton } from '../../components/guarded-button';
import { Panel } from '../../components/panel';
import { StateBadge } from '../../components/state-badge';
import { formatCount } from '../../format/number';
import type { StateLabel } from '../../labels/state-label';
import { targetLabels } from '../../labels/target-labels';
import { DeliveryRun, isPlain } from './delivery-run';
import classes from './delivery-list.module.css';
import { NotSentTargets } from './not-sent-targets';

/** The deliveries of an event per target, and the targets that did not receive it. */
export function DeliveryList({ event }: { event: EventDetail }) {
  const { data: explanation } = useQuery(explanationQuery(event.id));
  const reasonOf = (targetId: string) =>
    explanation?.targets.find(({ target_id: id, outcome }) => id === targetId && outcome === 'queued')
      ?.reason;
  const groups = groupByTarget(event.deliveries);
  const withDelivery = new Set(groups.map(([newest]) => newest.target_id));
  const notSent = explanation?.targets.filter(({ target_id: id }) => !withDelivery.has(id)) ?? [];
  return (
    <Panel title="Deliveries" flush aside={<Count groups={groups} />}>
      {groups.length === 0 ? (
        <NoDeliveries notSent={notSent} />
      ) : (
        <ul>
          {groups.map((runs) => (
            <TargetRuns
              key={runs[0].target_id}
              event={event}
              runs={runs}
              whyQueued={reasonOf(runs[0].target_id)}
            />
          ))}
        </ul>
      )}
      {notSent.length > 0 && <NotSentTargets targets={notSent} isOpen={groups.length === 0} />}
    </Panel>
  );
}

/** The deliveries of an event to one target, newest first. */
type Runs = [newest: DeliveryDetail, ...earlier: DeliveryDetail[]];

const RANK: Record<DeliveryDetail['state'], number> = {
  dead: 0,
  retrying: 1,
  in_flight: 2,
  pending: 2,
  waiting: 2,
  succeeded: 3,
  cancelled: 4,
};

/** Grouped by target; what needs attention comes first. @param deliveries oldest first */
function groupByTarget(deliveries: readonly DeliveryDetail[]): Runs[] {
  const groups = new Map<string, Runs>();
  for (const delivery of deliveries)
    groups.set(delivery.target_id, [delivery, ...(groups.get(delivery.target_id) ?? [])]);
  return [...groups.values()].sort(([a], [b]) => RANK[a.state] - RANK[b.state]);
}

function Count({ groups }: { groups: readonly Runs[] }) {
  if (groups.length === 0) return null;
  const delivered = groups.filter(([{ state }]) => state === 'succeeded').length;
  return (
    <span className={classes.muted}>
      {formatCount(delivered)} of {formatCount(groups.length)} {groups.length === 1 ? 'target' : 'targets'}{' '}
      delivered
    </span>
  );
}

function NoDeliveries({ notSent }: { notSent: readonly TargetExplanation[] }) {
  return (
    <EmptyNote title="No target received this event" icon={<IconTargetOff size={22} stroke={1.6} />}>
      <p>
        {notSent.length === 0
          ? 'The event is stored. Add a target that receives this event type, then replay the event.'
          : 'The event is stored. Change a target so that it receives this event, then replay the event.'}
      </p>
      <GuardedButton renderRoot={(props) => <Link to="/targets/new" {...props} />}>
        Add a target
      </GuardedButton>
    </EmptyNote>
  );
}

const DELETED: StateLabel = { tone: 'idle', label: 'Deleted', description: 'The target was deleted' };

/** The states of a target that explain a delivery: paused, failing, disabled, deleted. */
function TargetProblems({ id }: { id: string }) {
  const { data: targets } = useQuery(targetsQuery);
  if (targets === undefined) return null;
  const target = targets.find((other) => other.id === id);
  const problems =
    target === undefined ? [DELETED] : targetLabels(target).filter(({ tone }) => tone !== 'ok');
  return problems.map((state) => <StateBadge key={state.label} state={state} />);
}

interface TargetRunsProps {
  event: EventDetail;
  runs: Runs;
  /** Why the newest delivery is queued, if it is. */
  whyQueued: string | undefined;
}

function TargetRuns({ event, runs, whyQueued }: TargetRunsProps) {
  const [newest] = runs;
  const { target_id: id, target_name: name } = newest;
  return (
    <li
      className={classes.target}
      data-plain={(runs.length === 1 && newest.trigger === 'live' && isPlain(newest)) || undefined}
    >
      <h3 className={classes.name}>
        <Link to="/targets/$id" params={{ id }}>
          {name}
        </Link>
        <TargetProblems id={id} />
      </h3>
      <ol aria-label={`Deliveries to ${name}, newest first`}>
        {runs.map((run, at) => (
          <DeliveryRun
            key={run.id}
            event={event}
            delivery={run}
            isNewest={at === 0}
            isOnly={runs.length === 1}
            whyQueued={at === 0 ? whyQueued : undefined}
          />
        ))}
      </ol>
    </li>
  );
}
