import { IconSearch } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Target } from '@contract/target';
import { DebouncedInput } from '../../components/debounced-input';
import tabs from '../../components/tabs.module.css';
import { formatCount } from '../../format/number';
import { matchesText, shownStates, STATE_NAMES, type ShownState } from '../../labels/target-labels';
import { targetsSearch, type TargetsSearch } from '../../search/targets-search';
import classes from './target-filter.module.css';

/** The targets that the search matches, before and after the choice of a state. */
export function filterTargets(targets: readonly Target[], { q, state }: TargetsSearch) {
  const found = q === undefined ? targets : targets.filter((target) => matchesText(target, q));
  const shown = state === undefined ? found : found.filter((target) => shownStates(target).includes(state));
  return { found, shown };
}

/** Nothing is asked of the hub. */
const TYPING_MS = 100;

interface TargetFilterProps {
  search: TargetsSearch;
  /** Those that match the text. */
  found: readonly Target[];
}

/** A search by text, and a tab with the number of targets for each state. */
export function TargetFilter({ search, found }: TargetFilterProps) {
  const navigate = useNavigate({ from: '/targets' });
  const countOf = (state: ShownState) => found.filter((target) => shownStates(target).includes(state)).length;
  const states = (Object.keys(STATE_NAMES) as ShownState[]).filter(
    (state) => state === search.state || countOf(state) > 0,
  );
  return (
    <search className={classes.filter} aria-label="Targets">
      <DebouncedInput
        type="search"
        aria-label="Search targets"
        placeholder="Search name, address or events"
        leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
        maxLength={200}
        delayMs={TYPING_MS}
        className={classes.text}
        value={search.q ?? ''}
        onCommit={(q) => void navigate({ search: { ...targetsSearch({ ...search, q }) }, replace: true })}
      />
      <nav aria-label="Targets by state" className={`${tabs.tabs} ${classes.states}`}>
        {[undefined, ...states].map((state) => (
          <Link
            key={state ?? 'all'}
            to="/targets"
            search={targetsSearch({ ...search, state })}
            replace
            resetScroll={false}
            activeOptions={{ exact: true, includeSearch: true }}
            className={tabs.tab}
          >
            {state === undefined ? 'All' : STATE_NAMES[state]}{' '}
            <span className={classes.count}>
              {formatCount(state === undefined ? found.length : countOf(state))}
            </span>
          </Link>
        ))}
      </nav>
    </search>
  );
}
