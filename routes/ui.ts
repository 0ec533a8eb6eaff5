// GET /ui: one page without outside resources, and GET /ui/events, the server-sent events that keep
// it alive. Read-only. The page holds no data; what a viewer sees is decided at the events.
import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../src/plugins/problem.js';
import { snapshotFor, type UiSnapshot } from '../src/telemetry/ui-snapshot.js';

/** A test on tool names; undefined: the viewer must show a key before tools are shown. */
export type Visible = ((tool: string) => boolean) | undefined;

export interface UiDeps {
  /** Taken every two seconds while somebody looks. */
  readonly snapshot: () => UiSnapshot;
  /** What this viewer may see; the same function for viewers with the same rights saves work. */
  readonly visible: (request: FastifyRequest) => Visible;
}

const EVERY_MS = 2000;
const MAX_VIEWERS = 50;

/** The viewers, and one timer for all of them that runs only while there are any. */
class Feed {
  readonly #viewers = new Map<PassThrough, Visible>();
  readonly #snapshot: () => UiSnapshot;
  #timer: NodeJS.Timeout | undefined;

  constructor(snapshot: () => UiSnapshot) {
    this.#snapshot = snapshot;
  }

  get full(): boolean {
    return this.#viewers.size >= MAX_VIEWERS;
  }

  /** A stream that begins with the state of now and follows it. */
  open(visible: Visible): PassThrough {
    const stream = new PassThrough();
    this.#viewers.set(stream, visible);
    stream.once('close', () => {
      this.#viewers.delete(stream);
      if (this.#viewers.size === 0) this.#stop();
    });
    stream.write(frame(snapshotFor(this.#snapshot(), visible)));
    this.#timer ??= setInterval(() => this.#tick(), EVERY_MS).unref();
    return stream;
  }

  close(): void {
    this.#stop();
    for (const stream of this.#viewers.keys()) stream.end();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    const snapshot = this.#snapshot();
    const frames = new Map<Visible, string>();
    for (const [stream, visible] of this.#viewers) {
      // A viewer that does not keep up skips a picture; the next one is whole anyway.
      if (stream.writableNeedDrain) continue;
      let text = frames.get(visible);
      if (text === undefined) {
        text = frame(snapshotFor(snapshot, visible));
        frames.set(visible, text);
      }
      stream.write(text);
    }
  }
}

function frame(snapshot: UiSnapshot): string {
  return `event: snapshot\ndata: ${JSON.stringify(snapshot)}\n\n`;
}

const ASSETS = {
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'card.js': 'text/javascript; charset=utf-8',
  'charts.js': 'text/javascript; charset=utf-8',
  'events.js': 'text/javascript; charset=utf-8',
  'format.js': 'text/javascript; charset=utf-8',
};

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

/** Read once, when the routes are registered. */
function serveFile(app: FastifyInstance, url: string, file: string, contentType: string): void {
  const content = readFileSync(new URL(`./ui/${file}`, import.meta.url));
  app.get(
    url,
    { schema: { hide: true }, config: { auth: 'none', limited: false } },
    (_request, reply) => reply.headers(HEADERS).type(contentType).send(content),
  );
}

/** Registers the page and its events. */
export function uiRoutes(app: FastifyInstance, deps: UiDeps): void {
  const feed = new Feed(deps.snapshot);
  // An open stream would hold the drain until its limit.
  app.addHook('preClose', (done) => {
    feed.close();
    done();
  });

  serveFile(app, '/ui', 'page.html', 'text/html; charset=utf-8');
  for (const [file, type] of Object.entries(ASSETS)) serveFile(app, `/ui/${file}`, file, type);
  app.get(
    '/ui/events',
    {
      schema: { hide: true },
      config: { auth: 'optional', limited: false },
      // Nothing is sent to a HEAD, so its stream would never end and keep a viewer's place for good.
      exposeHeadRoute: false,
    },
    (request, reply) => {
      if (feed.full) throw tooManyViewers();
      return reply
        .header('cache-control', 'no-store')
        .header('x-accel-buffering', 'no')
        .type('text/event-stream; charset=utf-8')
        .send(feed.open(deps.visible(request)));
    },
  );
}

function tooManyViewers(): Problem {
  return new Problem({
    status: 503,
    code: 'RESOURCE_EXHAUSTED',
    title: 'Service Unavailable',
    detail: `The page is open ${MAX_VIEWERS} times already.`,
    retryAfterMs: 30_000,
  });
}
