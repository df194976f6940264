import { ActionIcon } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { HealthState } from '@contract/target-health';
import type { TargetsTraffic } from '@contract/stats';
import { statsQuery, targetsTrafficQuery } from '../../api/stats';
import { targetsQuery } from '../../api/targets';
import { ActionButton } from '../../components/action-button';
import { ErrorNote } from '../../components/error-note';
import { useNow } from '../../components/use-now';
import { StoredChoice } from '../../format/stored-choice';
import { formatCount } from '../../format/number';
import classes from './retry-offers.module.css';
import { useRetryDead } from './use-retry-dead';

type TargetTraffic = TargetsTraffic['data'][number];

/** The recoveries whose offer was dismissed, each as target and time. */
const dismissed = new StoredChoice<string>('switchboard-dismissed-offers', (text) => text ?? '');
const MAX_DISMISSED = 50;

const recoveryOf = ({ target_id: id, recovered_at: at }: TargetTraffic) => `${id} ${at}`;

/** Then it makes room; the Overview lists the target first. */
const OFFERED_FOR_MS = 120_000;

/** Offers to retry the dead letters of each target that has begun to respond again. */
export function RetryOffers() {
  const hasDead = (useQuery(statsQuery).data?.deliveries.dead ?? 0) > 0;
  const { data } = useQuery({ ...targetsTrafficQuery, enabled: hasDead });
  const recoveries = dismissed.use().split('\n');
  const now = useNow();
  if (!hasDead || data === undefined) return null;
  const offers = data.data.filter(
    (traffic) =>
      traffic.recovered_at !== null &&
      now - Date.parse(traffic.recovered_at) < OFFERED_FOR_MS &&
      traffic.dead_letters > 0 &&
      !recoveries.includes(recoveryOf(traffic)),
  );
  if (offers.length === 0) return null;
  return (
    <section className={classes.offers} aria-label="Targets that respond again" aria-live="polite">
      {offers.map((traffic) => (
        <Offer
          key={traffic.target_id}
          traffic={traffic}
          dismiss={() =>
            dismissed.set([recoveryOf(traffic), ...recoveries].slice(0, MAX_DISMISSED).join('\n'))
          }
        />
      ))}
    </section>
  );
}

/** A target in one of these states is not sent what is retried. */
const BLOCKING: readonly HealthState[] = ['disabled', 'paused', 'offline', 'down'];

function Offer({ traffic, dismiss }: { traffic: TargetTraffic; dismiss: () => void }) {
  const { target_id: target, dead_letters: count } = traffic;
  const { data: targets } = useQuery(targetsQuery);
  const found = targets?.find(({ id }) => id === target);
  const number = formatCount(count);
  const retry = useRetryDead({ id: target, name: found?.name ?? '' });
  if (found === undefined || found.health.states.some((state) => BLOCKING.includes(state))) return null;
  return (
    <div className={classes.offer}>
      <p>
        <strong>{found.name}</strong> responds again: retry {number}?
      </p>
      {retry.error !== null && <ErrorNote error={retry.error} />}
      <div className={classes.actions}>
        <ActionButton
          variant="filled"
          pending={retry.isPending}
          action={() => retry.mutate(undefined, { onSuccess: dismiss })}
        >
          Retry {number}
        </ActionButton>
        <Link to="/failures" search={{ target }}>
          View failures
        </Link>
      </div>
      <ActionIcon
        aria-label={`Dismiss the offer for ${found.name}`}
        className={classes.close}
        onClick={dismiss}
      >
        <IconX size={16} aria-hidden />
      </ActionIcon>
    </div>
  );
}
