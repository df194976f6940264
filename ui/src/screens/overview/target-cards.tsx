import { Skeleton } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { targetsTrafficQuery } from '../../api/stats';
import { GuardedButton } from '../../components/guarded-button';
import { ErrorNote } from '../../components/error-note';
import { TargetCard } from './target-card';
import classes from './target-cards.module.css';
import { useTargets } from '../../features/targets/use-targets';
import { worstFirst } from '../../labels/target-labels';

/** Of more targets, those that need attention are listed above, and all are on their own screen. */
export const MAX_CARDS = 3;

/** The targets with their last hour, failing ones first. */
export function TargetCards() {
  const { data: targets, error, refetch } = useTargets();
  const { data: traffic } = useQuery(targetsTrafficQuery);
  const trafficById = new Map(traffic?.data.map((line) => [line.target_id, line]));
  return (
    <section className={classes.part} aria-label="Targets">
      <div className={classes.head}>
        <h2>Targets</h2>
        {targets !== undefined && <Link to="/targets">All targets</Link>}
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
      {targets !== undefined && targets.length > 0 && (
        <ul className={classes.cards}>
          {worstFirst(targets).map((target) => (
            <TargetCard key={target.id} target={target} traffic={trafficById.get(target.id)} />
          ))}
        </ul>
      )}
    </section>
  );
}
