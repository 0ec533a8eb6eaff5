// Server-sent events over fetch, because EventSource cannot send a key; and over again when the
// connection is lost.
/* global TextDecoderStream */

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15_000;

async function read(response, onSnapshot) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (rest + value).split('\n\n');
    rest = events.pop();
    for (const event of events) {
      const data = event.split('\n').find((line) => line.startsWith('data: '));
      if (data !== undefined) onSnapshot(JSON.parse(data.slice('data: '.length)));
    }
  }
}

/**
 * Follows the events until the returned function is called.
 * `onRefused`: the key is not known. `onLost`: there is no connection for now.
 */
export function follow(key, { onSnapshot, onRefused, onLost }) {
  const controller = new AbortController();
  const { signal } = controller;
  let wait = FIRST_WAIT_MS;
  const heard = (snapshot) => {
    wait = FIRST_WAIT_MS;
    onSnapshot(snapshot);
  };
  const connect = async () => {
    const headers = key === '' ? {} : { 'x-api-key': key };
    const response = await fetch('ui/events', { signal, headers });
    if (response.ok) return read(response, heard);
    if (response.status === 401 || response.status === 403) {
      controller.abort();
      onRefused();
    }
  };
  const loop = async () => {
    while (!signal.aborted) {
      await connect().catch(() => undefined);
      if (signal.aborted) return;
      onLost();
      await new Promise((resolve) => setTimeout(resolve, wait));
      wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    }
  };
  void loop();
  return () => controller.abort();
}
