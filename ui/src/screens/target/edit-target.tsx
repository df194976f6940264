import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Target } from '@contract/target';
import { editTarget, targetQuery, type TargetInput } from '../../api/targets';
import note from '../../components/note.module.css';
import { Panel } from '../../components/panel';
import { toTargetDraft, toTargetPatch, parseDraft } from '../../features/target-form/target-draft';
import { TargetForm } from '../../features/target-form/target-form';

interface EditTargetProps {
  target: Target;
  /** @param secret the new signing secret, if the change created one */
  done: (secret?: string) => void;
}

/** Edits a target on its page. */
export function EditTarget({ target, done }: EditTargetProps) {
  const cache = useQueryClient();
  // Only fields changed since the form was opened are sent, so that concurrent changes of others are kept.
  const [initial] = useState(() => toTargetDraft(target));
  const edit = useMutation({
    mutationFn: (input: TargetInput) =>
      editTarget(target.id, toTargetPatch(input, parseDraft(initial).input)),
    onSuccess: async ({ secret, ...changed }) => {
      cache.setQueryData(targetQuery(target.id).queryKey, changed);
      done(secret);
      await cache.invalidateQueries({ queryKey: ['targets'] });
    },
    // The response may contain a secret, so it is not kept in the cache.
    gcTime: 0,
  });
  return (
    <Panel title="Edit">
      {target.managed_by !== null && (
        <p className={`${note.note} ${note.above}`}>
          Manifest <strong>{target.managed_by}</strong>. The next apply overwrites changes made here.
        </p>
      )}
      <TargetForm
        initial={initial}
        target={target.id}
        submitLabel="Save"
        pending={edit.isPending}
        error={edit.error}
        submit={(input) => edit.mutate(input)}
        cancel={
          <Button variant="subtle" onClick={() => done()}>
            Cancel
          </Button>
        }
      />
    </Panel>
  );
}
