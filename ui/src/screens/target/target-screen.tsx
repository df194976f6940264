import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { targetErrorsQuery } from '../../api/deliveries';
import { LAST_HOUR } from '../../api/stats';
import { targetQuery } from '../../api/targets';
import { parseTimeRange } from '../../format/time-range';
import { GuardedButton } from '../../components/guarded-button';
import { BackLink } from '../../components/back-link';
import { Column, Columns } from '../../components/columns';
import { Panel } from '../../components/panel';
import { PendingData } from '../../components/pending-data';
import { Screen } from '../../components/screen';
import { MessagePreview } from '../../features/targets/message-preview';
import { TargetActions } from '../../features/targets/target-actions';
import { TestResult } from '../../features/targets/test-result';
import { useTargetActions } from '../../features/targets/use-target-actions';
import { TargetState } from '../../features/targets/target-state';
import type { TargetErrors } from '@contract/stats';
import type { Target } from '@contract/target';
import { DeleteDialog } from './delete-dialog';
import { EditTarget } from './edit-target';
import { ErrorsPanel } from './errors-panel';
import { LatestDeliveries } from './latest-deliveries';
import { ListenerPanel } from './listener-panel';
import { PolicyFacts } from './policy-facts';
import { SecretPanel } from './secret-panel';
import { StatePanel } from './state-panel';
import { TrafficPanel } from './traffic-panel';
import { Copyable } from '../../components/copyable';
import { Fact, Facts } from '../../components/facts';
import { TimeAgo } from '../../components/time-ago';
import { addressOf } from '../../labels/target-labels';

const route = getRouteApi('/signed-in/targets/$id');
const above = <BackLink to="/targets">Targets</BackLink>;

/** A target with its status, deliveries, errors and settings. */
export function TargetScreen() {
  const { id } = route.useParams();
  const query = useQuery(targetQuery(id));
  const { data: target } = query;
  const { data: lastHour } = useQuery(targetErrorsQuery(id, LAST_HOUR));
  if (target !== undefined) return <TargetDetails key={target.id} target={withCounts(target, lastHour)} />;
  return (
    <Screen title="Target" above={above}>
      <PendingData query={query} />
    </Screen>
  );
}

/** The status has the counts of the errors, so that both say the same. */
function withCounts(target: Target, errors: TargetErrors | undefined): Target {
  if (errors === undefined) return target;
  const failed = errors.data.reduce((sum, { attempts }) => sum + attempts, 0);
  return { ...target, health: { ...target.health, attempts: errors.attempts, failed } };
}

function TargetDetails({ target }: { target: Target }) {
  const mutations = useTargetActions(target);
  const { range, since, until, ...filter } = route.useSearch();
  const chosen = parseTimeRange({ range, since, until });
  const shown = Object.keys(chosen).length === 0 ? LAST_HOUR : chosen;
  const isNarrow = useMediaQuery('(max-width: 1023px)', false, { getInitialValueInEffect: false });
  const [editing, setEditing] = useState(false);
  const editButton = useRef<HTMLButtonElement>(null);
  const [deleting, setDeleting] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const actions = (
    <>
      <TargetActions target={target} actions={mutations} />
      <GuardedButton
        ref={editButton}
        leftSection={<IconPencil size={14} aria-hidden />}
        aria-expanded={editing}
        onClick={() => setEditing(!editing)}
      >
        Edit
      </GuardedButton>
      <GuardedButton
        color="red"
        leftSection={<IconTrash size={14} aria-hidden />}
        onClick={() => setDeleting(true)}
      >
        Delete
      </GuardedButton>
    </>
  );
  const errors = <ErrorsPanel target={target} range={shown} selectedError={filter.error} />;
  return (
    <Screen
      title={target.name}
      heading={
        <>
          <h1>{target.name}</h1>
          <TargetState target={target} strong />
        </>
      }
      above={above}
      lead={addressOf(target)}
      actions={actions}
    >
      <TestResult test={mutations.test} />
      {editing && (
        <EditTarget
          target={target}
          done={(newSecret) => {
            setEditing(false);
            editButton.current?.focus();
            if (newSecret !== undefined) setSecret(newSecret);
          }}
        />
      )}
      <Columns shares={[7, 4]}>
        <Column>
          <StatePanel target={target} />
          <TrafficPanel target={target.id} range={shown} />
          {target.listener !== null && <ListenerPanel target={target} listener={target.listener} />}
          {/* In one column, the deliveries would be above it. */}
          {isNarrow && errors}
          <LatestDeliveries target={target} filter={filter} range={chosen} />
        </Column>
        <Column>
          {!isNarrow && errors}
          {target.format === 'json' ? (
            <SecretPanel target={target} newSecret={secret} setNewSecret={setSecret} />
          ) : (
            <Panel title="Message">
              <MessagePreview format={target.format} />
            </Panel>
          )}
          <Panel title="Configuration">
            <PolicyFacts target={target} />
          </Panel>
          <Panel title="Details">
            <TargetFacts target={target} />
          </Panel>
        </Column>
      </Columns>
      <DeleteDialog target={target} opened={deleting} close={() => setDeleting(false)} />
    </Screen>
  );
}

/** Id, address and dates of a target. */
function TargetFacts({ target }: { target: Target }) {
  return (
    <Facts>
      <Fact name="Target id">
        <Copyable value={target.id} label="Copy the target id" />
      </Fact>
      {target.url !== null && (
        <Fact name="Address">
          <Copyable value={target.url} label="Copy the address" />
        </Fact>
      )}
      {target.managed_by !== null && <Fact name="Managed by">Manifest {target.managed_by}</Fact>}
      <Fact name="Created">
        <TimeAgo at={target.created_at} />
      </Fact>
      <Fact name="Updated">
        <TimeAgo at={target.updated_at} />
      </Fact>
    </Facts>
  );
}
