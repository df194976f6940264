import {
  IconAlertOctagon,
  IconBookmark,
  IconBraces,
  IconBroadcast,
  IconDots,
  IconFlask,
  IconHistory,
  IconId,
  IconLayoutDashboard,
  IconListSearch,
  IconPlugConnected,
  IconSettings,
  IconTargetArrow,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { savedViewsQuery } from '../../api/saved-views';
import { sessionQuery } from '../../api/session';
import { useDefaultView } from '../saved-views/default-views';
import { savedViewLink } from '../../search/saved-view-link';
import classes from './navigation.module.css';
import { useNavigationBadges, type NavigationBadge } from './use-navigation-badges';

/** Shown on every screen size. On phones the other links are in a popover. */
const PRIMARY_LINKS = [
  { to: '/', name: 'Overview', icon: IconLayoutDashboard },
  { to: '/live', name: 'Live', icon: IconBroadcast },
  { to: '/events', name: 'Events', icon: IconListSearch },
  { to: '/targets', name: 'Targets', icon: IconTargetArrow },
  { to: '/failures', name: 'Failures', icon: IconAlertOctagon },
] as const;
const SECONDARY_LINKS = [
  { to: '/entities', name: 'Entities', icon: IconId },
  { to: '/replays', name: 'Replays', icon: IconHistory },
  { to: '/contract', name: 'Contract', icon: IconBraces },
  { to: '/connection', name: 'Connection', icon: IconPlugConnected },
  { to: '/settings', name: 'Settings', icon: IconSettings },
] as const;

/** Only in the demo. */
const SANDBOX_LINK = { to: '/sandbox', name: 'Sandbox', icon: IconFlask } as const;

type NavigationLink = (typeof PRIMARY_LINKS)[number] | (typeof SECONDARY_LINKS)[number] | typeof SANDBOX_LINK;

const MORE_POPOVER_ID = 'more-screens';

/** The main navigation: a sidebar, or a bar at the bottom on phones. */
export function Navigation() {
  const { data: session } = useQuery(sessionQuery);
  const badges = useNavigationBadges();
  const secondaryLinks = session?.sandbox === true ? [...SECONDARY_LINKS, SANDBOX_LINK] : SECONDARY_LINKS;
  const hidden = secondaryLinks.flatMap(({ to }) => badges.get(to) ?? []);
  return (
    <nav className={classes.nav} aria-label="Screens">
      <NavigationLinks links={PRIMARY_LINKS} badges={badges} />
      <button type="button" popoverTarget={MORE_POPOVER_ID} className={classes.more}>
        <IconDots size={18} stroke={1.6} aria-hidden />
        <span className={classes.name}>More</span>
        {hidden.length > 0 && <span className={classes.badge} data-tone={worstTone(hidden)} />}
      </button>
      <div id={MORE_POPOVER_ID} popover="auto" className={classes.popover}>
        <NavigationLinks links={secondaryLinks} badges={badges} />
        <PinnedViews />
      </div>
    </nav>
  );
}

/** The saved views that are pinned, below the screens. */
function PinnedViews() {
  const { data: views = [] } = useQuery(savedViewsQuery);
  const pinned = views.filter((view) => view.pinned);
  return (
    <>
      {pinned.length > 0 && <p className={classes.title}>Saved views</p>}
      {pinned.map((view) => (
        <Link
          key={view.id}
          {...savedViewLink(view)}
          className={`${classes.link} ${classes.view}`}
          onClick={closeMorePopover}
          title={view.name}
          activeOptions={{ exact: true, includeSearch: true }}
          activeProps={{ 'aria-current': 'page' }}
        >
          <IconBookmark size={18} stroke={1.6} aria-hidden />
          <bdi className={classes.name}>{view.name}</bdi>
        </Link>
      ))}
    </>
  );
}

/** The popover does not close by itself when its link opens another screen. */
const closeMorePopover = () => document.getElementById(MORE_POPOVER_ID)?.hidePopover();

const worstTone = (badges: readonly NavigationBadge[]) =>
  (['bad', 'warn'] as const).find((tone) => badges.some((badge) => badge.tone === tone)) ?? 'busy';

interface NavigationLinksProps {
  links: readonly NavigationLink[];
  badges: ReadonlyMap<string, NavigationBadge>;
}

function NavigationLinks({ links, badges }: NavigationLinksProps) {
  const defaultOf = useDefaultView();
  return links.map(({ to, name, icon: Icon }) => (
    <Link
      key={to}
      {...savedViewLink(defaultOf(to) ?? { address: to })}
      className={classes.link}
      onClick={closeMorePopover}
      title={name}
      {...(badges.has(to) && { 'aria-label': `${name}, ${badges.get(to)!.description}` })}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      activeProps={{ 'aria-current': 'page' }}
    >
      <Icon size={18} stroke={1.6} aria-hidden />
      <span className={classes.name}>{name}</span>
      {badges.has(to) && (
        <span
          className={classes.badge}
          data-tone={badges.get(to)?.tone}
          data-short={badges.get(to)?.short}
          aria-hidden
        >
          {badges.get(to)?.text}
        </span>
      )}
    </Link>
  ));
}
