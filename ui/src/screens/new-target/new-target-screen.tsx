import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { createTarget, type TargetInput } from '../../api/targets';
import { GuardedPart } from '../../components/guarded-part';
import { BackLink } from '../../components/back-link';
import { Panel } from '../../components/panel';
import { Columns } from '../../components/columns';
import { Screen } from '../../components/screen';
import { toTargetCreate, newDraft } from '../../features/target-form/target-draft';
import { TargetForm } from '../../features/target-form/target-form';
import { NewTargetSecret } from './new-target-secret';
import { RequestFormatPanel } from './request-format-panel';

/** Creates a target and shows its secret once. */
export function NewTargetScreen() {
  const cache = useQueryClient();
  const create = useMutation({
    mutationFn: (input: TargetInput) => createTarget(toTargetCreate(input)),
    onSuccess: () => cache.invalidateQueries({ queryKey: ['targets'] }),
  });
  const above = <BackLink to="/targets">Targets</BackLink>;
  if (create.data !== undefined) {
    return (
      <Screen title={`${create.data.name} is ready`} above={above}>
        <NewTargetSecret target={create.data} />
      </Screen>
    );
  }
  return (
    <Screen title="Add a target" above={above}>
      <GuardedPart needs="operate">
        <Columns shares={[3, 2]}>
          <Panel title="Target">
            <TargetForm
              initial={newDraft()}
              submitLabel="Add target"
              pending={create.isPending}
              error={create.error}
              submit={(input) => create.mutate(input)}
              cancel={
                <Button variant="subtle" renderRoot={(props) => <Link to="/targets" {...props} />}>
                  Cancel
                </Button>
              }
            />
          </Panel>
          <RequestFormatPanel />
        </Columns>
      </GuardedPart>
    </Screen>
  );
}
