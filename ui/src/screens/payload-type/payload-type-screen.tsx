import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { PayloadNode } from '@contract/payload-type';
import { payloadTypeQuery } from '../../api/payload-types';
import { BackLink } from '../../components/back-link';
import { Column, Columns } from '../../components/columns';
import { Fact, Facts } from '../../components/facts';
import { Panel } from '../../components/panel';
import { PendingData } from '../../components/pending-data';
import { Screen } from '../../components/screen';
import { TimeAgo } from '../../components/time-ago';
import { ExportSchemas } from '../../features/schemas/export-schemas';
import { formatCount } from '../../format/number';
import { PAYLOAD_STATES } from '../../labels/payload-labels';
import { AcceptButton } from './accept-button';
import { FieldTable } from './field-table';
import { fieldsOf } from './fields-of';
import { VersionsPanel } from './versions-panel';

const route = getRouteApi('/signed-in/contract/$type');
const above = <BackLink to="/contract">Contract</BackLink>;

/** The schema of an event type: its fields, and how they have changed. */
export function PayloadTypeScreen() {
  const { type } = route.useParams();
  const { version } = route.useSearch();
  const query = useQuery(payloadTypeQuery(type, version));
  const { data } = query;
  return (
    <Screen
      title={type}
      above={above}
      {...(data !== undefined && { state: PAYLOAD_STATES[data.state] })}
      actions={
        <>
          <ExportSchemas type={type} />
          {data?.state === 'changed' && <AcceptButton type={type} />}
        </>
      }
    >
      <Columns shares={[7, 4]}>
        <Panel
          title={version === undefined ? 'Fields' : `Fields in version ${version}`}
          flush
          aside={
            version !== undefined && (
              <Link to="/contract/$type" params={{ type }} resetScroll={false}>
                Show what is known now
              </Link>
            )
          }
        >
          <PendingData query={query} rows={8} flush />
          {data !== undefined && <FieldTable fields={fieldsOf(data.root as unknown as PayloadNode)} />}
        </Panel>
        <Column>
          <VersionsPanel type={type} shown={version} />
          {data !== undefined && (
            <Panel title="Details">
              <Facts>
                <Fact name="Examined">
                  {formatCount(data.examined)} of {formatCount(data.events)} events
                </Fact>
                <Fact name="First event">
                  <TimeAgo at={data.first_seen_at} />
                </Fact>
                <Fact name="Latest event">
                  <TimeAgo at={data.last_seen_at} />
                </Fact>
                {data.truncated && <Fact name="Left out">More fields than can be kept</Fact>}
              </Facts>
            </Panel>
          )}
        </Column>
      </Columns>
    </Screen>
  );
}
