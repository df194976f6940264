import {
  IconAlertOctagon,
  IconBroadcast,
  IconDots,
  IconFlask,
  IconHistory,
  IconLayoutDashboard,
  IconListSearch,
  IconPlugConnected,
  IconSettings,
  IconTargetArrow,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { sessionQuery } from '../../api/session';
import classes from './navigation.module.css';

/** Those that a phone has always in sight; the others lie behind one more. */
const OFTEN = [
  { to: '/', name: 'Overview', icon: IconLayoutDashboard },
  { to: '/live', name: 'Live', icon: IconBroadcast },
  { to: '/events', name: 'Events', icon: IconListSearch },
  { to: '/targets', name: 'Targets', icon: IconTargetArrow },
  { to: '/failures', name: 'Failures', icon: IconAlertOctagon },
] as const;
const SELDOM = [
  { to: '/replays', name: 'Replays', icon: IconHistory },
  { to: '/connection', name: 'Connection', icon: IconPlugConnected },
  { to: '/settings', name: 'Settings', icon: IconSettings },
] as const;

/** The demo alone has one. */
const SANDBOX = { to: '/sandbox', name: 'Sandbox', icon: IconFlask } as const;

type Way = (typeof OFTEN)[number] | (typeof SELDOM)[number] | typeof SANDBOX;

const MORE = 'more-screens';

/** The ways through the dashboard: beside the screen, or below it on a phone. */
export function Navigation() {
  const { data: session } = useQuery(sessionQuery);
  const seldom = session?.sandbox === true ? [...SELDOM, SANDBOX] : SELDOM;
  return (
    <nav className={classes.nav} aria-label="Screens">
      <Ways ways={OFTEN} />
      <button type="button" popoverTarget={MORE} className={classes.more}>
        <IconDots size={18} stroke={1.6} aria-hidden />
        <span className={classes.name}>More</span>
      </button>
      <div id={MORE} popover="auto" className={classes.rest}>
        <Ways ways={seldom} />
      </div>
    </nav>
  );
}

/** A screen may open below what is open above it. */
const closeMore = () => document.getElementById(MORE)?.hidePopover();

const Ways = ({ ways }: { ways: readonly Way[] }) =>
  ways.map(({ to, name, icon: Icon }) => (
    <Link
      key={to}
      to={to}
      className={classes.way}
      onClick={closeMore}
      title={name}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      activeProps={{ 'aria-current': 'page' }}
    >
      <Icon size={18} stroke={1.6} aria-hidden />
      <span className={classes.name}>{name}</span>
    </Link>
  ));
