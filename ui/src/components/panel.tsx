import type { ReactNode } from 'react';
import classes from './panel.module.css';

interface PanelProps {
  title: string;
  /** Beside the title, on the right. */
  aside?: ReactNode;
  /** Lists and trees reach to the panel's edge. */
  flush?: boolean;
  children: ReactNode;
}

/** A titled part of a screen. */
export function Panel({ title, aside, flush = false, children }: PanelProps) {
  return (
    <section className={classes.panel} aria-label={title}>
      <div className={classes.head}>
        <h2>{title}</h2>
        {aside}
      </div>
      <div className={flush ? undefined : classes.body}>{children}</div>
    </section>
  );
}
