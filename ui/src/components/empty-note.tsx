import type { ReactNode } from 'react';
import classes from './empty-note.module.css';

/** Explains an empty list and how to fill it. */
export function EmptyNote({
  title,
  icon,
  children,
}: {
  title: string;
  icon?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className={classes.note}>
      {icon !== undefined && (
        <div className={classes.icon} aria-hidden>
          {icon}
        </div>
      )}
      <h2>{title}</h2>
      <div className={classes.text}>{children}</div>
    </div>
  );
}
