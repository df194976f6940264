import { useEffect, type ReactNode } from 'react';
import { setScreenName } from '../format/document-title';
import type { StateLabel } from '../labels/state-label';
import classes from './screen.module.css';
import { StateBadge } from './state-badge';
import { useFirstData } from './use-first-data';
import { useScrollRestoration } from './use-scroll-restoration';

interface ScreenProps {
  /** Shown as heading and in the browser tab. */
  title: string;
  /** Replaces the title as heading. */
  heading?: ReactNode;
  /** State of the resource, shown beside the heading. */
  state?: StateLabel;
  /** Shown above the heading, such as a back link. */
  above?: ReactNode;
  /** Shown below the heading. */
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** Layout of a screen that scrolls as a whole. */
export function Screen({ title, heading, state, above, lead, actions, children }: ScreenProps) {
  useDocumentTitle(title);
  useScrollRestoration();
  const hasData = useFirstData();
  return (
    <div className={classes.screen} data-loading={!hasData || undefined}>
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
      <div className={classes.content}>{children}</div>
    </div>
  );
}

/** Sets the title of the browser tab. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    setScreenName(title);
  }, [title]);
}
