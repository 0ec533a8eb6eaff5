// The demo's upstream stands in the gateway's own process: no request may throw in it.
import { request } from 'node:http';
import { expect, it } from 'vitest';
import { startDemoUpstream } from '../../src/demo/upstream.js';

it.each([
  ['/weather?city=Oslo&days=2', 200],
  ['//', 404],
  ['*', 404],
  ['/nope?x=%', 404],
])('%s is answered', async (path, status) => {
  const demo = await startDemoUpstream();
  const answered = await new Promise((resolve, reject) => {
    const { hostname, port } = new URL(demo.url);
    request({ hostname, port, path, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
  demo.close();
  expect(answered).toBe(status);
});
