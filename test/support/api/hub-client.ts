import { HttpClient, type TestRequest, type TestResponse } from '../http';
import { assertDescribed } from '../jest/described-answers';

/** A client of a daemon, whose answers must be as the OpenAPI document declares them. */
export class HubClient extends HttpClient {
  override async send(path: string, request: TestRequest = {}): Promise<TestResponse> {
    const response = await super.send(path, request);
    await assertDescribed(request.method ?? 'GET', path, response);
    return response;
  }
}
