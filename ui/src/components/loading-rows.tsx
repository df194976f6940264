import { Skeleton, VisuallyHidden } from '@mantine/core';
import classes from './loading-rows.module.css';
import panel from './panel.module.css';

const bars = (count: number) => Array.from({ length: count }, (_, row) => <Skeleton key={row} height={20} />);

/** Placeholder for rows that are loading. */
export const LoadingRows = ({ count = 4 }: { count?: number }) => (
  <div aria-busy className={classes.rows}>
    <VisuallyHidden>Loading…</VisuallyHidden>
    {bars(count)}
  </div>
);

/** Placeholder for the panels of a screen that is loading. */
export const LoadingPanels = () => (
  <div aria-busy className={classes.panels}>
    <VisuallyHidden>Loading…</VisuallyHidden>
    {[2, 4, 7].map((count) => (
      <div key={count} className={`${panel.panel} ${classes.rows}`}>
        {bars(count)}
      </div>
    ))}
  </div>
);
