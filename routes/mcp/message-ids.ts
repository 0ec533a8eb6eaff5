// The ids of JSON-RPC messages: what is answered by none, or by one that two requests share, would
// run and be answered to nobody.

const FAULT = 'must be a string or an integer';

/** JSON Pointer -> what is wrong with an id; empty: nothing is. */
export function idFaults(value: unknown): Readonly<Record<string, string>> {
  if (!Array.isArray(value)) return isUsable(value) ? {} : { '/id': FAULT };
  const faults: Record<string, string> = {};
  const seen = new Set<unknown>();
  value.forEach((message: unknown, index) => {
    if (!isUsable(message)) faults[`/${index}/id`] = FAULT;
    else if (isRequest(message)) {
      if (seen.has(message.id)) faults[`/${index}/id`] = 'is that of another request of the batch';
      seen.add(message.id);
    }
  });
  return faults;
}

function isRequest(message: unknown): message is { readonly id: unknown } {
  return typeof message === 'object' && message !== null && 'method' in message && 'id' in message;
}

/** What is no request has no id to look at. */
function isUsable(message: unknown): boolean {
  return !isRequest(message) || typeof message.id === 'string' || Number.isSafeInteger(message.id);
}
