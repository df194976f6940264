import { Link } from '@tanstack/react-router';
import { replaySearch, type ReplaySearch, type ReplayStep } from '../../search/replay-search';
import classes from './step-list.module.css';

/** The steps in order. */
export const STEPS: readonly { id: ReplayStep; title: string }[] = [
  { id: 'events', title: 'Select events' },
  { id: 'destination', title: 'Destination and speed' },
  { id: 'start', title: 'Review and start' },
];

/** Links to the steps; each can be opened at any time. */
export function StepList({ step, plan }: { step: ReplayStep; plan: ReplaySearch }) {
  return (
    <nav aria-label="Steps">
      <ol className={classes.steps}>
        {STEPS.map(({ id, title }, at) => (
          <li key={id}>
            <Link
              to="/replays/new"
              search={replaySearch({ ...plan, step: id })}
              className={classes.step}
              aria-current={id === step ? 'step' : undefined}
              activeProps={{}}
              // Otherwise the first step, whose address has the least parameters, would be current in each.
              activeOptions={{ exact: true }}
            >
              <span className={classes.number} aria-hidden>
                {at + 1}
              </span>
              {title}
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}
