import type { ReactNode } from 'react';
import classes from './facts.module.css';

/** A list of names and values. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className={classes.facts}>{children}</dl>;
}

/** One name and its value; an empty value is shown as `none`. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  const empty = children === null || children === undefined || children === '';
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>{empty ? <span className={classes.none}>none</span> : children}</dd>
    </div>
  );
}
