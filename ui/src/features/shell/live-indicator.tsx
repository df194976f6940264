import type { LiveState } from '../../live/live-connection';
import { useLiveState } from '../../live/live-context';
import type { StateLabel } from '../../labels/state-label';
import classes from './live-indicator.module.css';
import { StateBadge } from '../../components/state-badge';

const LABELS: Record<LiveState, StateLabel> = {
  connecting: { tone: 'idle', label: 'Connecting…', description: 'Opening the live connection' },
  live: { tone: 'ok', label: 'Live', description: 'The page is up to date' },
  lost: {
    tone: 'warn',
    label: 'Connection to Switchboard lost, retrying…',
    description: 'Showing the last known data. It refreshes automatically.',
  },
};

/** Whether the page is fresh, in words, always in the same place. */
export function LiveIndicator() {
  const state = useLiveState();
  return (
    <output className={classes.indicator} data-state={state}>
      <StateBadge state={LABELS[state]} strong={state === 'lost'} />
    </output>
  );
}
