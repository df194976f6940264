import type { CSSProperties, ReactNode } from 'react';
import classes from './columns.module.css';

interface ColumnsProps {
  /** Relative widths. */
  shares: readonly [number, number];
  children: ReactNode;
}

/** Two columns that stack on narrow screens. */
export function Columns({ shares: [first, second], children }: ColumnsProps) {
  const style = { '--first': `${first}fr`, '--second': `${second}fr` } as CSSProperties;
  return (
    <div className={classes.columns} style={style}>
      {children}
    </div>
  );
}

/** Panels stacked in one column. */
export function Column({ children }: { children: ReactNode }) {
  return <div className={classes.column}>{children}</div>;
}
