// The HTTP+SSE transport of revision 2024-11-05. The official client marks it as deprecated, for
// servers are to move on; those that have not are why it is here, and this is its one door.
import * as sdk from '@modelcontextprotocol/client';
import type { FetchLike, Transport } from '@modelcontextprotocol/client';

interface OldTransports {
  readonly SSEClientTransport: new (
    url: URL,
    options: { fetch: FetchLike; eventSourceInit: { fetch: FetchLike } },
  ) => Transport;
}

const { SSEClientTransport: OldTransport } = sdk as OldTransports;

/** A transport that answers over one GET stream. Not yet started. */
export function createOldTransport(url: URL, fetch: FetchLike): Transport {
  return new OldTransport(url, { fetch, eventSourceInit: { fetch } });
}
