import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Target } from '../../../../src/contract/target';
import { editTarget, targetQuery, type TargetWish } from '../../api/targets';
import { Panel } from '../../components/panel';
import { draftOfTarget, patchOf, readDraft } from '../../components/target-form/target-draft';
import { TargetForm } from '../../components/target-form/target-form';

/** Changes a target in place. */
export function EditTarget({ target, done }: { target: Target; done: () => void }) {
  const cache = useQueryClient();
  // What is changed is told from what stood here when it was opened: the rest is left to whoever changes it meanwhile.
  const [initial] = useState(() => draftOfTarget(target));
  const edit = useMutation({
    mutationFn: (wish: TargetWish) => editTarget(target.id, patchOf(wish, readDraft(initial).wish)),
    onSuccess: async (changed) => {
      cache.setQueryData(targetQuery(target.id).queryKey, changed);
      done();
      await cache.invalidateQueries({ queryKey: ['targets'] });
    },
  });
  return (
    <Panel title="Edit">
      <TargetForm
        initial={initial}
        target={target.id}
        submitWord="Save"
        pending={edit.isPending}
        error={edit.error}
        submit={(wish) => edit.mutate(wish)}
        cancel={
          <Button variant="subtle" onClick={done}>
            Leave it
          </Button>
        }
      />
    </Panel>
  );
}
