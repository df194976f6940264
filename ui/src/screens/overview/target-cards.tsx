import { Skeleton } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Target } from '@contract/target';
import { targetsTrafficQuery } from '../../api/stats';
import { GuardedButton } from '../../components/guarded-button';
import { ErrorNote } from '../../components/error-note';
import { TargetCard } from './target-card';
import classes from './target-cards.module.css';
import { useTargets } from '../../features/targets/use-targets';
import { needsAttention } from '../../labels/state-label';
import { targetLabels, worstFirst } from '../../labels/target-labels';

/** The Targets screen shows all. */
const MAX_SHOWN = 12;
/** As many are shown also if all is well. */
const ALL_SHOWN_UP_TO = 3;

/** The cards: of a few targets all, of more those that need attention, the worst first. */
export function cardsOf(targets: readonly Target[]): Target[] {
  const sorted = worstFirst(targets);
  if (targets.length <= ALL_SHOWN_UP_TO) return sorted;
  return sorted.filter((target) => targetLabels(target).some(needsAttention)).slice(0, MAX_SHOWN);
}

/** The targets with their last hour, failing ones first. */
export function TargetCards() {
  const { data: targets, error, refetch } = useTargets();
  const { data: traffic } = useQuery(targetsTrafficQuery);
  const trafficById = new Map(traffic?.data.map((line) => [line.target_id, line]));
  const cards = targets && cardsOf(targets);
  return (
    <section className={classes.part} aria-label="Targets">
      <div className={classes.head}>
        <h2>Targets</h2>
        {targets !== undefined && (
          <Link to="/targets">
            {targets.length > ALL_SHOWN_UP_TO ? `All ${targets.length} targets` : 'All targets'}
          </Link>
        )}
      </div>
      {targets === undefined && error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      {targets === undefined && error === null && <Skeleton height={172} />}
      {targets?.length === 0 && (
        <div className={classes.none}>
          <p>No targets yet. Events are stored and can be replayed later.</p>
          <GuardedButton
            leftSection={<IconPlus size={14} aria-hidden />}
            renderRoot={(props) => <Link to="/targets/new" {...props} />}
          >
            Add a target
          </GuardedButton>
        </div>
      )}
      {cards !== undefined && cards.length > 0 && (
        <ul className={classes.cards}>
          {cards.map((target) => (
            <TargetCard key={target.id} target={target} traffic={trafficById.get(target.id)} />
          ))}
        </ul>
      )}
    </section>
  );
}
