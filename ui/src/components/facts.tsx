import type { ReactNode } from 'react';
import classes from './facts.module.css';

/** A list of names and values. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className={classes.facts}>{children}</dl>;
}

interface FactProps {
  name: string;
  /** Shown instead of an empty value. */
  none?: string;
  /** Explains the name. */
  help?: ReactNode;
  children: ReactNode;
}

/** One name and its value. */
export function Fact({ name, none = 'none', help, children }: FactProps) {
  const empty = children === null || children === undefined || children === '';
  return (
    <div className={classes.fact}>
      <dt>
        {name}
        {help}
      </dt>
      <dd>{empty ? <span className={classes.none}>{none}</span> : children}</dd>
    </div>
  );
}
