import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Target } from '../../../../src/contract/target';
import { editTarget, targetQuery, type TargetDraft } from '../../api/targets';
import { Panel } from '../../components/panel';
import { TargetForm } from '../../components/target-form';

/** Changes a target in place. */
export function EditTarget({ target, done }: { target: Target; done: () => void }) {
  const cache = useQueryClient();
  const edit = useMutation({
    mutationFn: (draft: TargetDraft) => editTarget(target.id, draft),
    onSuccess: async (changed) => {
      cache.setQueryData(targetQuery(target.id).queryKey, changed);
      done();
      await cache.invalidateQueries({ queryKey: ['targets'] });
    },
  });
  return (
    <Panel title="Edit">
      <TargetForm
        initial={{ name: target.name, url: target.url, events: target.events, enabled: target.enabled }}
        submitWord="Save"
        pending={edit.isPending}
        error={edit.error}
        submit={(draft) => edit.mutate(draft)}
        cancel={
          <Button variant="subtle" onClick={done}>
            Leave it
          </Button>
        }
      />
    </Panel>
  );
}
