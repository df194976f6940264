import { IconArrowLeft } from '@tabler/icons-react';
import { Link, useLocation, useRouter } from '@tanstack/react-router';
import classes from './back-link.module.css';

/** The way up to a list; for who came from that list, the way back, so that it is found as it was left. */
export function BackLink({
  to,
  children,
}: {
  to: '/live' | '/events' | '/targets' | '/replays';
  children: string;
}) {
  const router = useRouter();
  const cameFromList = useLocation({ select: ({ state }) => state.cameFrom === to });
  return (
    <Link
      to={to}
      className={classes.back}
      onClick={(click) => {
        if (!cameFromList || click.metaKey || click.ctrlKey || click.shiftKey) return;
        click.preventDefault();
        router.history.back();
      }}
    >
      <IconArrowLeft size={14} aria-hidden />
      {children}
    </Link>
  );
}
