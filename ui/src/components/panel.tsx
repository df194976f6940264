import type { ReactNode } from 'react';
import classes from './panel.module.css';

interface PanelProps {
  title: string;
  /** To link to it; see `useHashTarget`. */
  id?: string;
  /** Shown to the right of the title. */
  aside?: ReactNode;
  /** Without padding, for lists and trees. */
  flush?: boolean;
  children: ReactNode;
}

/** A titled section of a screen. */
export function Panel({ title, id, aside, flush = false, children }: PanelProps) {
  return (
    <section id={id} className={classes.panel} aria-label={title}>
      <div className={classes.head}>
        <h2>{title}</h2>
        {aside}
      </div>
      <div className={flush ? undefined : classes.body}>{children}</div>
    </section>
  );
}

/** An introduction within a panel without padding. */
export function PanelText({ children }: { children: ReactNode }) {
  return <p className={classes.text}>{children}</p>;
}
