import { FastifyAdapter } from '@nestjs/platform-fastify';
import { NestFactory } from '@nestjs/core';
import { OpenApi } from '../../../src/relay/api/openapi/openapi';
import { RelayModule } from '../../../src/relay/relay.module';
import { PublicAddress } from '../../../src/relay/settings/public-address';
import { readSettings } from '../../../src/relay/settings/read-settings';
import { DescribedApi, type ApiDocument } from '../api/described-api';
import type { TestResponse } from '../http';

/** What is in this folder is loaded once per worker, so the schemas of its test files are compiled once. */
let described: Promise<DescribedApi> | undefined;

/** @throws if the OpenAPI document does not declare an answer of the hub */
export async function assertDescribed(method: string, path: string, response: TestResponse): Promise<void> {
  if (!path.startsWith('/api/v1/')) return;
  described ??= describeApi();
  const undeclared = (await described).undeclared(method, path, response);
  if (undeclared.length > 0)
    throw new Error(
      `Not in the document: ${undeclared.join(', ')}: ${method} ${path} ${response.status} ${response.text.slice(0, 2_000)}`,
    );
}

/** The document is made from the modules, none of which is started. */
async function describeApi(): Promise<DescribedApi> {
  const settings = readSettings({
    COPILOT_BASE_URL: 'http://127.0.0.1:9',
    COPILOT_CLIENT_ID: 'none',
    COPILOT_CLIENT_SECRET: 'none',
  });
  const publicAddress = new PublicAddress(settings);
  const ground = { settings, publicAddress, leaderLink: { onMessage: () => undefined } };
  const app = await NestFactory.create(RelayModule.with(ground as never), new FastifyAdapter(), {
    preview: true,
    abortOnError: false,
    logger: false,
  });
  const document = new OpenApi(publicAddress);
  document.useApplication(app);
  return new DescribedApi(JSON.parse(document.text) as ApiDocument);
}
