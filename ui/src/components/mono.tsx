import type { ReactNode } from 'react';
import classes from './mono.module.css';

/** Ids, types and addresses: what a person compares letter by letter. */
export function Mono({ children }: { children: ReactNode }) {
  return <span className={classes.mono}>{children}</span>;
}
