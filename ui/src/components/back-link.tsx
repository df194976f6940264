import { IconArrowLeft } from '@tabler/icons-react';
import { Link, useLocation, useRouter } from '@tanstack/react-router';
import classes from './back-link.module.css';

type BackLinkProps = { children: string } & (
  | { to: '/live' | '/events' | '/entities' | '/targets' | '/replays' | '/contract' }
  | { to: '/targets/$id'; params: { id: string } }
);

/** A link up to a list, or to what it is a part of. If the user came from the list it goes back in history, which restores it. */
export function BackLink({ children, ...destination }: BackLinkProps) {
  const router = useRouter();
  const cameFromList = useLocation({ select: ({ state }) => state.cameFrom === destination.to });
  return (
    <Link
      {...destination}
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
