import { IconArrowLeft } from '@tabler/icons-react';
import { Link, useLocation, useRouter } from '@tanstack/react-router';
import classes from './back-link.module.css';

/** A link up to a list. If the user came from there it goes back in history, which restores the list. */
export function BackLink({
  to,
  children,
}: {
  to: '/live' | '/events' | '/entities' | '/targets' | '/replays' | '/contract';
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
