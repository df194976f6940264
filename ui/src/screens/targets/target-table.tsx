import { VisuallyHidden } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Target } from '@contract/target';
import { targetsSearch, type TargetColumn, type TargetsSearch } from '../../search/targets-search';
import { SelectBox } from '../../components/select-box';
import { sortTargets } from './sort-targets';
import { TargetRow } from './target-row';
import classes from './target-table.module.css';

interface TargetTableProps {
  targets: readonly Target[];
  search: TargetsSearch;
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
}

/** The targets, with a column for each part of their health. */
export function TargetTable({ targets, search, selected, onSelect }: TargetTableProps) {
  const toggle = (id: string, isSelected: boolean) =>
    onSelect(new Set(isSelected ? [...selected, id] : [...selected].filter((one) => one !== id)));
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <th>
            <SelectBox
              label="Select all targets"
              checked={selected.size === targets.length}
              indeterminate={selected.size > 0 && selected.size < targets.length}
              onChange={(checked) => onSelect(new Set(checked ? targets.map(({ id }) => id) : []))}
            />
          </th>
          <SortableHeader of="name" search={search} name="Target" />
          <SortableHeader of="state" search={search} name="State" />
          <SortableHeader of="success" search={search} name="Success (1 h)" />
          <SortableHeader
            of="p95"
            search={search}
            name="Latency"
            title="p95: 95% of attempts took at most this long"
          />
          <SortableHeader of="backlog" search={search} name="Backlog" />
          <SortableHeader of="delivered" search={search} name="Last delivery" />
          <th>
            <VisuallyHidden>Actions</VisuallyHidden>
          </th>
        </tr>
      </thead>
      <tbody>
        {sortTargets(targets, search.sort).map((target) => (
          <TargetRow
            key={target.id}
            target={target}
            selected={selected.has(target.id)}
            onSelect={(isSelected) => toggle(target.id, isSelected)}
          />
        ))}
      </tbody>
    </table>
  );
}

interface SortableHeaderProps {
  of: TargetColumn;
  name: string;
  search: TargetsSearch;
  title?: string;
}

/** A column header that sorts by its column, then in reverse, then no more. */
function SortableHeader({ of, name, search, title }: SortableHeaderProps) {
  const { sort } = search;
  const order = sort === of ? 'ascending' : sort === `-${of}` ? 'descending' : 'none';
  const next = { none: of, ascending: `-${of}`, descending: undefined } as const;
  const Icon = order === 'descending' ? IconChevronDown : IconChevronUp;
  return (
    <th aria-sort={order}>
      <Link
        to="/targets"
        search={targetsSearch({ ...search, sort: next[order] })}
        replace
        resetScroll={false}
        className={classes.sort}
        title={title}
      >
        {name}
        <Icon size={14} aria-hidden className={classes.order} />
      </Link>
    </th>
  );
}
