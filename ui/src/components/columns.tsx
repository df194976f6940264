import type { CSSProperties, ReactNode } from 'react';
import classes from './columns.module.css';

interface ColumnsProps {
  /** How the width is shared out. */
  shares: readonly [number, number];
  children: ReactNode;
}

/** Two parts of a screen beside each other, or one below the other where there is no room. */
export function Columns({ shares: [first, second], children }: ColumnsProps) {
  const style = { '--first': `${first}fr`, '--second': `${second}fr` } as CSSProperties;
  return (
    <div className={classes.columns} style={style}>
      {children}
    </div>
  );
}

/** Parts of a screen below each other, in one of its columns. */
export function Column({ children }: { children: ReactNode }) {
  return <div className={classes.column}>{children}</div>;
}
