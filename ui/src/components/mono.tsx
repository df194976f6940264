import type { ReactNode } from 'react';
import classes from './mono.module.css';

interface MonoProps {
  /** Not broken at a hyphen, unless it is longer than a line. */
  whole?: boolean;
  children: ReactNode;
}

/** Monospaced text, for ids, types and addresses. */
export function Mono({ whole = false, children }: MonoProps) {
  return (
    <span className={classes.mono} data-whole={whole || undefined}>
      {children}
    </span>
  );
}
