// Standard output for log lines, gathered: a write for each line would cost a batch of one call a
// tenth of its time. Written from the main thread: handing 8 kB to another thread costs more than
// writing them.
import { pino, type DestinationStream } from 'pino';

const GATHER_CHARS = 8_192;
/** The longest that a line waits for others, milliseconds. */
const GATHER_MS = 100;

/**
 * Gathers lines until there are enough of them, or they are 100 ms old, or the process exits: a
 * second signal and a crash lose none. Where the reader of a pipe is slow, it is waited for.
 */
export function gatheredOutput(
  output: DestinationStream = pino.destination({ dest: 1, sync: true }),
): DestinationStream {
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const text = waiting;
    waiting = '';
    if (text !== '') output.write(text);
  };
  process.once('exit', flush);
  return {
    write: (line) => {
      waiting += line;
      if (waiting.length >= GATHER_CHARS) flush();
      else timer ??= setTimeout(flush, GATHER_MS).unref();
    },
  };
}
