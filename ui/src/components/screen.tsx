import { useEffect, type ReactNode } from 'react';
import type { StateLabel } from '../labels/state-label';
import classes from './screen.module.css';
import { StateBadge } from './state-badge';

interface ScreenProps {
  /** Names the screen in its heading and in the browser's tab. */
  title: string;
  /** In place of the title, where the heading is another. */
  heading?: ReactNode;
  /** How what the screen is about stands, beside its heading. */
  state?: StateLabel;
  /** Above the heading: the way back. */
  above?: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** The frame of a screen that scrolls as a whole. */
export function Screen({ title, heading, state, above, lead, actions, children }: ScreenProps) {
  useDocumentTitle(title);
  return (
    <div className={classes.screen}>
      {above}
      <div className={classes.head}>
        <div className={classes.heading}>
          <div className={classes.title}>
            {heading ?? <h1>{title}</h1>}
            {state !== undefined && <StateBadge state={state} strong />}
          </div>
          {lead !== undefined && <div className={classes.lead}>{lead}</div>}
        </div>
        {actions !== undefined && <div className={classes.actions}>{actions}</div>}
      </div>
      {children}
    </div>
  );
}

/** Names the screen in the browser's tab and history. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Switchboard`;
  }, [title]);
}
