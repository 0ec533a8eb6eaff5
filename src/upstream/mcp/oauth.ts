// OAuth 2.0 client credentials (RFC 6749 §4.4) for one MCP server: one token, shared by all its
// requests; one refresh at a time.
import { type Agent, request } from 'undici';
import type { McpTransportDefinition } from '../../config.js';

type OAuthDefinition = NonNullable<Extract<McpTransportDefinition, { kind: 'http' }>['oauth']>;

/** A token is renewed this long before it expires, milliseconds. */
const RENEW_EARLY_MS = 30_000;
const TOKEN_TIMEOUT_MS = 10_000;
const MAX_TOKEN_ANSWER_BYTES = 65_536;

/** No token could be had. Carries no text of the token endpoint. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
  /** The endpoint answered and refused the credentials; else it may work later. */
  readonly refused: boolean;

  constructor(message: string, refused: boolean, options?: ErrorOptions) {
    super(message, options);
    this.refused = refused;
  }
}

interface Token {
  readonly value: string;
  /** `performance.now()` milliseconds. */
  readonly renewAt: number;
}

/** One per server, so that all its connections share a token. */
export class TokenSource {
  readonly #definition: OAuthDefinition;
  readonly #agent: Agent;
  #token: Token | undefined;
  #fetching: Promise<Token> | undefined;

  constructor(definition: OAuthDefinition, agent: Agent) {
    this.#definition = definition;
    this.#agent = agent;
  }

  /** A token that is believed valid. Rejects with {@link TokenError}. */
  async get(): Promise<string> {
    if (this.#token !== undefined && performance.now() < this.#token.renewAt) {
      return this.#token.value;
    }
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    this.#token = await this.#fetching;
    return this.#token.value;
  }

  /** Says that the server refused this token; the next `get` fetches another, once for all. */
  invalidate(token: string): void {
    if (this.#token?.value === token) this.#token = undefined;
  }

  async #fetch(): Promise<Token> {
    const { tokenUrl, clientId, clientSecret, scope } = this.#definition;
    const form = new URLSearchParams({ grant_type: 'client_credentials' });
    if (scope !== undefined) form.set('scope', scope);
    const basic = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
    const started = performance.now();
    let status: number;
    let text: string;
    try {
      const answer = await request(tokenUrl, {
        dispatcher: this.#agent,
        method: 'POST',
        headers: {
          accept: 'application/json',
          'content-type': 'application/x-www-form-urlencoded',
          authorization: `Basic ${Buffer.from(basic).toString('base64')}`,
        },
        body: form.toString(),
        signal: AbortSignal.timeout(TOKEN_TIMEOUT_MS),
      });
      status = answer.statusCode;
      text = await readCapped(answer.body);
    } catch (error) {
      throw new TokenError('the token endpoint could not be reached', false, { cause: error });
    }
    if (status !== 200) {
      const refused = status >= 400 && status < 500 && status !== 429;
      throw new TokenError(`the token endpoint answered ${status}`, refused);
    }
    return parseToken(text, started);
  }
}

async function readCapped(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_TOKEN_ANSWER_BYTES) throw new Error('the answer is over the limit');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseToken(text: string, started: number): Token {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = undefined;
  }
  const { access_token: value, expires_in: expiresIn } = (parsed ?? {}) as Record<string, unknown>;
  if (typeof value !== 'string' || value === '') {
    throw new TokenError('the token endpoint gave no token', false);
  }
  const seconds = Number(expiresIn ?? Number.NaN);
  const lifeMs = Number.isFinite(seconds) ? seconds * 1000 : Number.POSITIVE_INFINITY;
  // A token that lives shorter than the margin is still used for half its life.
  return { value, renewAt: started + Math.max(lifeMs - RENEW_EARLY_MS, lifeMs / 2) };
}
