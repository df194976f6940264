import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Target } from '@contract/target';
import type { TransformSettings, TransformTest } from '@contract/transform';
import { editTarget, targetQuery } from '../../api/targets';
import { ActionButton } from '../../components/action-button';
import { Column, Columns } from '../../components/columns';
import { ErrorNote } from '../../components/error-note';
import { LeaveGuard } from '../../components/leave-guard';
import { Panel } from '../../components/panel';
import { ApiError } from '../../api/api-error';
import stack from '../../components/stack.module.css';
import { EventResult } from './event-result';
import { TransformTests } from './transform-tests';
import classes from './transformation.module.css';

const DEBOUNCE_MS = 300;
const NONE = { expression: '$', content_type: 'application/json', on_error: 'dead' } as const;

type Changes = Partial<Pick<TransformSettings, 'expression' | 'content_type' | 'on_error'>> & {
  tests?: TransformTest[];
};

/** Edits the expression of a target and its tests; nothing is saved until asked for. */
export function TransformEditor({ target }: { target: Target }) {
  const { expression, content_type: contentType, on_error: onError } = target.transform ?? NONE;
  // Tests that are masked here stay, because they are not sent.
  const kept = { expression, content_type: contentType, on_error: onError };
  const [changes, setChanges] = useState<Changes>({});
  const isChanged = Object.keys(changes).length > 0;
  const draft = { tests: target.transform?.tests ?? [], ...kept, ...changes };
  const set = (change: Changes) => setChanges((before) => ({ ...before, ...change }));
  const [settled] = useDebouncedValue(draft.expression, DEBOUNCE_MS);
  const made = { expression: settled, content_type: draft.content_type };
  const cache = useQueryClient();
  const save = useMutation({
    mutationFn: async ({ force, remove }: { force?: true; remove?: true }) => {
      await editTarget(target.id, {
        transform: remove ? null : { language: 'jsonata', ...kept, ...changes },
        ...(force && { force }),
      });
      return changes;
    },
    onSuccess: async (saved) => {
      await cache.invalidateQueries({ queryKey: targetQuery(target.id).queryKey });
      // What was typed meanwhile stays.
      setChanges((now) => (now === saved ? {} : now));
    },
  });
  const mayForce = save.error instanceof ApiError && save.error.code === 'transform_tests_failed';
  const addTest = (test: TransformTest) => set({ tests: [...draft.tests, test] });
  return (
    <Columns shares={[1, 1]}>
      <LeaveGuard when={isChanged} title="Leave without saving?">
        What you changed of the transformation would be lost.
      </LeaveGuard>
      <Column>
        <Panel title="Expression">
          <div className={stack.medium}>
            <Textarea
              label="JSONata"
              description="What the target is sent, made of the payload, $event, $previous (the payload before it), $target and $now()."
              autosize
              minRows={8}
              maxRows={24}
              spellCheck={false}
              autoComplete="off"
              classNames={{ input: classes.code! }}
              value={draft.expression}
              onChange={({ currentTarget: { value } }) => set({ expression: value })}
            />
            <TextInput
              label="Content type"
              value={draft.content_type}
              onChange={({ currentTarget: { value } }) => set({ content_type: value })}
            />
            <NativeSelect
              label="When it fails"
              data={[
                { value: 'dead', label: 'Dead letters; pause after five in a row' },
                { value: 'pause', label: 'Pause the target at once' },
              ]}
              value={draft.on_error}
              onChange={({ currentTarget: { value } }) =>
                set({ on_error: value === 'pause' ? 'pause' : 'dead' })
              }
            />
            {save.error !== null && <ErrorNote error={save.error} />}
            <div className={classes.actions}>
              <ActionButton
                variant="filled"
                pending={save.isPending}
                because={!isChanged && 'Nothing was changed.'}
                action={() => save.mutate({})}
              >
                Save
              </ActionButton>
              {mayForce && (
                <ActionButton pending={save.isPending} action={() => save.mutate({ force: true })}>
                  Save all the same
                </ActionButton>
              )}
              {target.transform !== null && (
                <ActionButton
                  color="red"
                  pending={save.isPending}
                  action={() => save.mutate({ remove: true })}
                >
                  Send the payload unchanged
                </ActionButton>
              )}
            </div>
          </div>
        </Panel>
        <TransformTests
          target={target.id}
          made={made}
          tests={draft.tests}
          setTests={(some) => set({ tests: some })}
        />
      </Column>
      <Column>
        <EventResult target={target} made={made} addTest={addTest} />
      </Column>
    </Columns>
  );
}
