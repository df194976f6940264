import { Button, NativeSelect } from '@mantine/core';
import { useRef } from 'react';
import type { PayloadFields } from '@contract/payload-field';
import { ConditionRow } from './condition-row';
import classes from './filter-builder.module.css';
import { newCondition, type ConditionDraft, type GroupDraft } from './filter-draft';

interface FilterBuilderProps {
  group: GroupDraft;
  known: PayloadFields | undefined;
  change: (group: GroupDraft) => void;
  /** The number of conditions before this group. */
  offset?: number;
  /** Removes a group within another one; without it, this is the outermost one. */
  remove?: () => void;
}

/** Edits conditions that all must match, or any of them; a group may contain groups. */
export function FilterBuilder({ group, known, change, offset = 0, remove }: FilterBuilderProps) {
  const { match, items } = group;
  const isOutermost = remove === undefined;
  const replace = (at: number, item: ConditionDraft | GroupDraft | null) =>
    change({ ...group, items: items.flatMap((one, i) => (i !== at ? [one] : item === null ? [] : [item])) });
  const list = useRef<HTMLFieldSetElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const add = (item: ConditionDraft | GroupDraft) => {
    change({ ...group, items: [...items, item] });
    // After its fields are rendered, which are the last ones.
    requestAnimationFrame(() =>
      [...(list.current?.querySelectorAll<HTMLElement>('[data-path]') ?? [])]
        .at(-countConditions(item))
        ?.focus(),
    );
  };
  const drop = (at: number) => {
    replace(at, null);
    addButton.current?.focus();
  };
  const firstOf = (at: number) =>
    items.slice(0, at).reduce((sum, item) => sum + countConditions(item), offset);
  return (
    <fieldset
      ref={list}
      className={classes.group}
      aria-label={isOutermost ? 'Filter' : 'Group of conditions'}
    >
      {items.length > 1 && (
        <NativeSelect
          className={classes.match}
          aria-label="How the conditions combine"
          data={[
            { value: 'all', label: 'All of these must match' },
            { value: 'any', label: 'Any of these must match' },
          ]}
          value={match}
          onChange={({ currentTarget }) =>
            change({ ...group, match: currentTarget.value === 'any' ? 'any' : 'all' })
          }
        />
      )}
      {items.map((item, at) => {
        const first = firstOf(at);
        return item.kind === 'condition' ? (
          <ConditionRow
            // Rows have no identity besides their place.
            key={at}
            condition={item}
            number={first + 1}
            known={known}
            change={(next) => replace(at, next)}
            remove={() => drop(at)}
          />
        ) : (
          <FilterBuilder
            key={at}
            group={item}
            known={known}
            offset={first}
            change={(next) => replace(at, next)}
            remove={() => drop(at)}
          />
        );
      })}
      <div className={classes.actions}>
        <Button ref={addButton} onClick={() => add(newCondition())}>
          Add condition
        </Button>
        {isOutermost ? (
          <Button
            variant="subtle"
            onClick={() =>
              add({
                kind: 'group',
                match: match === 'all' ? 'any' : 'all',
                items: [newCondition(), newCondition()],
              })
            }
          >
            Add group
          </Button>
        ) : (
          <Button variant="subtle" onClick={remove}>
            Remove group
          </Button>
        )}
      </div>
    </fieldset>
  );
}

const countConditions = (item: ConditionDraft | GroupDraft): number =>
  item.kind === 'condition' ? 1 : item.items.reduce((sum, inner) => sum + countConditions(inner), 0);
