import { NativeSelect } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { RefObject } from 'react';
import type { EntitySearch } from '../../api/entities';
import { DebouncedInput } from '../../components/debounced-input';
import { TimePointControl } from '../../components/time-range/time-point-control';
import { ConditionMenu } from '../../features/list-filter/condition-menu';
import { conditionsOf, toPayload } from '../../features/list-filter/payload-conditions';
import { entitiesSearch } from '../../search/entities-search';
import classes from './entities-filter.module.css';

const STATES = [
  { value: '', label: 'Present' },
  { value: 'deleted', label: 'Deleted' },
  { value: 'all', label: 'Present and deleted' },
];

interface EntitiesFilterProps {
  search: EntitySearch;
  change: (part: EntitySearch) => void;
  field: RefObject<HTMLInputElement | null>;
}

/** The filter of the list. Between two times, text and state cannot be searched. */
export function EntitiesFilter({ search, change, field }: EntitiesFilterProps) {
  const isComparing = search.from !== undefined;
  return (
    <search className={classes.filter} aria-label="Search entities">
      {!isComparing && (
        <>
          <DebouncedInput
            ref={field}
            type="search"
            aria-label="Text in the record"
            placeholder="Search records"
            leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
            maxLength={200}
            className={classes.text}
            value={search.q ?? ''}
            onCommit={(q) => change({ q })}
          />
          <NativeSelect
            aria-label="State"
            data={STATES}
            value={search.state ?? ''}
            onChange={({ currentTarget }) =>
              change({ state: entitiesSearch({ state: currentTarget.value }).state })
            }
          />
        </>
      )}
      <TimePointControl
        label="Compare with"
        none="nothing"
        value={search.from}
        onChange={(from) => change({ from })}
      />
      <TimePointControl
        label="As of"
        none="now"
        value={search.as_of}
        onChange={(as_of) => change({ as_of })}
      />
      <ConditionMenu
        of="values"
        types={search.kind === undefined ? undefined : [`${search.kind}.*`]}
        add={(condition) =>
          change({ payload: toPayload([...(conditionsOf(search.payload) ?? []), condition]) })
        }
      />
    </search>
  );
}
