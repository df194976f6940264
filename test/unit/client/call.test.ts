import { call } from '../../../src/client/call';

const sent: string[] = [];
const connection = {
  hub: 'https://hub.example.com/',
  token: 'switchboard_1',
  fetch: (url: string) => {
    sent.push(url);
    return Promise.resolve(new Response());
  },
};
const read = (name: string) =>
  call(connection, 'GET', '/api/v1/consumers/{name}', { path: { name }, query: { wait: 1 } });

it('a name in a path is encoded, and refused where it would change the path', async () => {
  await read('a/b $&');
  expect(sent).toEqual(['https://hub.example.com/api/v1/consumers/a%2Fb%20%24%26?wait=1']);
  await expect(read('..')).rejects.toThrow('The name must not be ".."');
  expect(sent).toHaveLength(1);
});
