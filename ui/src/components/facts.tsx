import type { ReactNode } from 'react';
import classes from './facts.module.css';

/** Names and values, one a line. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className={classes.facts}>{children}</dl>;
}

/** One name and its value; what has no value says so. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  const empty = children === null || children === undefined || children === '';
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>{empty ? <span className={classes.none}>none</span> : children}</dd>
    </div>
  );
}
