import { Link } from '@tanstack/react-router';
import { StateBadge } from '../../components/state-badge';
import { HUB_NAME } from '../../format/hub-name';
import type { StateLabel } from '../../labels/state-label';
import type { LiveState } from '../../live/live-connection';
import { useLiveState } from '../../live/live-context';
import { PaletteButton } from '../command-palette/palette-button';
import { Brand } from './brand';
import classes from './header.module.css';
import { useConnectionTrouble } from './use-connection-trouble';
import { UserMenu } from './user-menu';

/** The header of every screen: name, connection state, search and the menu of the user. */
export function Header({ openHelp }: { openHelp: () => void }) {
  return (
    <header className={classes.header}>
      <div className={classes.start}>
        <Link to="/" className={classes.home} aria-label={`Switchboard, ${HUB_NAME}: go to Overview`}>
          <Brand />
        </Link>
        <LiveIndicator />
      </div>
      <PaletteButton openHelp={openHelp} />
      <div className={classes.end}>
        <UserMenu openHelp={openHelp} />
      </div>
    </header>
  );
}

const LIVE_STATES: Record<LiveState, StateLabel> = {
  connecting: { tone: 'idle', label: 'Connecting…', description: 'Opening the live connection' },
  live: { tone: 'ok', label: 'Live', description: 'The page is up to date' },
  lost: {
    tone: 'warn',
    label: 'Connection to Switchboard lost, retrying…',
    description: 'Showing the last known data. It refreshes automatically.',
  },
};

/** Whether the page is up to date, and whether there is anything to be live: without Co-Pilot, no event arrives. */
function LiveIndicator() {
  const state = useLiveState();
  const trouble = useConnectionTrouble();
  const shown =
    state === 'live' && trouble !== undefined
      ? { ...trouble, label: `Co-Pilot: ${trouble.label.toLowerCase()}` }
      : LIVE_STATES[state];
  return (
    <output className={classes.indicator} data-state={state}>
      <StateBadge state={shown} strong={state === 'lost'} />
    </output>
  );
}
