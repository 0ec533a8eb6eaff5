// The author's side of classification, as the configuration declares it. Types only.

/** A declared test on a JSON value. Exactly one of the comparisons is set. */
export interface Predicate {
  readonly pointer: string;
  readonly equals?: unknown;
  readonly notEquals?: unknown;
  /** True: the pointer must lead nowhere; false: it must lead somewhere. */
  readonly absent?: boolean;
}

/** One author rule of `errors:`. Every given member of `when` must hold. */
export interface ErrorRule {
  readonly when: {
    readonly status?: number | string | readonly (number | string)[];
    readonly transport?: string;
    readonly body?: {
      readonly pointer: string;
      readonly equals?: unknown;
      readonly matches?: string;
    };
    readonly header?: {
      readonly name: string;
      readonly equals?: string;
      readonly matches?: string;
    };
    readonly mcpCode?: number;
    readonly isError?: true;
    readonly type?: string;
    readonly text?: string;
  };
  readonly then: {
    readonly declined?: string;
    readonly transient?: string;
    readonly permanent?: string;
    readonly code?: string;
    readonly message?: string;
    readonly retryAfterMs?: number;
    readonly retryAfterPointer?: string;
  };
}
