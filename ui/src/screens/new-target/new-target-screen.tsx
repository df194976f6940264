import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import { createTarget, type TargetInput } from '../../api/targets';
import { GuardedPart } from '../../components/guarded-part';
import { BackLink } from '../../components/back-link';
import { Panel } from '../../components/panel';
import { Columns } from '../../components/columns';
import { Screen } from '../../components/screen';
import { toTargetCreate, newDraft } from '../../features/target-form/target-draft';
import { TargetForm } from '../../features/target-form/target-form';
import classes from './new-target-screen.module.css';
import { NewTargetSecret } from './new-target-secret';
import { RequestFormatPanel } from './request-format-panel';

/** Creates a target and shows its secret once. */
export function NewTargetScreen() {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: (input: TargetInput) => createTarget(toTargetCreate(input)),
    onSuccess: ({ id }) => {
      void cache.invalidateQueries({ queryKey: ['targets'] });
      // The address is the target's from now on: a reload cannot show the secret again, and must not offer the form.
      const mask = { to: '/targets/$id', params: { id }, unmaskOnReload: true } as const;
      return navigate({ to: '/targets/new', replace: true, mask, state: { created: id } });
    },
  });
  const shown = useRouterState({ select: ({ location }) => location.state.created });
  const above = <BackLink to="/targets">Targets</BackLink>;
  if (create.data !== undefined && create.data.id === shown) {
    return (
      <Screen title={`${create.data.name} is ready`} above={above}>
        <NewTargetSecret target={create.data} />
      </Screen>
    );
  }
  return (
    <Screen title="Add a target" above={above}>
      <GuardedPart needs="operate">
        <Columns shares={[2, 1]}>
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
          <aside className={classes.aside}>
            <RequestFormatPanel />
          </aside>
        </Columns>
      </GuardedPart>
    </Screen>
  );
}
