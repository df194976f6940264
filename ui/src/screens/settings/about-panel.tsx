import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../../api/session';
import { DownloadLink } from '../../components/download-link';
import { Fact, Facts } from '../../components/facts';
import { Mono } from '../../components/mono';
import { RelativeTime } from '../../components/time-ago';
import { SettingsPart } from './settings-part';

/** Versions, the API description and the expiry of the session. */
export function AboutPanel() {
  const { data: session } = useQuery(sessionQuery);
  const end = session?.expires_at ?? null;
  return (
    <SettingsPart title="About" rows={3}>
      {({ version, node }) => (
        <Facts>
          <Fact name="Switchboard">
            <Mono>{version}</Mono>
          </Fact>
          <Fact name="Node.js">
            <Mono>{node}</Mono>
          </Fact>
          <Fact name="API">
            <a href="/docs/api">Description</a>,{' '}
            <DownloadLink path="/openapi.json" name="switchboard-openapi.json">
              OpenAPI document
            </DownloadLink>
          </Fact>
          <Fact name="Session expires">
            {end === null ? session?.via === 'user' ? 'at the proxy' : 'never' : <RelativeTime at={end} />}
          </Fact>
        </Facts>
      )}
    </SettingsPart>
  );
}
