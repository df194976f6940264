import {
  IconAlertOctagon,
  IconBroadcast,
  IconFlask,
  IconHistory,
  IconLayoutDashboard,
  IconPlugConnected,
  IconSettings,
  IconTargetArrow,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { sessionQuery } from '../api/session';
import classes from './navigation.module.css';

const WAYS = [
  { to: '/', name: 'Overview', icon: IconLayoutDashboard },
  { to: '/live', name: 'Live', icon: IconBroadcast },
  { to: '/targets', name: 'Targets', icon: IconTargetArrow },
  { to: '/failures', name: 'Failures', icon: IconAlertOctagon },
  { to: '/replays', name: 'Replays', icon: IconHistory },
  { to: '/connection', name: 'Connection', icon: IconPlugConnected },
  { to: '/settings', name: 'Settings', icon: IconSettings },
] as const;

/** Only the demo has one. */
const SANDBOX = { to: '/sandbox', name: 'Sandbox', icon: IconFlask } as const;

/** The ways through the dashboard: beside the screen, or below it on a phone. */
export function Navigation() {
  const nav = useRef<HTMLElement>(null);
  const { data: session } = useQuery(sessionQuery);
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => {
    // On a phone there are more ways than fit beside each other.
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
  }, [pathname]);
  const ways = session?.sandbox === true ? [...WAYS, SANDBOX] : WAYS;
  return (
    <nav ref={nav} className={classes.nav} aria-label="Screens">
      {ways.map(({ to, name, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          className={classes.way}
          title={name}
          activeOptions={{ exact: to === '/', includeSearch: false }}
          activeProps={{ 'aria-current': 'page' }}
        >
          <Icon size={18} stroke={1.6} aria-hidden />
          <span className={classes.name}>{name}</span>
        </Link>
      ))}
    </nav>
  );
}
