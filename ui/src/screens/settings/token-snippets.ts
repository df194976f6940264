import type { TokenCreated } from '@contract/token';

/**
 * How to use a new token, filled in. Only letters, digits and `_` are in a token.
 * @param hub the origin of the hub
 */
export const tokenSnippets = ({ secret, scopes }: TokenCreated, hub: string) => {
  const path = scopes.includes('read') ? '/api/v1/events?limit=10' : '/api/v1/session';
  return [
    {
      name: 'curl',
      code: `export SWITCHBOARD_TOKEN=${secret}\ncurl -H "Authorization: Bearer $SWITCHBOARD_TOKEN" '${hub}${path}'\n`,
    },
    { name: '.env', code: `SWITCHBOARD_HUB=${hub}\nSWITCHBOARD_TOKEN=${secret}\n` },
    {
      name: 'GitHub',
      code: `# Once: store the token as a secret of the repository.
gh secret set SWITCHBOARD_TOKEN --body '${secret}'

# In the job of the workflow:
env:
  SWITCHBOARD_HUB: ${hub}
  SWITCHBOARD_TOKEN: \${{ secrets.SWITCHBOARD_TOKEN }}
`,
    },
    {
      name: 'switchboard',
      code: `# It asks for the token: ${secret}\nswitchboard login --hub ${hub}\n`,
    },
  ];
};
