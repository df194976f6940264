import type { ReactNode } from 'react';
import classes from './mono.module.css';

/** Monospaced text, for ids, types and addresses. */
export function Mono({ children }: { children: ReactNode }) {
  return <span className={classes.mono}>{children}</span>;
}
