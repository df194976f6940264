import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Target } from '../../../../src/contract/target';
import { editTarget, targetQuery, type TargetInput } from '../../api/targets';
import { Panel } from '../../components/panel';
import { toTargetDraft, toTargetPatch, parseDraft } from '../../features/target-form/target-draft';
import { TargetForm } from '../../features/target-form/target-form';

interface EditTargetProps {
  target: Target;
  /** @param secret the new one that signs, where the change made one */
  done: (secret?: string) => void;
}

/** Changes a target in place. */
export function EditTarget({ target, done }: EditTargetProps) {
  const cache = useQueryClient();
  // What is changed is told from what stood here when it was opened: the rest is left to whoever changes it meanwhile.
  const [initial] = useState(() => toTargetDraft(target));
  const edit = useMutation({
    mutationFn: (input: TargetInput) =>
      editTarget(target.id, toTargetPatch(input, parseDraft(initial).input)),
    onSuccess: async ({ secret, ...changed }) => {
      cache.setQueryData(targetQuery(target.id).queryKey, changed);
      done(secret);
      await cache.invalidateQueries({ queryKey: ['targets'] });
    },
    // The answer may hold a secret: it is kept no longer than the page shows it.
    gcTime: 0,
  });
  return (
    <Panel title="Edit">
      <TargetForm
        initial={initial}
        target={target.id}
        submitLabel="Save"
        pending={edit.isPending}
        error={edit.error}
        submit={(wish) => edit.mutate(wish)}
        cancel={
          <Button variant="subtle" onClick={() => done()}>
            Cancel
          </Button>
        }
      />
    </Panel>
  );
}
